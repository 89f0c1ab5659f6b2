import { masterOf } from './credential.ts'
import type { Situation } from './decide-protection.ts'
import { type Header, readHeader } from './header.ts'
import { keychainProblem } from './keychain.ts'
import { vaultExists, vaultFiles } from './vault-files.ts'

/**
 * What `decideProtection` decides on. Throws for a vault that exists and whose header cannot be read or reached: it is
 * not a new one.
 */
export async function situationOf(
  dataDir: string,
  name: string,
  { terminal, environment }: Pick<Situation, 'terminal' | 'environment'>,
): Promise<Situation> {
  const files = vaultFiles(dataDir, name)
  if (!vaultExists(files)) {
    const keychain = !environment && (await keychainProblem()) === undefined
    return { vault: 'none', keychain, terminal, environment }
  }
  return situationOfHeader(readHeader(files.header), { terminal, environment })
}

/** The same for what this header opens: a vault that exists, or a backup of one. */
export async function situationOfHeader(
  header: Header,
  { terminal, environment }: Pick<Situation, 'terminal' | 'environment'>,
): Promise<Situation> {
  if (header.protection === 'passphrase' || !header.keychain) {
    return { vault: 'passphrase', keychain: false, terminal, environment }
  }
  return { vault: 'keychain', keychain: await opensWithKeychain(header), terminal, environment }
}

async function opensWithKeychain(header: Header): Promise<boolean> {
  try {
    const master = await masterOf(header, { keychain: true })
    master.fill(0)
    return true
  } catch {
    return false
  }
}
