// SECURITY: no other file creates a RegExp from input, because the platform's engine may backtrack for ever and cannot
// be interrupted. Here, an expression is one character or class, which cannot backtrack, or is never run.

/** Takes work, in steps, and throws if there has been too much. */
export type SpendSteps = (steps: number) => void

/** The work of compiling one RegExp, of a character or a class. */
const COMPILE_STEPS = 500

/** Whether JavaScript accepts a regular expression. */
export function isValidExpression(source: string, flags = ''): boolean {
  try {
    // SECURITY: the constructor only parses. The first use would compile and run the expression (case X-65).
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}

/** Matches every character except these. */
export function createPatternExcept(characters: readonly string[]): RegExp {
  const codes = characters.map((character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return new RegExp(`[^${codes.join('')}]`, 'gsu')
}

/** The code units that one character, escape or class of an expression matches; code points with the flag `u`. */
export class CodeSet {
  readonly #text: string
  readonly #flags: string
  #alone: RegExp | undefined
  readonly #blocks: (Uint8Array | undefined)[] = []

  constructor(text: string, flags: string) {
    this.#text = text
    this.#flags = flags
  }

  /** Whether the set has a code. Spends work the first time that it meets one of a block of 256. */
  hasCode(code: number, spend: SpendSteps): boolean {
    const block = this.#blocks[code >> 8] ?? this.#fillBlock(code >> 8, spend)
    return block[code & 255] === 1
  }

  #fillBlock(index: number, spend: SpendSteps): Uint8Array {
    spend(this.#alone ? 256 : COMPILE_STEPS)
    this.#alone ??= new RegExp(`^(?:${this.#text})$`, this.#flags)
    const block = new Uint8Array(256)
    for (let low = 0; low < 256; low++) {
      block[low] = Number(this.#alone.test(String.fromCodePoint(index * 256 + low)))
    }
    this.#blocks[index] = block
    return block
  }
}
