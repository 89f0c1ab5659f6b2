import { CofferError } from '../../../shared/errors.ts'
import { MIN_PASSPHRASE_LENGTH } from '../../../shared/passphrase.ts'
import { readHeader } from '../../host/files/header.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { findKeychainProblem } from '../../host/keys/keychain.ts'
import { getSameProtection, type Protection } from '../../host/keys/protection.ts'
import { assertStrongPassphrase } from '../../host/keys/weak-passphrase.ts'
import { askNewPassphrase, hasTerminal } from './prompt.ts'
import { readNewPassphrase } from './secrets.ts'
import type { VaultKeys } from './vault-keys.ts'
import { addFullStop, printHint } from './vault-options.ts'

/** Prompts for a new passphrase of a vault until it is acceptable. */
export async function askPassphrase(what: string, vault: string): Promise<string> {
  const findProblem = (input: string) => checkPassphrase(input, vault)
  // Loads the strength check before the first prompt: if it were loaded between two prompts, the terminal would echo
  // what is typed meanwhile.
  await findProblem('x'.repeat(MIN_PASSPHRASE_LENGTH))
  return askNewPassphrase(`${what}, at least ${MIN_PASSPHRASE_LENGTH} characters: `, findProblem)
}

async function checkPassphrase(passphrase: string, vault: string): Promise<string | undefined> {
  try {
    await assertStrongPassphrase({ passphrase }, vault)
    return undefined
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    return addFullStop(`The ${error.message}`)
  }
}

/**
 * Returns a new passphrase for a vault: `COFFER_NEW_PASSPHRASE`, or typed twice. Throws `invalid` if it is easy to
 * guess, and if there is neither the variable nor a terminal.
 */
export async function newPassphrase(vault: string): Promise<string> {
  const passphrase = readNewPassphrase()
  if (passphrase !== undefined) {
    await assertStrongPassphrase({ passphrase }, vault)
    return passphrase
  }
  if (hasTerminal()) return askPassphrase('New passphrase', vault)
  throw new CofferError('invalid', 'There is no terminal to ask for a passphrase. Set COFFER_NEW_PASSPHRASE.')
}

/**
 * Returns the current protection of a vault. If the recovery key opened a vault that has a passphrase, returns a
 * new passphrase (like `newPassphrase`).
 */
export function getCurrentProtection({ name, files, credential }: VaultKeys): Promise<Protection> {
  return getSameProtection(readHeader(files.header), () =>
    'passphrase' in credential ? credential.passphrase : newPassphrase(name),
  )
}

/**
 * Returns the protection for a vault that is restored with `credential`: a new passphrase if `COFFER_NEW_PASSPHRASE`
 * is set, else the protection of the backup. If a recovery key opened the backup, the keychain protects the vault, or
 * a new passphrase if the keychain does not work.
 */
export async function readProtectionLike(credential: Credential, vault: string): Promise<Protection> {
  if (readNewPassphrase() !== undefined) return { passphrase: await newPassphrase(vault) }
  if (!('recovery_key' in credential)) return credential
  const problem = await findKeychainProblem()
  if (!problem) return { keychain: true }
  printHint(`${problem.message} A new passphrase will protect the vault.`)
  return { passphrase: await newPassphrase(vault) }
}
