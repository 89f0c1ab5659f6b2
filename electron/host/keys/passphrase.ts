import { hashRaw } from '@node-rs/argon2'
import { lengthOf } from '../../../shared/characters.ts'
import { invalid } from '../../../shared/errors.ts'
import { shortestPassphrase } from '../../../shared/passphrase.ts'
import type { Argon2id } from '../files/header.ts'
import { isRecoveryKey } from './recovery-key.ts'

/** Four times the memory of RFC 9106's second recommendation: a desktop can spare it for a fraction of a second. */
export const argon2idDefault: Argon2id = { memory_kib: 262_144, iterations: 3, parallelism: 4 }

/** Throws `invalid` for a new passphrase that is too short, or that would be taken for a recovery key when typed. */
export function checkNewPassphrase(passphrase: string): void {
  if (lengthOf(passphrase) < shortestPassphrase) {
    throw invalid('passphrase', `must have at least ${shortestPassphrase} characters`)
  }
  if (isRecoveryKey(passphrase)) {
    throw invalid(
      'passphrase',
      'must not be a recovery key: it would be taken for one, and would not open the vault',
    )
  }
}

/** A key that is being derived before it is asked for. */
let begun: { passphrase: string; salt: Buffer; cost: Argon2id; key: Promise<Buffer> } | undefined

/**
 * Begins to derive a key that `passphraseKey` will be asked for, so that its thread works while the program loads. Only
 * one can be begun. The caller calls `forgetBegunKey` once the vault is open or refused.
 */
export function beginPassphraseKey(passphrase: string, salt: Buffer, cost: Argon2id): void {
  forgetBegunKey()
  const key = derived(passphrase, salt, cost)
  // Whoever asks for the key is told.
  key.catch(() => {})
  begun = { passphrase, salt, cost, key }
}

/** SECURITY: wipes a key that was begun and not asked for, and lets go of its passphrase. */
export function forgetBegunKey(): void {
  begun?.key.then(
    (key) => key.fill(0),
    () => {},
  )
  begun = undefined
}

/** Derives a 32-byte key from a passphrase (Argon2id), or waits for the one that was begun. The caller zeroes it. */
export function passphraseKey(passphrase: string, salt: Buffer, cost: Argon2id): Promise<Buffer> {
  if (
    begun?.passphrase !== passphrase ||
    !begun.salt.equals(salt) ||
    begun.cost.memory_kib !== cost.memory_kib ||
    begun.cost.iterations !== cost.iterations ||
    begun.cost.parallelism !== cost.parallelism
  )
    return derived(passphrase, salt, cost)
  const { key } = begun
  // SECURITY: the caller will zero it, so nobody else may be given it.
  begun = undefined
  return key
}

async function derived(passphrase: string, salt: Buffer, cost: Argon2id): Promise<Buffer> {
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
