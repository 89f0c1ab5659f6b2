import { CofferError } from '../../../shared/errors.ts'
import { shortestPassphrase } from '../../../shared/passphrase.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { keychainProblem } from '../../host/keys/keychain.ts'
import { checkNewPassphrase } from '../../host/keys/passphrase.ts'
import type { Protection } from '../../host/keys/protection.ts'
import { note } from './common.ts'
import { askNewPassphrase, hasTerminal } from './prompt.ts'

/** Asks for a new passphrase on the terminal until it holds. */
export function askPassphrase(what: string): Promise<string> {
  return askNewPassphrase(`${what}, at least ${shortestPassphrase} characters: `, problemOf)
}

function problemOf(passphrase: string): string | undefined {
  try {
    checkNewPassphrase(passphrase)
    return undefined
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    return `The ${error.message}.`
  }
}

/** A new passphrase: `COFFER_NEW_PASSPHRASE`, or asked for twice. Throws `invalid` where neither is possible. */
export async function newPassphrase(): Promise<string> {
  const given = process.env.COFFER_NEW_PASSPHRASE
  if (given) return given
  if (hasTerminal()) return askPassphrase('New passphrase')
  throw new CofferError('invalid', 'There is no terminal to ask for a passphrase. Set COFFER_NEW_PASSPHRASE.')
}

/**
 * How a vault that was just opened with `credential` is protected from now on: as it was opened; after a recovery key
 * by the keychain, or where there is none by a new passphrase.
 */
export async function protectionLike(credential: Credential): Promise<Protection> {
  if (process.env.COFFER_NEW_PASSPHRASE) return { passphrase: process.env.COFFER_NEW_PASSPHRASE }
  if (!('recovery_key' in credential)) return credential
  const problem = await keychainProblem()
  if (!problem) return { keychain: true }
  note(`${problem.message} A new passphrase will protect the vault.`)
  return { passphrase: await newPassphrase() }
}
