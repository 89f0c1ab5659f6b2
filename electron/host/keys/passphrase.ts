import { hashRaw } from '@node-rs/argon2'
import { countCodePoints } from '../../../shared/characters.ts'
import { createInvalidError } from '../../../shared/errors.ts'
import { MIN_PASSPHRASE_LENGTH } from '../../../shared/passphrase.ts'
import type { Argon2id } from '../files/header.ts'
import { isRecoveryKey } from './recovery-key.ts'

/** Four times the memory of RFC 9106's second recommendation: a desktop can spare it for a fraction of a second. */
export const argon2idDefault: Argon2id = { memory_kib: 262_144, iterations: 3, parallelism: 4 }

/** Throws `invalid` for a new passphrase that is too short, or that would be taken for a recovery key when typed. */
export function assertNewPassphrase(passphrase: string): void {
  if (countCodePoints(passphrase) < MIN_PASSPHRASE_LENGTH) {
    throw createInvalidError('passphrase', `must have at least ${MIN_PASSPHRASE_LENGTH} characters`)
  }
  if (isRecoveryKey(passphrase)) {
    throw createInvalidError(
      'passphrase',
      'must not be a recovery key: it would be taken for one, and would not open the vault',
    )
  }
}

/** A key that is being derived before it is asked for. */
let pendingKey: { passphrase: string; salt: Buffer; cost: Argon2id; key: Promise<Buffer> } | undefined

/**
 * Begins to derive a key that `passphraseKey` will be asked for, so that its thread works while the program loads. Only
 * one can be begun. The caller calls `forgetBegunKey` once the vault is open or refused.
 */
export function startPassphraseKey(passphrase: string, salt: Buffer, cost: Argon2id): void {
  discardPendingKey()
  const key = deriveKey(passphrase, salt, cost)
  // Whoever asks for the key is told.
  key.catch(() => {})
  pendingKey = { passphrase, salt, cost, key }
}

/** SECURITY: wipes a key that was begun and not asked for, and lets go of its passphrase. */
export function discardPendingKey(): void {
  pendingKey?.key.then(
    (key) => key.fill(0),
    () => {},
  )
  pendingKey = undefined
}

/** Derives a 32-byte key from a passphrase (Argon2id), or waits for the one that was begun. The caller zeroes it. */
export function derivePassphraseKey(passphrase: string, salt: Buffer, cost: Argon2id): Promise<Buffer> {
  if (
    pendingKey?.passphrase !== passphrase ||
    !pendingKey.salt.equals(salt) ||
    pendingKey.cost.memory_kib !== cost.memory_kib ||
    pendingKey.cost.iterations !== cost.iterations ||
    pendingKey.cost.parallelism !== cost.parallelism
  )
    return deriveKey(passphrase, salt, cost)
  const { key } = pendingKey
  // SECURITY: the caller will zero it, so nobody else may be given it.
  pendingKey = undefined
  return key
}

async function deriveKey(passphrase: string, salt: Buffer, cost: Argon2id): Promise<Buffer> {
  // The same characters typed on another system may arrive in another Unicode form.
  const bytes = Buffer.from(passphrase.normalize('NFKC'))
  try {
    // The algorithm is omitted because the library's enum cannot be imported; its default is Argon2id.
    return await hashRaw(bytes, {
      salt,
      memoryCost: cost.memory_kib,
      timeCost: cost.iterations,
      parallelism: cost.parallelism,
      outputLen: 32,
    })
  } finally {
    bytes.fill(0)
  }
}
