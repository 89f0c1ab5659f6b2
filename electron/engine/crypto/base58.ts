const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

// Five digits at a time: the largest power whose product with 2^16 stays an exact number.
const FIVE_DIGITS = 58 ** 5

/** Bytes as base58 (rule T-09): leading zero bytes become leading `1`s. */
export function base58(bytes: Buffer): string {
  const words: number[] = []
  for (let at = bytes.length; at > 0; at -= 2) {
    words.unshift((at > 1 ? (bytes[at - 2] as number) << 8 : 0) | (bytes[at - 1] as number))
  }
  let digits = ''
  let first = 0
  while (first < words.length) {
    let rest = 0
    for (let at = first; at < words.length; at++) {
      const value = rest * 65_536 + (words[at] as number)
      words[at] = Math.floor(value / FIVE_DIGITS)
      rest = value % FIVE_DIGITS
    }
    while (first < words.length && words[first] === 0) first++
    for (let count = 0; count < 5 && (rest > 0 || first < words.length); count++) {
      digits = alphabet[rest % 58] + digits
      rest = Math.floor(rest / 58)
    }
  }
  for (const byte of bytes) {
    if (byte !== 0) break
    digits = `1${digits}`
  }
  return digits
}

/** The bytes a base58 text stands for, or null when it is not base58 or longer than 64 characters. */
export function fromBase58(text: string): Buffer | null {
  if (text.length > 64) return null
  const bytes: number[] = []
  for (const character of text) {
    let carry = alphabet.indexOf(character)
    if (carry < 0) return null
    for (let index = 0; index < bytes.length; index++) {
      carry += (bytes[index] as number) * 58
      bytes[index] = carry & 255
      carry >>= 8
    }
    while (carry > 0) {
      bytes.push(carry & 255)
      carry >>= 8
    }
  }
  for (const character of text) {
    if (character !== '1') break
    bytes.push(0)
  }
  return Buffer.from(bytes.reverse())
}
