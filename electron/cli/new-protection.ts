import { CofferError } from '../../shared/errors.ts'
import type { Credential } from '../host/credential.ts'
import { keychainProblem } from '../host/keychain.ts'
import type { Protection } from '../host/protection.ts'
import { askNewPassphrase, hasTerminal } from './prompt.ts'

/** A new passphrase: `COFFER_NEW_PASSPHRASE`, or asked for twice. Throws `invalid` where neither is possible. */
export async function newPassphrase(question = 'New passphrase: '): Promise<string> {
  const given = process.env.COFFER_NEW_PASSPHRASE
  if (given) return given
  if (hasTerminal()) return askNewPassphrase(question)
  throw new CofferError('invalid', 'There is no terminal to ask for a passphrase. Set COFFER_NEW_PASSPHRASE.')
}

/**
 * How a vault that was just opened with `credential` is protected anew: as it was opened; after a recovery key by the
 * keychain, or where there is none by a new passphrase.
 */
export async function protectionLike(credential: Credential): Promise<Protection> {
  if (process.env.COFFER_NEW_PASSPHRASE) return { passphrase: process.env.COFFER_NEW_PASSPHRASE }
  if ('recovery_key' in credential) {
    return (await keychainProblem()) ? { passphrase: await newPassphrase() } : { keychain: true }
  }
  return credential
}
