import { hashRaw } from '@node-rs/argon2'
import { lengthOf } from '../../../shared/characters.ts'
import { invalid } from '../../../shared/errors.ts'
import { shortestPassphrase } from '../../../shared/passphrase.ts'
import type { Argon2id } from '../files/header.ts'
import { isRecoveryKey } from './recovery-key.ts'

/** Four times the memory of RFC 9106's second recommendation: a desktop has it for the part of a second this takes. */
export const argon2idDefault: Argon2id = { memory_kib: 262_144, iterations: 3, parallelism: 4 }

/** Refuses a new passphrase that is too short, or that would be taken for a recovery key when it is typed (`invalid`). */
export function checkNewPassphrase(passphrase: string): void {
  if (lengthOf(passphrase) < shortestPassphrase) {
    throw invalid('passphrase', `must have at least ${shortestPassphrase} characters`)
  }
  if (isRecoveryKey(passphrase)) {
    throw invalid(
      'passphrase',
      'must not be a recovery key: typed again, it would be tried as that and open nothing',
    )
  }
}

/** The 32-byte key of a passphrase (Argon2id). The caller zeroes it. */
export async function passphraseKey(passphrase: string, salt: Buffer, cost: Argon2id): Promise<Buffer> {
  // The same characters typed on another system may arrive in another form.
  const bytes = Buffer.from(passphrase.normalize('NFKC'))
  try {
    // The library's default algorithm is Argon2id; its enum cannot be imported.
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
