import { CofferError } from '../../../shared/errors.ts'
import { shortestPassphrase } from '../../../shared/passphrase.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { keychainProblem } from '../../host/keys/keychain.ts'
import { checkNewPassphrase } from '../../host/keys/passphrase.ts'
import type { Protection } from '../../host/keys/protection.ts'
import { note } from './common.ts'
import { askNewPassphrase, hasTerminal } from './prompt.ts'

/** Prompts for a new passphrase until it is acceptable. */
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

/** A new passphrase: `COFFER_NEW_PASSPHRASE`, or prompted for twice. Throws `invalid` where neither is possible. */
export async function newPassphrase(): Promise<string> {
  const given = process.env.COFFER_NEW_PASSPHRASE
  if (given) return given
  if (hasTerminal()) return askPassphrase('New passphrase')
  throw new CofferError('invalid', 'There is no terminal to ask for a passphrase. Set COFFER_NEW_PASSPHRASE.')
}

/**
 * The new protection of a vault just opened with `credential`: the same. After a recovery key: the keychain, or a new
 * passphrase if there is none.
 */
export async function protectionLike(credential: Credential): Promise<Protection> {
  if (process.env.COFFER_NEW_PASSPHRASE) return { passphrase: process.env.COFFER_NEW_PASSPHRASE }
  if (!('recovery_key' in credential)) return credential
  const problem = await keychainProblem()
  if (!problem) return { keychain: true }
  note(`${problem.message} A new passphrase will protect the vault.`)
  return { passphrase: await newPassphrase() }
}
