import { type CofferError, createInvalidError } from '../../../../shared/errors.ts'

/** A query: its segments, and whether it starts at the root or at the node that a filter tests. */
export type JsonPathQuery = { readonly from: 'root' | 'current'; readonly segments: readonly PathSegment[] }

/** What to select from each node or, if `descends`, from each node and all its descendants. */
export type PathSegment = { readonly descends: boolean; readonly selectors: readonly PathSelector[] }

export type PathSelector =
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'wildcard' }
  | {
      readonly is: 'slice'
      readonly start: number | undefined
      readonly end: number | undefined
      readonly step: number
    }
  | { readonly is: 'filter'; readonly condition: PathCondition }

export type PathCondition =
  | { readonly is: 'or' | 'and'; readonly conditions: readonly PathCondition[] }
  | { readonly is: 'not'; readonly condition: PathCondition }
  | { readonly is: 'exists'; readonly query: JsonPathQuery }
  | {
      readonly is: 'comparison'
      readonly left: PathOperand
      readonly by: string
      readonly right: PathOperand
    }
  | PathMatch

type PathMatch = {
  readonly is: 'match' | 'search'
  readonly text: PathOperand
  readonly pattern: PathOperand
}

/** An operand of a condition. It has one value, or none if its query matches no node. */
export type PathOperand =
  | { readonly is: 'literal'; readonly value: string | number | boolean | null }
  /** The value of the only node that a query matches, or the number of nodes that it matches (`count`). */
  | { readonly is: 'value' | 'count'; readonly query: JsonPathQuery }
  | { readonly is: 'length'; readonly of: PathOperand }

