/** Pseudo-random numbers that repeat for the same seed. SECURITY: for test data only, never for keys. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  nextInt(below: number): number {
    // A counter mixed by xor and multiplication, so that every input bit affects every output bit.
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    let bits = this.#state
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
    bits ^= bits >>> 16
    return Math.floor(((bits >>> 0) / 2 ** 32) * below)
  }

  pickOne<T>(from: readonly T[]): T {
    return from[this.nextInt(from.length)] as T
  }

  nextDigits(count: number): string {
    let text = ''
    for (let at = 0; at < count; at++) text += this.nextInt(10)
    return text
  }

  /** A string in the form of a version 4 UUID. */
  nextUuid(): string {
    let hex = ''
    for (let at = 0; at < 32; at++) hex += this.nextInt(16).toString(16)
    const variant = '89ab'[this.nextInt(4)]
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join('-')
  }
}
