import { hashRaw } from '@node-rs/argon2'
import { countCodePoints } from '../../../shared/characters.ts'
import { createInvalidError } from '../../../shared/errors.ts'
import { MIN_PASSPHRASE_LENGTH } from '../../../shared/passphrase.ts'
import type { Argon2id } from '../files/header.ts'
import { isRecoveryKey } from './recovery-key.ts'

/** Four times the memory of RFC 9106's second recommendation. A desktop can spare it for a fraction of a second. */
export const argon2idDefault: Argon2id = { memory_kib: 262_144, iterations: 3, parallelism: 4 }

/** Throws `invalid` for a new passphrase that is too short, or that would be taken for a recovery key when entered. */
export function assertNewPassphrase(passphrase: string): void {
  if (countCodePoints(passphrase) < MIN_PASSPHRASE_LENGTH) {
    throw createInvalidError('passphrase', `must have at least ${MIN_PASSPHRASE_LENGTH} characters`)
  }
  if (isRecoveryKey(passphrase)) {
    throw createInvalidError(
      'passphrase',
      'must not be a recovery key, because Coffer would use it as one and the vault would not open',
    )
  }
}

/** A key whose derivation was started before it is needed. */
let pendingKey: { passphrase: string; salt: Buffer; cost: Argon2id; key: Promise<Buffer> } | undefined

/**
 * Starts to derive a key that `derivePassphraseKey` will need, so that another thread derives it while the program
 * loads. Only one key can be pending. The caller calls `discardPendingKey` once the vault is open or its opening has
 * failed.
 */
export function startPassphraseKey(passphrase: string, salt: Buffer, cost: Argon2id): void {
  discardPendingKey()
  const key = deriveKey(passphrase, salt, cost)
  // `derivePassphraseKey` reports the error to its caller.
  key.catch(() => {})
  pendingKey = { passphrase, salt, cost, key }
}

/** SECURITY: wipes a pending key that was not used, and drops its passphrase. */
export function discardPendingKey(): void {
  pendingKey?.key.then(
    (key) => key.fill(0),
    () => {},
  )
  pendingKey = undefined
}

/** Derives a 32-byte key from a passphrase (Argon2id), or waits for the pending one. The caller zeroes it. */
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
  // SECURITY: the caller will zero this key, so no other caller may get it.
  pendingKey = undefined
  return key
}

async function deriveKey(passphrase: string, salt: Buffer, cost: Argon2id): Promise<Buffer> {
  // Normalized, because another system may enter the same characters in another Unicode form.
  const bytes = Buffer.from(passphrase.normalize('NFKC'))
  try {
    // The algorithm is omitted because the library's enum cannot be imported. Its default is Argon2id.
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
