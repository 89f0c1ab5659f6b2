/** The console output of a run, truncated to a number of bytes. */
export class Printed {
  readonly #maxBytes: number
  #parts: string[] = []
  #bytes = 0
  #isTruncated = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(text: string): void {
    if (this.#isTruncated) return
    const bytes = Buffer.byteLength(text)
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#isTruncated = true
      const fitting = Buffer.from(text).subarray(
        0,
        Math.max(0, this.#maxBytes - this.#bytes - TRUNCATION_MARK.length),
      )
      // Drop a character that was split in two.
      this.#parts.push(fitting.toString().replace(/\uFFFD$/, ''), TRUNCATION_MARK)
      return
    }
    this.#bytes += bytes
    this.#parts.push(text)
  }

  getText(): string {
    const text = this.#parts.join('')
    return this.#isTruncated && Buffer.byteLength(text) > this.#maxBytes
      ? truncateTo(text, this.#maxBytes)
      : text
  }
}

const TRUNCATION_MARK = '\n(cut off)\n'

function truncateTo(text: string, maxBytes: number): string {
  return `${Buffer.from(text)
    .subarray(0, maxBytes - TRUNCATION_MARK.length)
    .toString()
    .replace(/\uFFFD$/, '')}${TRUNCATION_MARK}`
}
