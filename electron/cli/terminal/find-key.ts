import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/index.ts'
import type { Header } from '../../host/files/header.ts'
import { type Credential, toCredential, unlockMaster } from '../../host/keys/credential.ts'
import { decideProtection, type ProtectionContext } from './decide-protection.ts'
import { askSecret, hasTerminal, withoutInput } from './prompt.ts'
import { readPassphrase } from './secrets.ts'
import { printHint } from './vault-options.ts'

/** A credential and the master secret it unlocks. SECURITY: disposing wipes the secret. */
export type UnlockedCredential = Disposable & { readonly credential: Credential; readonly master: Buffer }

/** The maximum number of passphrase attempts per command. Across commands, `attempts.ts` adds a growing delay. */
const MAX_ATTEMPTS = 3

/** Returns whether there is a terminal to prompt on, and whether `COFFER_PASSPHRASE` is set. */
export function readContext(): Pick<ProtectionContext, 'terminal' | 'environment'> {
  return { terminal: hasTerminal(), environment: readPassphrase() !== undefined }
}

/**
 * Finds the credential for the vault or backup with this header: the keychain, `COFFER_PASSPHRASE` or typed input.
 * After a typing error, the prompt is repeated, for three attempts in all. Throws `locked` if no credential is
 * available, and whatever `unlockMaster` throws. The caller hands the master secret on to `openVault`, so that the key
 * is derived only once.
 */
export async function findKey(header: Header): Promise<UnlockedCredential> {
  const { context, master } = await createContext(header, readContext())
  if (master) return createUnlockedCredential({ keychain: true }, master)
  const decision = decideProtection(context)
  switch (decision.use) {
    case 'environment':
      return unlockKey(header, toCredential(readPassphrase() ?? ''))
    case 'ask':
      printHint(context.keychain_problem ?? `The vault ${header.name} is protected by a passphrase.`)
      return askKey(header)
    case 'nothing':
      throw new CofferError('locked', decision.reason)
    case 'keychain':
    case 'ephemeral':
      throw new CofferError('internal', 'An existing vault is never replaced by an in-memory vault.')
  }
}

/** Creates the input of `decideProtection` for a header, with the master secret if the keychain has it. */
export async function createContext(
  header: Header,
  surroundings: Pick<ProtectionContext, 'terminal' | 'environment'>,
): Promise<{ context: ProtectionContext; master?: Buffer }> {
  if (header.protection === 'passphrase' || !header.keychain) {
    return { context: { vault: 'passphrase', keychain: false, ...surroundings } }
  }
  try {
    const master = await unlockMaster(header, { keychain: true })
    return { context: { vault: 'keychain', keychain: true, ...surroundings }, master }
  } catch (error) {
    const keychain_problem = toCofferError(error).message
    return { context: { vault: 'keychain', keychain: false, keychain_problem, ...surroundings } }
  }
}

async function askKey(header: Header): Promise<UnlockedCredential> {
  const question = header.passphrase ? 'Passphrase or recovery key: ' : 'Recovery key: '
  for (let remaining = MAX_ATTEMPTS - 1; ; remaining--) {
    const credential = toCredential(await askSecret(question))
    try {
      return await withoutInput(() => unlockKey(header, credential))
    } catch (error) {
      if (remaining === 0 || !isMistyped(error)) throw error
      printHint(`${error.message} Try again.`)
    }
  }
}

/** Whether an entry may have been mistyped. `invalid` means that a passphrase was typed for a vault that has none. */
function isMistyped(error: unknown): error is CofferError {
  return error instanceof CofferError && (error.code === 'unauthenticated' || error.code === 'invalid')
}

async function unlockKey(header: Header, credential: Credential): Promise<UnlockedCredential> {
  return createUnlockedCredential(credential, await unlockMaster(header, credential))
}

function createUnlockedCredential(credential: Credential, master: Buffer): UnlockedCredential {
  return { credential, master, [Symbol.dispose]: () => void master.fill(0) }
}