// RFC 9535 does not allow dashes here, but the API uses `$.headers.X-Date` (rule E-07).
const shorthand = /[A-Za-z_\x80-\ud7ff\ue000-\u{10ffff}][\w\x80-\ud7ff\ue000-\u{10ffff}-]*/uy
const integer = /0|-?[1-9]\d*/y
const numeric = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /(?:true|false|null)(?![\w(])/y
const blanks = /[ \t\n\r]*/y
const segmentAhead = /[ \t\n\r]*(?=[.[])/y
const comparator = /==|!=|<=|>=|<|>/y
const functionName = /[a-z][a-z_\d]*(?=\()/y
const codePoint =
  'u(?:[\\da-ce-fA-CE-F][\\da-fA-F]{3}|[dD][0-7][\\da-fA-F]{2}|[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2})'
const parseString = (quote: string) =>
  `${quote}(?:[^${quote}\\\\\\0-\\x1f\\ud800-\\udfff]|\\\\(?:[${quote}bfnrt/\\\\]|${codePoint}))*${quote}`
const text = new RegExp(`${parseString('"')}|${parseString("'")}`, 'uy')

/**
 * Parses a JSONPath (RFC 9535) and checks the types of its functions. Names after a dot may contain dashes. Throws
 * `invalid` for a path that is not valid. Recurses once for each level of nesting, so the caller must limit the length
 * of the path.
 */
export function parseJsonPath(path: string): JsonPathQuery {
  return new JsonPathParser(path).parsePath()
}

class JsonPathParser {
  readonly #path: string
  #at = 0

  constructor(path: string) {
    this.#path = path
  }

  parsePath(): JsonPathQuery {
    this.#expectSign('$')
    const segments = this.#parseSegments()
    if (this.#at < this.#path.length) throw createPathError()
    return { from: 'root', segments }
  }

  #consumeMatch(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [taken] = pattern.exec(this.#path) ?? []
    this.#at += taken?.length ?? 0
    return taken
  }

  #consumeSign(sign: string): boolean {
    const taken = this.#path.startsWith(sign, this.#at)
    if (taken) this.#at += sign.length
    return taken
  }

  /** Consumes optional whitespace and a sign, or nothing if the sign does not follow. */
  #consumeNextSign(sign: string): boolean {
    const before = this.#at
    this.#consumeMatch(blanks)
    if (this.#consumeSign(sign)) return true
    this.#at = before
    return false
  }

  #expectSign(sign: string): void {
    if (!this.#consumeSign(sign)) throw createPathError()
  }

  #parseSegments(): PathSegment[] {
    const segments: PathSegment[] = []
    while (this.#consumeMatch(segmentAhead) !== undefined) segments.push(this.#parseSegment())
    return segments
  }

  #parseSegment(): PathSegment {
    const descends = this.#consumeSign('..')
    if (this.#consumeSign('['))
      return { descends, selectors: this.#parseList(() => this.#parseSelector(), ']') }
    if (!descends) this.#expectSign('.')
    if (this.#consumeSign('*')) return { descends, selectors: [{ is: 'wildcard' }] }
    const name = this.#consumeMatch(shorthand)
    if (name === undefined) throw createPathError()
    return { descends, selectors: [{ is: 'name', name }] }
  }

  /** Parses one or more items, separated by commas, and the closing sign. */
  #parseList<T>(item: () => T, close: string): T[] {
    const items: T[] = []
    do {
      this.#consumeMatch(blanks)
      items.push(item())
    } while (this.#consumeNextSign(','))
    this.#consumeMatch(blanks)
    this.#expectSign(close)
    return items
  }

  #parseSelector(): PathSelector {
    if (this.#consumeSign('*')) return { is: 'wildcard' }
    if (this.#consumeSign('?')) {
      this.#consumeMatch(blanks)
      return { is: 'filter', condition: this.#parseCondition() }
    }
    const name = this.#parseText()
    if (name !== undefined) return { is: 'name', name }
    const first = this.#parseInteger()
    if (this.#consumeNextSign(':')) return this.#parseSlice(first)
    if (first === undefined) throw createPathError()
    return { is: 'index', index: first }
  }

  #parseSlice(start: number | undefined): PathSelector {
    this.#consumeMatch(blanks)
    const end = this.#parseInteger()
    const isStepped = this.#consumeNextSign(':')
    if (isStepped) this.#consumeMatch(blanks)
    return { is: 'slice', start, end, step: (isStepped ? this.#parseInteger() : undefined) ?? 1 }
  }

  #parseInteger(): number | undefined {
    const written = this.#consumeMatch(integer)
    if (written === undefined) return undefined
    const value = Number(written)
    if (!Number.isSafeInteger(value)) throw createPathError()
    return value
  }

  #parseText(): string | undefined {
    const quoted = this.#consumeMatch(text)
    if (quoted === undefined) return undefined
    if (quoted.startsWith('"')) return JSON.parse(quoted) as string
    const inner = quoted
      .slice(1, -1)
      .replace(/\\.|"/g, (part) => (part === '"' ? '\\"' : part === "\\'" ? "'" : part))
    return JSON.parse(`"${inner}"`) as string
  }

  #parseCondition(): PathCondition {
    return this.#parseConditionList('or', '||', () =>
      this.#parseConditionList('and', '&&', () => this.#parseBasicCondition()),
    )
  }

  #parseConditionList(is: 'or' | 'and', sign: string, part: () => PathCondition): PathCondition {
    const first = part()
    const conditions = [first]
    while (this.#consumeNextSign(sign)) {
      this.#consumeMatch(blanks)
      conditions.push(part())
    }
    return conditions.length === 1 ? first : { is, conditions }
  }

  // SECURITY: nothing may be parsed twice, because the work would double with each level of nesting.
  #parseBasicCondition(): PathCondition {
    const isNegated = this.#consumeSign('!')
    if (isNegated) this.#consumeMatch(blanks)
    const condition = this.#consumeSign('(') ? this.#parseGroup() : this.#parseComparisonOrTest(isNegated)
    return isNegated ? { is: 'not', condition } : condition
  }

  #parseGroup(): PathCondition {
    this.#consumeMatch(blanks)
    const condition = this.#parseCondition()
    this.#consumeMatch(blanks)
    this.#expectSign(')')
    return condition
  }

  #parseComparisonOrTest(isNegated: boolean): PathCondition {
    const query = this.#parseQuery()
    const left = query ?? this.#parseLiteral() ?? this.#parseCall()
    const before = this.#at
    this.#consumeMatch(blanks)
    const by = this.#consumeMatch(comparator)
    if (by === undefined) {
      this.#at = before
      return toTestCondition(left)
    }
    if (isNegated) throw createPathError()
    this.#consumeMatch(blanks)
    return { is: 'comparison', left: toOperand(left), by, right: this.#parseOperand() }
  }

  #parseQuery(): JsonPathQuery | undefined {
    const from = this.#consumeSign('@') ? 'current' : this.#consumeSign('$') ? 'root' : undefined
    return from && { from, segments: this.#parseSegments() }
  }

  #parseLiteral(): PathOperand | undefined {
    const text = this.#parseText()
    if (text !== undefined) return { is: 'literal', value: text }
    const written = this.#consumeMatch(word) ?? this.#consumeMatch(numeric)
    return written === undefined
      ? undefined
      : { is: 'literal', value: JSON.parse(written) as number | boolean | null }
  }

  #parseOperand(): PathOperand {
    return toOperand(this.#parseQuery() ?? this.#parseLiteral() ?? this.#parseCall())
  }

  #parseCall(): PathOperand | PathMatch {
    const name = this.#consumeMatch(functionName)
    this.#expectSign('(')
    if (name === 'match' || name === 'search') {
      const [text, pattern, ...more] = this.#parseList(() => this.#parseOperand(), ')')
      if (!text || !pattern || more.length > 0) throw createPathError()
      return { is: name, text, pattern }
    }
    const [only, ...more] = this.#parseList(
      () => (name === 'length' ? this.#parseOperand() : this.#parseQuery()),
      ')',
    )
    if (!only || more.length > 0) throw createPathError()
    if ('is' in only) return { is: 'length', of: only }
    if (name !== 'count' && name !== 'value') throw createPathError()
    return { is: name, query: only }
  }
}

function toTestCondition(parsed: JsonPathQuery | PathOperand | PathMatch): PathCondition {
  if ('segments' in parsed) return { is: 'exists', query: parsed }
  if ('pattern' in parsed) return parsed
  throw createPathError()
}

/** Converts a value to an operand. Throws `invalid` for a query of several nodes, or a function without a value. */
function toOperand(parsed: JsonPathQuery | PathOperand | PathMatch): PathOperand {
  if ('segments' in parsed) {
    if (!parsed.segments.every(isSingular)) throw createPathError()
    return { is: 'value', query: parsed }
  }
  if ('pattern' in parsed) throw createPathError()
  return parsed
}

function isSingular({ descends, selectors: [only, ...more] }: PathSegment): boolean {
  return !descends && more.length === 0 && (only?.is === 'name' || only?.is === 'index')
}

function createPathError(): CofferError {
  return createInvalidError('', 'must pass a JSONPath (RFC 9535) to the filter json')
}
