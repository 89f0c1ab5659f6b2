const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Bytes as base58 (rule T-09): leading zero bytes become leading `1`s. */
export function base58(bytes: Buffer): string {
  const digits: number[] = []
  for (const byte of bytes) {
    let carry = byte
    for (let index = 0; index < digits.length; index++) {
      carry += (digits[index] as number) << 8
      digits[index] = carry % 58
      carry = Math.floor(carry / 58)
    }
    while (carry > 0) {
      digits.push(carry % 58)
      carry = Math.floor(carry / 58)
    }
  }
  let text = ''
  for (const byte of bytes) {
    if (byte !== 0) break
    text += '1'
  }
  for (let index = digits.length - 1; index >= 0; index--) text += alphabet[digits[index] as number]
  return text
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
