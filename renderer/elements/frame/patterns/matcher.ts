import type { Assertion } from './parse.ts'
import type { PatternInstruction } from './program.ts'

// SECURITY: the page's expressions run here against what a person types, on every key press. The browser's
// own engine may backtrack for ever. This engine never tries the same step twice at one position, and stops
// after a bounded number of steps.

const MAX_TEXT_LENGTH = 5000
const MAX_TRIES = 500_000

class TooManyTriesError extends Error {}

/** Runs matchers; undefined if one reaches the step limit. */
export function runWithinLimit<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof TooManyTriesError) return undefined
    throw error
  }
}

/** The start and the end of a match and of each group in it. */
export type Marks = readonly (number | undefined)[]

type Program = readonly PatternInstruction[]

/** One way through a program that is being tried. */
type Attempt = { step: number; at: number; marks: Marks }

/** Finds the matches of a program in one text. */
export class Matcher {
  readonly #program: Program
  readonly #characters: readonly string[]
  readonly #isMultiline: boolean
  #tries: number

  constructor(program: Program, text: string, { unicode, multiline }: RegExp) {
    this.#program = program
    this.#characters = unicode ? [...text] : text.split('')
    this.#isMultiline = multiline
    this.#tries = this.length > MAX_TEXT_LENGTH ? Infinity : 0
  }

  get length(): number {
    return this.#characters.length
  }

  readText(from: number, to: number): string {
    return this.#characters.slice(from, to).join('')
  }

  findMatch(from: number): Marks | undefined {
    const visited = this.#createVisitedMap(this.#program)
    for (let start = from; start <= this.length; start++) {
      const match = this.#matchAt(this.#program, start, [], visited)
      if (match) return match
    }
    return undefined
  }

  /** The groups of the first match that starts at `start`. `visited` marks the steps tried at each position. */
  #matchAt(program: Program, start: number, marks: Marks, visited: Uint8Array): Marks | undefined {
    const open: Attempt[] = [{ step: 0, at: start, marks }]
    for (let attempt = open.pop(); attempt; attempt = open.pop()) {
      if (this.#runAttempt(program, attempt, open, visited)) {
        return setMark(setMark(attempt.marks, 0, start), 1, attempt.at)
      }
    }
    return undefined
  }

  /** Whether the attempt reaches the end of the program. Adds the alternatives that it leaves to `open`. */
  #runAttempt(program: Program, attempt: Attempt, open: Attempt[], visited: Uint8Array): boolean {
    for (;;) {
      const index = attempt.at * program.length + attempt.step
      if (visited[index]) return false
      visited[index] = 1
      this.#addCost(1)
      const instruction = program[attempt.step]
      if (!instruction || instruction.do === 'end') return true
      if (instruction.do === 'split') open.push({ ...attempt, step: instruction.second })
      if (!this.#runInstruction(instruction, attempt)) return false
    }
  }

  /** Moves an attempt by one instruction. Returns false if it fails. */
  #runInstruction(instruction: Exclude<PatternInstruction, { do: 'end' }>, attempt: Attempt): boolean {
    switch (instruction.do) {
      case 'jump':
        attempt.step = instruction.to
        return true
      case 'split':
        attempt.step = instruction.first
        return true
      case 'one': {
        const character = this.#characters[attempt.at]
        if (character === undefined || !instruction.test(character)) return false
        attempt.at++
        break
      }
      case 'assertion':
        if (!this.#checkAssertion(instruction.what, attempt.at)) return false
        break
      case 'mark':
        attempt.marks = setMark(attempt.marks, instruction.slot, attempt.at)
        break
      case 'forget':
        attempt.marks = [...attempt.marks].fill(undefined, instruction.first, instruction.last + 1)
        break
      case 'ahead': {
        const { program, negative } = instruction
        const match = this.#matchAt(program, attempt.at, attempt.marks, this.#createVisitedMap(program))
        if ((match === undefined) !== negative) return false
        attempt.marks = match ?? attempt.marks
      }
    }
    attempt.step++
    return true
  }

  #checkAssertion(what: Assertion, at: number): boolean {
    if (what === '^') return at === 0 || (this.#isMultiline && this.#isLineEnd(at - 1))
    if (what === '$') return at === this.length || (this.#isMultiline && this.#isLineEnd(at))
    return (this.#isWord(at - 1) !== this.#isWord(at)) === (what === 'b')
  }

  #isWord(at: number): boolean {
    return /^\w$/.test(this.#characters[at] ?? '')
  }

  #isLineEnd(at: number): boolean {
    return /^[\n\r\u2028\u2029]$/.test(this.#characters[at] ?? '')
  }

  #addCost(cost: number): void {
    this.#tries += cost
    if (this.#tries > MAX_TRIES) throw new TooManyTriesError()
  }

  #createVisitedMap(program: Program): Uint8Array {
    const places = program.length * (this.length + 1)
    this.#addCost(places >> 6)
    return new Uint8Array(places)
  }
}

function setMark(marks: Marks, slot: number, at: number): Marks {
  const changed = [...marks]
  changed[slot] = at
  return changed
}
