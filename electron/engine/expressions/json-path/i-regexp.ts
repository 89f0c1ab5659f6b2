import { consumeWork, type EvaluationBudget } from '../bounds.ts'

type CharacterTest = (character: string) => boolean

/** A place in a pattern: takes a character, asks where in the text it is, or neither; then goes on at all of `next`. */
type PatternState = {
  readonly takes?: CharacterTest
  readonly at?: 'start' | 'end'
  next: readonly PatternState[]
  /** The work of trying it at one character. */
  readonly work: number
  /** The step that reached it last, so that it is not followed twice in one. */
  step: number
}

/** A part of a pattern: makes its places in front of what comes after it, and returns the first. */
type PatternFragment = (next: PatternState) => PatternState

class MalformedPatternError extends Error {}

/** The work of making a place, and of trying it at one character; as much for each range of a class and each alternative. */
const STATE_WORK = 4

/** A pattern of RFC 9485 that is ready to run. */
export class IRegexp {
  readonly #first: PatternState
  readonly #last: PatternState = { next: [], work: STATE_WORK, step: 0 }
  #step = 0

  constructor(part: PatternFragment) {
    this.#first = part(this.#last)
  }

  /**
   * Whether a text matches, as a whole or somewhere. Tries each place of the pattern at most once for each character, and
   * spends that work; throws `invalid` where it is too much.
   * SECURITY: a RegExp of the caller's would hold up everybody for as long as it likes (case X-21).
   */
  matchesText(text: string, isFullMatch: boolean, budget: EvaluationBudget): boolean {
    let states: readonly PatternState[] = [this.#first]
    for (let at = 0; ; ) {
      const reached = this.#findReachable(states, at, text, budget)
      if (reached.includes(this.#last) && (!isFullMatch || at === text.length)) return true
      if (at === text.length || reached.length === 0) return false
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      states = reached.filter(({ takes }) => takes?.(character)).flatMap(({ next }) => next)
      if (!isFullMatch) states = [...states, this.#first]
      at += character.length
    }
  }

  /** The places that take a character, and the last one, that can be reached without taking any. */
  #findReachable(
    states: readonly PatternState[],
    at: number,
    text: string,
    budget: EvaluationBudget,
  ): PatternState[] {
    this.#step++
    const reached: PatternState[] = []
    const open = [...states]
    for (let state = open.pop(); state; state = open.pop()) {
      if (state.step === this.#step) continue
      state.step = this.#step
      consumeWork(budget, state.work)
      if (state.takes || state === this.#last) reached.push(state)
      else if (state.at === undefined || at === (state.at === 'start' ? 0 : text.length))
        open.push(...state.next)
    }
    return reached
  }
}

/**
 * Compiles an I-Regexp (RFC 9485), in which `^` and `$` stand for the ends of the text. Returns null for what is none.
 * Spends the work of writing out its repetitions; throws `invalid` where that is too much.
 */
export function compileIRegexp(source: string, budget: EvaluationBudget): IRegexp | null {
  consumeWork(budget, source.length * STATE_WORK)
  try {
    return new IRegexp(new IRegexpParser(source, budget).parsePattern())
  } catch (error) {
    if (error instanceof MalformedPatternError) return null
    throw error
  }
}

const escaped = /\\[()*+\-.?[\\\]^nrt{|}]/y
const normal = /[^()*+.?[\\\]{|}]/uy
const inClass = /\\[()*+\-.?[\\\]^nrt{|}]|[^[\\\]-]/uy
const category = /\\([pP])\{(L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}/y
const quantifier = /[*+?]|\{(\d+)(,(\d*))?\}/y
const whitespace: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\r', '\r'],
  ['\\t', '\t'],
])

class IRegexpParser {
  readonly #source: string
  readonly #budget: EvaluationBudget
  #at = 0

  constructor(source: string, budget: EvaluationBudget) {
    this.#source = source
    this.#budget = budget
  }

  parsePattern(): PatternFragment {
    const part = this.#parseAlternatives()
    if (this.#at < this.#source.length) throw new MalformedPatternError()
    return part
  }

  #consumeMatch(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#source)
    this.#at += match?.[0].length ?? 0
    return match
  }

  #consumeSign(sign: string): boolean {
    const taken = this.#source.startsWith(sign, this.#at)
    if (taken) this.#at += sign.length
    return taken
  }

  #createState(state: Omit<PatternState, 'work' | 'step'>, work = STATE_WORK): PatternState {
    consumeWork(this.#budget, work)
    return { ...state, work, step: 0 }
  }

  #parseAlternatives(): PatternFragment {
    const parts = [this.#parseSequence()]
    while (this.#consumeSign('|')) parts.push(this.#parseSequence())
    return (next) => this.#createState({ next: parts.map((part) => part(next)) }, STATE_WORK * parts.length)
  }

  #parseSequence(): PatternFragment {
    const parts: PatternFragment[] = []
    for (let part = this.#parseAtom(); part; part = this.#parseAtom()) parts.push(this.#applyQuantifier(part))
    return (next) => parts.reduceRight((after, part) => part(after), next)
  }

  #applyQuantifier(part: PatternFragment): PatternFragment {
    const [sign, low, comma, high] = this.#consumeMatch(quantifier) ?? []
    if (sign === undefined) return part
    const min = low === undefined ? (sign === '+' ? 1 : 0) : Number(low)
    const max = low === undefined ? (sign === '?' ? 1 : Infinity) : comma ? Number(high || Infinity) : min
    if (max < min) throw new MalformedPatternError()
    return (next) => {
      let first = next
      if (max === Infinity) {
        first = this.#createState({ next: [] })
        first.next = [part(first), next]
      } else {
        for (let more = min; more < max; more++) first = this.#createState({ next: [part(first), next] })
      }
      for (let more = 0; more < min; more++) first = this.#createState({ next: [part(first)] })
      return first
    }
  }

  #parseAtom(): PatternFragment | undefined {
    if (this.#consumeSign('(')) {
      const part = this.#parseAlternatives()
      if (!this.#consumeSign(')')) throw new MalformedPatternError()
      return part
    }
    if (this.#consumeSign('^')) return (next) => this.#createState({ at: 'start', next: [next] })
    if (this.#consumeSign('$')) return (next) => this.#createState({ at: 'end', next: [next] })
    const from = this.#at
    const takes = this.#parseCharacter()
    // A class has at most as many ranges as characters.
    const work = STATE_WORK * (this.#at - from)
    return takes && ((next) => this.#createState({ takes, next: [next] }, work))
  }

  #parseCharacter(): CharacterTest | undefined {
    if (this.#consumeSign('.')) return (character) => character !== '\n' && character !== '\r'
    if (this.#consumeSign('[')) return this.#parseClass()
    const [written] = this.#consumeMatch(normal) ?? this.#consumeMatch(escaped) ?? []
    if (written === undefined) return this.#parseCategory()
    const expected = unescapeCharacter(written)
    return (character) => character === expected
  }

  #parseCategory(): CharacterTest | undefined {
    const [, kind, name] = this.#consumeMatch(category) ?? []
    if (kind === undefined) return undefined
    const categoryPattern = new RegExp(`^\\p{${name}}`, 'u')
    return (character) => categoryPattern.test(character) === (kind === 'p')
  }

  #parseClass(): CharacterTest | undefined {
    const isOther = this.#consumeSign('^')
    const items: CharacterTest[] = []
    if (this.#consumeSign('-')) items.push((character) => character === '-')
    for (let item = this.#parseRange(); item; item = this.#parseRange()) items.push(item)
    if (this.#consumeSign('-')) items.push((character) => character === '-')
    if (items.length === 0 || !this.#consumeSign(']')) throw new MalformedPatternError()
    return (character) => items.some((item) => item(character)) !== isOther
  }

  #parseRange(): CharacterTest | undefined {
    const [from] = this.#consumeMatch(inClass) ?? []
    if (from === undefined) return this.#parseCategory()
    const low = toCodePoint(from)
    let high = low
    if (this.#consumeSign('-')) {
      const [to] = this.#consumeMatch(inClass) ?? []
      if (to === undefined) this.#at--
      else high = toCodePoint(to)
    }
    if (high < low) throw new MalformedPatternError()
    return (character) => {
      const code = toCodePoint(character)
      return low <= code && code <= high
    }
  }
}

function unescapeCharacter(written: string): string {
  return (
    whitespace.get(written) ?? (written.length > 1 && written.startsWith('\\') ? written.slice(1) : written)
  )
}

function toCodePoint(written: string): number {
  return unescapeCharacter(written).codePointAt(0) ?? 0
}
