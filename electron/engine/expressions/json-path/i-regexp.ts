import { consumeWork, type EvaluationBudget } from '../bounds.ts'

type CharacterTest = (character: string) => boolean

/**
 * A state of the pattern's automaton. It consumes a character, tests for the start or end of the string, or does
 * neither; then every state in `next` follows.
 */
type PatternState = {
  readonly takes?: CharacterTest
  readonly at?: 'start' | 'end'
  next: readonly PatternState[]
  /** The work of trying this state on one character. */
  readonly work: number
  /** The number of the last step that reached this state, so that no step follows the state twice. */
  step: number
}

/** A part of a pattern. The function creates the part's states, which lead to `next`, and returns the first of them. */
type PatternFragment = (next: PatternState) => PatternState

class MalformedPatternError extends Error {}

/** The work of creating a state, of trying it on a character, and of each alternative or range of a class. */
const STATE_WORK = 4

/** A compiled pattern of RFC 9485. */
export class IRegexp {
  readonly #first: PatternState
  readonly #last: PatternState = { next: [], work: STATE_WORK, step: 0 }
  #step = 0

  constructor(part: PatternFragment) {
    this.#first = part(this.#last)
  }

  /**
   * Whether a string matches, completely or at any position. Tries each state at most once per character and consumes
   * work for each; throws `invalid` if the work exceeds the budget (case X-21). SECURITY: a JavaScript RegExp from a
   * caller could block all other requests for an unlimited time.
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

  /** Finds the states reachable without consuming a character that consume one or are the last state. */
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
 * Compiles an I-Regexp (RFC 9485), in which `^` and `$` match the start and the end of the text. Returns null if the
 * pattern is not valid. Consumes work for expanding repetitions; throws `invalid` if the work exceeds the budget.
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
    // A class has at most as many ranges as source characters, so its work is charged by length.
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
