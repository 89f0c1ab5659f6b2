/** What a run prints, up to a number of bytes. */
export class Printed {
  readonly #most: number
  #parts: string[] = []
  #bytes = 0
  #isCut = false

  constructor(most: number) {
    this.#most = most
  }

  add(text: string): void {
    if (this.#isCut) return
    const bytes = Buffer.byteLength(text)
    if (this.#bytes + bytes > this.#most) {
      this.#isCut = true
      const whole = Buffer.from(text).subarray(0, Math.max(0, this.#most - this.#bytes - CUT.length))
      // A character that was cut in two is left out.
      this.#parts.push(whole.toString().replace(/\uFFFD$/, ''), CUT)
      return
    }
    this.#bytes += bytes
    this.#parts.push(text)
  }

  text(): string {
    const text = this.#parts.join('')
    return this.#isCut && Buffer.byteLength(text) > this.#most ? cutTo(text, this.#most) : text
  }
}

const CUT = '\n(cut off)\n'

function cutTo(text: string, most: number): string {
  return `${Buffer.from(text)
    .subarray(0, most - CUT.length)
    .toString()
    .replace(/\uFFFD$/, '')}${CUT}`
}
