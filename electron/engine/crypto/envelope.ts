import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto'

const NONCE = 12
const TAG = 16

const pool = Buffer.alloc(NONCE * 512)
let used = pool.length

/** Returns a fresh random nonce, to be copied before the next call. One system call yields 512 nonces. */
function nextNonce(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += NONCE
  return pool.subarray(used - NONCE, used)
}

const NOTHING = Buffer.alloc(0)

/**
 * Seals bytes, or a string as UTF-8, with AES-256-GCM. Returns `header` (unsealed), nonce, ciphertext and tag.
 * `aad` names the row and column of the value, so that it opens only there.
 */
export function seal(key: KeyObject, plaintext: string | Buffer, aad: string, header = NOTHING): Buffer {
  // SECURITY: a nonce is never used twice with one key.
  const nonce = nextNonce()
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(aad))
  const body = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
  // Returns no more bytes, but computes the tag.
  cipher.final()
  return Buffer.concat([header, nonce, body, cipher.getAuthTag()])
}

/** Opens a value that `seal` returned for the same key and `aad`. Throws if a single bit was changed. */
export function unseal(key: KeyObject, sealed: Buffer, aad: string): Buffer {
  const nonce = sealed.subarray(0, NONCE)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG })
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG))
  const plaintext = decipher.update(sealed.subarray(NONCE, sealed.length - TAG))
  // SECURITY: throws if the tag does not match, before any plaintext is returned.
  decipher.final()
  return plaintext
}
