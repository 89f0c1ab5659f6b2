import { CodeSet } from './code-set.ts'

export type Assertion = '^' | '$' | 'b' | 'B'

/** A node of a parsed regular expression. */
export type PatternNode =
  /** One character: a code, or a set of them. */
  | { is: 'one'; code: number; set?: CodeSet }
  | { is: 'sequence'; parts: readonly PatternNode[] }
  | { is: 'either'; parts: readonly PatternNode[] }
  | { is: 'group'; part: PatternNode; number: number; name: string | undefined }
  | { is: 'repeat'; part: PatternNode; min: number; max: number; lazy: boolean }
  | { is: 'assertion'; what: Assertion; isMultiline: boolean }
  | { is: 'around'; part: PatternNode; isNegative: boolean; isBehind: boolean }
  /** The text of the group that took part; of one name there may be several groups. */
  | { is: 'backreference'; groups: readonly number[]; ignoresCase: boolean }

/** Why a pattern is rejected. The message does not contain the pattern. */
export class PatternError extends Error {}

const unicodeEscape =
  /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89a-bA-B]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[\s\S])/u
const plainEscape = /^\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|(?=c)|[0-3][0-7]{0,2}|[4-7][0-7]?|[\s\S])/
const repeated = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/
const characterClass = /^\[(?:\\[\s\S]|[^\]\\])*\]/u
const groupStart = /^\((?:\?(?:<([^=!>][^>]*)>|(<?[=!])|([ims]*)(?:-([ims]*))?:))?/

const assertions: Readonly<Record<string, Assertion>> = { '^': '^', $: '$', '\\b': 'b', '\\B': 'B' }

/** The tokens that matter for counting groups: an escape, a class, the start of a group, the end of a group. */
const tokens = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|(?<open>\((?<special>\?(?!<[^=!]))?)|\)/g

/** Counts the groups of an expression: all, those that capture, and how deep they are nested. */
export function countGroups(source: string): {
  groups: number
  captures: number
  depth: number
  hasNames: boolean
} {
  let groups = 0
  let hasNames = false
  let captures = 0
  let depth = 0
  let deepest = 0
  for (const { 0: token, index, groups: { open, special } = {} } of source.matchAll(tokens)) {
    if (token === ')') depth--
    if (open === undefined) continue
    groups++
    if (special === undefined) {
      captures++
      hasNames ||= source.startsWith('?', index + 1)
    }
    deepest = Math.max(deepest, ++depth)
  }
  return { groups, captures, depth: deepest, hasNames }
}

/** Parses a pattern that JavaScript accepts, so its syntax is known to be valid. */
export function parsePattern({ source, flags }: Pick<RegExp, 'source' | 'flags'>): PatternNode {
  return new PatternParser(source, flags).parseAlternatives()
}

class PatternParser {
  readonly #isUnicode: boolean
  readonly #groupCount: number
  readonly #hasNames: boolean
  readonly #named = new Map<string, number[]>()
  readonly #sets = new Map<string, CodeSet>()
  #rest: string
  #flags: string
  #groups = 0

  constructor(source: string, flags: string) {
    this.#rest = source
    this.#flags = flags
    this.#isUnicode = flags.includes('u')
    const { captures, hasNames } = countGroups(source)
    this.#groupCount = captures
    this.#hasNames = hasNames
  }

  parseAlternatives(): PatternNode {
    const options = [this.#parseSequence()]
    while (this.#rest.startsWith('|')) {
      this.#takeText(1)
      options.push(this.#parseSequence())
    }
    return options.length === 1 && options[0] ? options[0] : { is: 'either', parts: options }
  }

  #takeText(length: number): string {
    const taken = this.#rest.slice(0, length)
    this.#rest = this.#rest.slice(length)
    return taken
  }

  #takeMatch(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.#rest)
    this.#takeText(match?.[0].length ?? 0)
    return match
  }

  #parseSequence(): PatternNode {
    const parts: PatternNode[] = []
    while (this.#rest !== '' && !/^[|)]/.test(this.#rest))
      parts.push(this.#parseQuantifier(this.#parseAtom()))
    return { is: 'sequence', parts }
  }

  #parseQuantifier(part: PatternNode): PatternNode {
    const [text = '', low, comma, high] = this.#takeMatch(repeated) ?? []
    if (text === '') return part
    const lazy = text.length > 1 && text.endsWith('?')
    const [min, max] = parseBounds(text, low, comma, high)
    return { is: 'repeat', part, min, max, lazy }
  }

  #parseAtom(): PatternNode {
    if (this.#rest.startsWith('(')) return this.#parseGroup()
    const [assertion = ''] = this.#takeMatch(/^(?:[$^]|\\[bB])/) ?? []
    const what = assertions[assertion]
    if (what) return { is: 'assertion', what, isMultiline: this.#flags.includes('m') }
    return this.#parseBackreference() ?? this.#parseCharacter()
  }

  #parseBackreference(): PatternNode | undefined {
    const ignoresCase = this.#flags.includes('i')
    const [, digits] = /^\\([1-9]\d*)/.exec(this.#rest) ?? []
    if (digits !== undefined && (this.#isUnicode || Number(digits) <= this.#groupCount)) {
      this.#takeText(digits.length + 1)
      return { is: 'backreference', groups: [Number(digits)], ignoresCase }
    }
    const [, name] = (this.#hasNames && this.#takeMatch(/^\\k<([^>]*)>/)) || []
    return name === undefined
      ? undefined
      : { is: 'backreference', groups: this.#listNumbers(name), ignoresCase }
  }

  /** The numbers of the groups of a name. The list grows when a group follows. */
  #listNumbers(name: string): number[] {
    const numbers = this.#named.get(name) ?? []
    this.#named.set(name, numbers)
    return numbers
  }

  #parseCharacter(): PatternNode {
    const escaped = this.#isUnicode ? unicodeEscape : plainEscape
    const single = this.#isUnicode ? /^[\s\S]/u : /^[\s\S]/
    const [text = ''] =
      this.#takeMatch(escaped) ?? this.#takeMatch(characterClass) ?? this.#takeMatch(single) ?? []
    const [, literal] = /^(?:\\(?=\W))?([^.[]|(?<=\\)[.[])$/u.exec(text) ?? []
    if (literal !== undefined && !this.#flags.includes('i')) {
      return { is: 'one', code: literal.codePointAt(0) ?? 0 }
    }
    return { is: 'one', code: -1, set: this.#findSet(/^[{}\\\]]$/.test(text) ? `\\${text}` : text) }
  }

  #findSet(text: string): CodeSet {
    const flags = this.#flags.replace(/[^isu]/g, '')
    const key = `${flags} ${text}`
    const set = this.#sets.get(key) ?? new CodeSet(text, flags)
    this.#sets.set(key, set)
    return set
  }

  #parseGroup(): PatternNode {
    const [open = '', name, around, more, less] = this.#takeMatch(groupStart) ?? []
    if (this.#rest.startsWith('?')) throw new PatternError('has an unknown kind of group')
    const isCapture = open === '(' || name !== undefined
    const number = isCapture ? ++this.#groups : 0
    if (name !== undefined) this.#listNumbers(name).push(number)
    const flags = this.#flags
    this.#flags = [...new Set(flags + (more ?? ''))].filter((flag) => !less?.includes(flag)).join('')
    const part = this.parseAlternatives()
    this.#flags = flags
    this.#takeText(1)
    if (around !== undefined) {
      return { is: 'around', part, isNegative: around.endsWith('!'), isBehind: around.startsWith('<') }
    }
    return isCapture ? { is: 'group', part, number, name } : part
  }
}

function parseBounds(
  text: string,
  low: string | undefined,
  comma: string | undefined,
  high: string | undefined,
): [min: number, max: number] {
  if (text.startsWith('*')) return [0, Infinity]
  if (text.startsWith('+')) return [1, Infinity]
  if (text.startsWith('?')) return [0, 1]
  return [Number(low), Number(comma ? high || Infinity : low)]
}
