import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import type { Header } from '../../host/files/header.ts'
import { type Credential, credentialOf, masterOf } from '../../host/keys/credential.ts'
import { note } from './common.ts'
import { decideProtection, type Situation } from './decide-protection.ts'
import { askSecret, hasTerminal, withoutInput } from './prompt.ts'
import { passphraseGiven } from './secrets.ts'

/** A credential and the master secret it unlocks. SECURITY: disposing wipes the secret. */
export type Key = Disposable & { readonly credential: Credential; readonly master: Buffer }

/** How many attempts at a passphrase one command gives. Beyond these, `attempts.ts` adds a growing delay. */
const TRIES = 3

/** Whether there is a terminal to prompt on, and whether `COFFER_PASSPHRASE` is set. */
export function circumstances(): Pick<Situation, 'terminal' | 'environment'> {
  return { terminal: hasTerminal(), environment: passphraseGiven() !== undefined }
}

/**
 * Finds what opens the vault or backup with this header: the keychain, `COFFER_PASSPHRASE` or typed input. A mistyped
 * entry may be retried, three attempts in all. Throws `locked` where nothing can open it, and whatever `masterOf`
 * throws. The master secret found here goes to `openVault` and the others, so that the key is derived only once.
 */
export async function findKey(header: Header): Promise<Key> {
  const { situation, master } = await situationOf(header, circumstances())
  if (master) return keyOf({ keychain: true }, master)
  const decision = decideProtection(situation)
  switch (decision.use) {
    case 'environment':
      return triedKey(header, credentialOf(passphraseGiven() ?? ''))
    case 'ask':
      note(situation.keychain_problem ?? `The vault ${header.name} is protected by a passphrase.`)
      return typedKey(header)
    case 'nothing':
      throw new CofferError('locked', decision.reason)
    case 'keychain':
    case 'ephemeral':
      throw new CofferError('internal', 'A vault that exists is never replaced by one in memory.')
  }
}

/** The input of `decideProtection` for a header, and the master secret if the keychain gave it. */
export async function situationOf(
  header: Header,
  around: Pick<Situation, 'terminal' | 'environment'>,
): Promise<{ situation: Situation; master?: Buffer }> {
  if (header.protection === 'passphrase' || !header.keychain) {
    return { situation: { vault: 'passphrase', keychain: false, ...around } }
  }
  try {
    const master = await masterOf(header, { keychain: true })
    return { situation: { vault: 'keychain', keychain: true, ...around }, master }
  } catch (error) {
    const keychain_problem = toCofferError(error).message
    return { situation: { vault: 'keychain', keychain: false, keychain_problem, ...around } }
  }
}

async function typedKey(header: Header): Promise<Key> {
  const question = header.passphrase ? 'Passphrase or recovery key: ' : 'Recovery key: '
  for (let left = TRIES - 1; ; left--) {
    const credential = credentialOf(await askSecret(question))
    try {
      return await withoutInput(() => triedKey(header, credential))
    } catch (error) {
      if (left === 0 || !isMistyped(error)) throw error
      note(`${error.message} Try again.`)
    }
  }
}

/** `invalid` is a passphrase typed for a vault that has none. */
function isMistyped(error: unknown): error is CofferError {
  return error instanceof CofferError && (error.code === 'unauthenticated' || error.code === 'invalid')
}

async function triedKey(header: Header, credential: Credential): Promise<Key> {
  return keyOf(credential, await masterOf(header, credential))
}

function keyOf(credential: Credential, master: Buffer): Key {
  return { credential, master, [Symbol.dispose]: () => void master.fill(0) }
}
