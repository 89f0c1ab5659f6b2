import { hash } from 'node:crypto'

/** What a derived key is for (RFC 7292, appendix B.3). */
const purposes = { key: 1, iv: 2, mac: 3 } as const

/** The inner block length of each hash, in bytes. */
const blockLengths: Readonly<Record<string, number>> = { sha1: 64, sha256: 64, sha384: 128, sha512: 128 }

/** Salt and number of iterations, as a PKCS#12 file names them. */
export type Derivation = { readonly salt: Buffer; readonly iterations: number }

/** Counts the work of deriving keys, of which a caller chooses the amount. One unit takes about 2 µs. */
export class DerivationBudget {
  #left: number

  constructor(units: number) {
    this.#left = units
  }

  /** Throws `TooManyIterations` if the work exceeds what is left. SECURITY: a negative count would add to it. */
  consumeUnits(units: number): void {
    if (!(units > 0 && units <= this.#left)) throw new TooManyIterations()
    this.#left -= units
  }
}

export class TooManyIterations extends Error {}

/** Derives bytes from a password as PKCS#12 does. Throws for a hash that is not supported. */
export function derivePkcs12Bytes(
  password: string,
  { salt, iterations }: Derivation,
  { purpose, length, digest }: { purpose: keyof typeof purposes; length: number; digest: string },
  budget: DerivationBudget,
): Buffer {
  const block = blockLengths[digest]
  if (block === undefined) throw new Error('the hash is not supported')
  // A password is UTF-16 with a zero at its end.
  const characters = Buffer.from(`${password}\0`, 'utf16le').swap16()
  const input = Buffer.concat([fillBlocks(salt, block), fillBlocks(characters, block)])
  const purposeBlock = Buffer.alloc(block, purposes[purpose])
  const derived: Buffer[] = []
  for (let size = 0; size < length; ) {
    budget.consumeUnits(iterations)
    let part = hash(digest, Buffer.concat([purposeBlock, input]), 'buffer')
    for (let i = 1; i < iterations; i++) part = hash(digest, part, 'buffer')
    derived.push(part)
    size += part.length
    if (size < length) addToBlocks(input, fillBlocks(part, block).subarray(0, block), block)
  }
  return Buffer.concat(derived).subarray(0, length)
}

/** Repeats bytes until they fill whole blocks. */
function fillBlocks(bytes: Buffer, block: number): Buffer {
  return Buffer.alloc(block * Math.ceil(bytes.length / block), bytes)
}

/** Adds a number and one to each block, all as big-endian integers that wrap around. */
function addToBlocks(blocks: Buffer, number: Buffer, block: number): void {
  for (let start = 0; start < blocks.length; start += block) {
    let carry = 1
    for (let i = block - 1; i >= 0; i--) {
      carry += (blocks[start + i] ?? 0) + (number[i] ?? 0)
      blocks[start + i] = carry & 0xff
      carry >>= 8
    }
  }
}
