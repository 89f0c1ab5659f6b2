import { base58 as encoding } from '@scure/base'

/** Encodes bytes as base58 (rule T-09): leading zero bytes become leading `1`s. */
export const encodeBase58 = (bytes: Buffer): string => encoding.encode(bytes)

/** Decodes a base58 text; null if it is not base58 or longer than 64 characters. */
export function decodeBase58(text: string): Buffer | null {
  if (text.length > 64) return null
  try {
    return Buffer.from(encoding.decode(text))
  } catch {
    // SECURITY: the library's message quotes the text.
    return null
  }
}
