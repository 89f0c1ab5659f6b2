import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto'

const NONCE = 12
const TAG = 16

const pool = Buffer.alloc(NONCE * 512)
let used = pool.length

/** A fresh random nonce, from a pooled buffer: one call to the system's generator serves 512. */
function nextNonce(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const nonce = Buffer.from(pool.subarray(used, used + NONCE))
  used += NONCE
  return nonce
}

/** Seals bytes with AES-256-GCM: nonce, ciphertext, tag. `aad` names where the value lives, so it opens nowhere else. */
export function seal(key: KeyObject, plaintext: Buffer, aad: string): Buffer {
  // SECURITY: a nonce is never used twice with one key.
  const nonce = nextNonce()
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(aad))
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Opens what `seal` made with the same key and aad; throws when a bit of it was changed. */
export function unseal(key: KeyObject, sealed: Buffer, aad: string): Buffer {
  const nonce = sealed.subarray(0, NONCE)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG })
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE, sealed.length - TAG)), decipher.final()])
}
