import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns `length` random base62 characters, all equally likely. */
export function generateBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // SECURITY: bytes of 248 and above would make some characters more likely than others, so they are skipped.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}
