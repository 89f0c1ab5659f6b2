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

/** Derives a 32-byte key from a passphrase (Argon2id). The caller zeroes it. */
export async function passphraseKey(passphrase: string, salt: Buffer, cost: Argon2id): Promise<Buffer> {
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
