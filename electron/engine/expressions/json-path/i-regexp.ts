import { type Budget, spend } from '../bounds.ts'

type Takes = (character: string) => boolean

/** A place in a pattern: takes a character, asks where in the text it is, or neither; then goes on at all of `next`. */
type Place = {
  readonly takes?: Takes
  readonly at?: 'start' | 'end'
  next: readonly Place[]
  /** The work of trying it at one character. */
  readonly work: number
  /** The step that reached it last, so that it is not followed twice in one. */
  step: number
}

/** A part of a pattern: makes its places in front of what comes after it, and returns the first. */
type Part = (next: Place) => Place

class Malformed extends Error {}

/** The work of making a place, and of trying it at one character; as much for each range of a class and each alternative. */
const PLACE = 4

/** A pattern of RFC 9485 that is ready to run. */
export class Pattern {
  readonly #first: Place
  readonly #last: Place = { next: [], work: PLACE, step: 0 }
  #step = 0

  constructor(part: Part) {
    this.#first = part(this.#last)
  }

  /**
   * Whether a text matches, as a whole or somewhere. Tries each place of the pattern at most once for each character, and
   * spends that work; throws `invalid` where it is too much.
   * SECURITY: a RegExp of the caller's would hold up everybody for as long as it likes (case X-21).
   */
  matches(text: string, whole: boolean, budget: Budget): boolean {
    let places: readonly Place[] = [this.#first]
    for (let at = 0; ; ) {
      const reached = this.#reachedFrom(places, at, text, budget)
      if (reached.includes(this.#last) && (!whole || at === text.length)) return true
      if (at === text.length || reached.length === 0) return false
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      places = reached.filter(({ takes }) => takes?.(character)).flatMap(({ next }) => next)
      if (!whole) places = [...places, this.#first]
      at += character.length
    }
  }

  /** The places that take a character, and the last one, that can be reached without taking any. */
  #reachedFrom(places: readonly Place[], at: number, text: string, budget: Budget): Place[] {
    this.#step++
    const reached: Place[] = []
    const open = [...places]
    for (let place = open.pop(); place; place = open.pop()) {
      if (place.step === this.#step) continue
      place.step = this.#step
      spend(budget, place.work)
      if (place.takes || place === this.#last) reached.push(place)
      else if (place.at === undefined || at === (place.at === 'start' ? 0 : text.length))
        open.push(...place.next)
    }
    return reached
  }
}

/**
 * Compiles an I-Regexp (RFC 9485), in which `^` and `$` stand for the ends of the text. Returns null for what is none.
 * Spends the work of writing out its repetitions; throws `invalid` where that is too much.
 */
export function patternOf(source: string, budget: Budget): Pattern | null {
  spend(budget, source.length * PLACE)
  try {
    return new Pattern(new Reader(source, budget).read())
  } catch (error) {
    if (error instanceof Malformed) return null
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

class Reader {
  readonly #source: string
  readonly #budget: Budget
  #at = 0

  constructor(source: string, budget: Budget) {
    this.#source = source
    this.#budget = budget
  }

  read(): Part {
    const part = this.#either()
    if (this.#at < this.#source.length) throw new Malformed()
    return part
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    this.#at += found?.[0].length ?? 0
    return found
  }

  #takes(sign: string): boolean {
    const taken = this.#source.startsWith(sign, this.#at)
    if (taken) this.#at += sign.length
    return taken
  }

  #place(place: Omit<Place, 'work' | 'step'>, work = PLACE): Place {
    spend(this.#budget, work)
    return { ...place, work, step: 0 }
  }

  #either(): Part {
    const parts = [this.#sequence()]
    while (this.#takes('|')) parts.push(this.#sequence())
    return (next) => this.#place({ next: parts.map((part) => part(next)) }, PLACE * parts.length)
  }

  #sequence(): Part {
    const parts: Part[] = []
    for (let part = this.#atom(); part; part = this.#atom()) parts.push(this.#repeated(part))
    return (next) => parts.reduceRight((after, part) => part(after), next)
  }

  #repeated(part: Part): Part {
    const [sign, low, comma, high] = this.#take(quantifier) ?? []
    if (sign === undefined) return part
    const least = low === undefined ? (sign === '+' ? 1 : 0) : Number(low)
    const most = low === undefined ? (sign === '?' ? 1 : Infinity) : comma ? Number(high || Infinity) : least
    if (most < least) throw new Malformed()
    return (next) => {
      let first = next
      if (most === Infinity) {
        first = this.#place({ next: [] })
        first.next = [part(first), next]
      } else {
        for (let more = least; more < most; more++) first = this.#place({ next: [part(first), next] })
      }
      for (let more = 0; more < least; more++) first = this.#place({ next: [part(first)] })
      return first
    }
  }

  #atom(): Part | undefined {
    if (this.#takes('(')) {
      const part = this.#either()
      if (!this.#takes(')')) throw new Malformed()
      return part
    }
    if (this.#takes('^')) return (next) => this.#place({ at: 'start', next: [next] })
    if (this.#takes('$')) return (next) => this.#place({ at: 'end', next: [next] })
    const from = this.#at
    const takes = this.#character()
    // A class has at most as many ranges as characters.
    const work = PLACE * (this.#at - from)
    return takes && ((next) => this.#place({ takes, next: [next] }, work))
  }

  #character(): Takes | undefined {
    if (this.#takes('.')) return (character) => character !== '\n' && character !== '\r'
    if (this.#takes('[')) return this.#class()
    const [written] = this.#take(normal) ?? this.#take(escaped) ?? []
    if (written === undefined) return this.#category()
    const wanted = characterOf(written)
    return (character) => character === wanted
  }

  #category(): Takes | undefined {
    const [, kind, name] = this.#take(category) ?? []
    if (kind === undefined) return undefined
    const known = new RegExp(`^\\p{${name}}`, 'u')
    return (character) => known.test(character) === (kind === 'p')
  }

  #class(): Takes | undefined {
    const isOther = this.#takes('^')
    const items: Takes[] = []
    if (this.#takes('-')) items.push((character) => character === '-')
    for (let item = this.#range(); item; item = this.#range()) items.push(item)
    if (this.#takes('-')) items.push((character) => character === '-')
    if (items.length === 0 || !this.#takes(']')) throw new Malformed()
    return (character) => items.some((item) => item(character)) !== isOther
  }

  #range(): Takes | undefined {
    const [from] = this.#take(inClass) ?? []
    if (from === undefined) return this.#category()
    const low = codeOf(from)
    let high = low
    if (this.#takes('-')) {
      const [to] = this.#take(inClass) ?? []
      if (to === undefined) this.#at--
      else high = codeOf(to)
    }
    if (high < low) throw new Malformed()
    return (character) => {
      const code = codeOf(character)
      return low <= code && code <= high
    }
  }
}

function characterOf(written: string): string {
  return (
    whitespace.get(written) ?? (written.length > 1 && written.startsWith('\\') ? written.slice(1) : written)
  )
}

function codeOf(written: string): number {
  return characterOf(written).codePointAt(0) ?? 0
}
