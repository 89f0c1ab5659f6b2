import { base58 as encoding } from '@scure/base'

/** Encodes bytes as base58 (rule T-09): leading zero bytes become leading `1`s. */
export const encodeBase58 = (bytes: Buffer): string => encoding.encode(bytes)

/** Decodes base58 (rule T-09). Returns null if the string is not base58, or is longer than 64 characters. */
export function decodeBase58(text: string): Buffer | null {
  if (text.length > 64) return null
  try {
    return Buffer.from(encoding.decode(text))
  } catch {
    // SECURITY: the library's message quotes the input.
    return null
  }
}
