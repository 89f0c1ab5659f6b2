import { CofferError } from '../../../shared/errors.ts'
import { type Header, withNextMaster } from '../files/header.ts'
import { tryPassphrase } from './attempts.ts'
import { describeKeychainFailure, readKeychain } from './keychain.ts'
import { isMaster, unwrapMaster } from './master.ts'
import { derivePassphraseKey } from './passphrase.ts'
import { isRecoveryKey, parseRecoveryKey } from './recovery-key.ts'
import { openRecoverySlot } from './recovery-slot.ts'

/** A way to open a vault. */
export type Credential =
  | { readonly keychain: true }
  | { readonly passphrase: string }
  | { readonly recovery_key: string }

/**
 * A credential, or the master secret that one has already opened. SECURITY: the secret never comes from outside this
 * process: no command of the window accepts it.
 */
export type CredentialOrMaster = Credential | { readonly master: Buffer }

const WITH_RECOVERY_KEY = 'Open the vault with its recovery key.'
/** Matches a recovery key with one character missing, added or wrong. */
const LIKE_RECOVERY_KEY = /^[\da-z]{39,41}$/i
const MISTYPED =
  'If you meant the recovery key, it has a mistyped character: compare it with what you wrote down.'

/** Interprets entered text that may be a passphrase or a recovery key. */
export function toCredential(entered: string): Credential {
  return isRecoveryKey(entered) ? { recovery_key: entered } : { passphrase: entered }
}

/**
 * Returns the master secret of a vault. The caller zeroes it. During a change of the master secret, it may be either
 * of the two. Throws `unauthenticated` (a wrong passphrase, another vault's recovery key), `rate_limited`,
 * `locked` (the keychain fails or returns another key; nothing is ever recreated, X-32, X-33), `invalid` (a mistyped
 * recovery key, a credential that the vault does not have), `conflict` (an outdated master secret).
 */
export async function unlockMaster(header: Header, credential: CredentialOrMaster): Promise<Buffer> {
  const { next } = header
  if (!next) return unlockFromSlots(header, credential)
  try {
    return await unlockFromSlots(header, credential)
  } catch (error) {
    try {
      return await unlockFromSlots(withNextMaster(header, next), credential)
    } catch {
      // The first error is about the current secret, which is the one that the owner knows.
      throw error
    }
  }
}

async function unlockFromSlots(header: Header, credential: CredentialOrMaster): Promise<Buffer> {
  if ('master' in credential) return copyMaster(header, credential.master)
  if ('keychain' in credential) return readFromKeychain(header)
  if ('recovery_key' in credential) return unlockWithRecoveryKey(header, credential.recovery_key)
  return unlockWithPassphrase(header, credential.passphrase)
}

/**
 * Returns a copy of the secret after checking that it still matches, because another process may have changed the
 * header.
 */
function copyMaster(header: Header, master: Buffer): Buffer {
  if (isMaster(master, header.vault_id, header.check)) return Buffer.from(master)
  throw new CofferError('conflict', 'The master secret of this vault was changed just now. Try again.')
}

async function readFromKeychain(header: Header): Promise<Buffer> {
  if (header.protection !== 'keychain' || !header.keychain) {
    throw new CofferError(
      'invalid',
      'This vault is not protected by the keychain. Open it with its passphrase.',
    )
  }
  const read = await readKeychain(header.keychain)
  if (read.state !== 'found') {
    throw new CofferError('locked', `${describeKeychainFailure(read.state)} ${WITH_RECOVERY_KEY}`)
  }
  if (isMaster(read.secret, header.vault_id, header.check)) return read.secret
  read.secret.fill(0)
  throw new CofferError(
    'locked',
    `The system keychain holds a key that does not belong to this vault. It was not changed. ${WITH_RECOVERY_KEY}`,
  )
}

async function unlockWithPassphrase(header: Header, passphrase: string): Promise<Buffer> {
  const slot = header.passphrase
  const hint = LIKE_RECOVERY_KEY.test(passphrase.replace(/[\s-]/g, '')) ? ` ${MISTYPED}` : ''
  if (!slot) throw new CofferError('invalid', `This vault has no passphrase.${hint} ${WITH_RECOVERY_KEY}`)
  const master = await tryPassphrase(header.vault_id, async () => {
    const key = await derivePassphraseKey(passphrase, Buffer.from(slot.salt, 'base64'), slot.argon2id)
    try {
      return unwrapMaster(slot.wrapped, key, header.vault_id, 'passphrase')
    } finally {
      key.fill(0)
    }
  })
  if (master) return requireMatchingMaster(header, master)
  throw new CofferError('unauthenticated', `The passphrase is wrong.${hint} Nothing was changed.`)
}

function unlockWithRecoveryKey(header: Header, entered: string): Buffer {
  const master = openRecoverySlot(header.recovery, parseRecoveryKey(entered), header.vault_id)
  if (master) return requireMatchingMaster(header, master)
  throw new CofferError('unauthenticated', 'This recovery key belongs to another vault. Nothing was changed.')
}

function requireMatchingMaster(header: Header, master: Buffer): Buffer {
  if (isMaster(master, header.vault_id, header.check)) return master
  master.fill(0)
  throw new CofferError(
    'damaged',
    'vault.json is damaged: its master secret does not match its check value. It was not changed. Put back a copy of it, or restore a backup.',
  )
}
