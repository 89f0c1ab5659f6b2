import { toCofferError } from '../../engine/db/storage-error.ts'
import { type Header, readHeader } from '../../host/files/header.ts'
import { vaultExists, vaultFiles } from '../../host/files/vault-files.ts'
import { masterOf } from '../../host/keys/credential.ts'
import { keychainProblem } from '../../host/keys/keychain.ts'
import type { Situation } from './decide-protection.ts'

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
    if (environment) return { vault: 'none', keychain: false, terminal, environment }
    const keychain_problem = (await keychainProblem())?.message
    return { vault: 'none', ...aboutKeychain(keychain_problem), terminal, environment }
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
  return { vault: 'keychain', ...aboutKeychain(await problemOf(header)), terminal, environment }
}

function aboutKeychain(problem: string | undefined): Pick<Situation, 'keychain' | 'keychain_problem'> {
  return problem === undefined ? { keychain: true } : { keychain: false, keychain_problem: problem }
}

/** Why the keychain does not open a vault; undefined where it does. */
async function problemOf(header: Header): Promise<string | undefined> {
  try {
    const master = await masterOf(header, { keychain: true })
    master.fill(0)
    return undefined
  } catch (error) {
    return toCofferError(error).message
  }
}
