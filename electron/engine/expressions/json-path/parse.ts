import { type CofferError, invalid } from '../../../../shared/errors.ts'

/** A query: from the whole value or from the node that a filter looks at, segment by segment. */
export type Query = { readonly from: 'root' | 'current'; readonly segments: readonly Segment[] }

/** What is selected from each node, or, where it descends, from each node and everything in it. */
export type Segment = { readonly descends: boolean; readonly selectors: readonly Selector[] }

export type Selector =
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'wildcard' }
  | {
      readonly is: 'slice'
      readonly start: number | undefined
      readonly end: number | undefined
      readonly step: number
    }
  | { readonly is: 'filter'; readonly condition: Condition }

/** What a filter asks of a node. */
export type Condition =
  | { readonly is: 'or' | 'and'; readonly conditions: readonly Condition[] }
  | { readonly is: 'not'; readonly condition: Condition }
  | { readonly is: 'exists'; readonly query: Query }
  | { readonly is: 'comparison'; readonly left: Operand; readonly by: string; readonly right: Operand }
  | Match

type Match = { readonly is: 'match' | 'search'; readonly text: Operand; readonly pattern: Operand }

/** What stands for one value, or for nothing. */
export type Operand =
  | { readonly is: 'literal'; readonly value: string | number | boolean | null }
  /** The value of the only node that a query finds. */
  | { readonly is: 'value' | 'count'; readonly query: Query }
  | { readonly is: 'length'; readonly of: Operand }

// Dashes are not in the standard; the interface writes `$.headers.X-Date` (rule E-07).
const shorthand = /[A-Za-z_\x80-\ud7ff\ue000-\u{10ffff}][\w\x80-\ud7ff\ue000-\u{10ffff}-]*/uy
const integer = /0|-?[1-9]\d*/y
const numeric = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /(?:true|false|null)(?![\w(])/y
const blanks = /[ \t\n\r]*/y
const segmentAhead = /[ \t\n\r]*(?=[.[])/y
const comparator = /==|!=|<=|>=|<|>/y
const called = /[a-z][a-z_\d]*(?=\()/y
const codePoint =
  'u(?:[\\da-ce-fA-CE-F][\\da-fA-F]{3}|[dD][0-7][\\da-fA-F]{2}|[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2})'
const textIn = (quote: string) =>
  `${quote}(?:[^${quote}\\\\\\0-\\x1f\\ud800-\\udfff]|\\\\(?:[${quote}bfnrt/\\\\]|${codePoint}))*${quote}`
const text = new RegExp(`${textIn('"')}|${textIn("'")}`, 'uy')

/**
 * Parses a JSONPath (RFC 9535), which also types the functions in it. Names after a dot may hold dashes. Throws
 * `invalid` for anything else. Recurses as deep as the path is nested.
 */
export function parseJsonPath(path: string): Query {
  return new Parser(path).parse()
}

class Parser {
  readonly #path: string
  #at = 0

  constructor(path: string) {
    this.#path = path
  }

  parse(): Query {
    this.#expect('$')
    const segments = this.#segments()
    if (this.#at < this.#path.length) throw notAPath()
    return { from: 'root', segments }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [taken] = pattern.exec(this.#path) ?? []
    this.#at += taken?.length ?? 0
    return taken
  }

  #takes(sign: string): boolean {
    const taken = this.#path.startsWith(sign, this.#at)
    if (taken) this.#at += sign.length
    return taken
  }

  /** As `#takes`, after blanks; without it, the blanks stay too. */
  #takesNext(sign: string): boolean {
    const before = this.#at
    this.#take(blanks)
    if (this.#takes(sign)) return true
    this.#at = before
    return false
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw notAPath()
  }

  #segments(): Segment[] {
    const segments: Segment[] = []
    while (this.#take(segmentAhead) !== undefined) segments.push(this.#segment())
    return segments
  }

  #segment(): Segment {
    const descends = this.#takes('..')
    if (this.#takes('[')) return { descends, selectors: this.#listed(() => this.#selector(), ']') }
    if (!descends) this.#expect('.')
    if (this.#takes('*')) return { descends, selectors: [{ is: 'wildcard' }] }
    const name = this.#take(shorthand)
    if (name === undefined) throw notAPath()
    return { descends, selectors: [{ is: 'name', name }] }
  }

  /** At least one of something, separated by commas, up to a closing sign. */
  #listed<T>(item: () => T, close: string): T[] {
    const items: T[] = []
    do {
      this.#take(blanks)
      items.push(item())
    } while (this.#takesNext(','))
    this.#take(blanks)
    this.#expect(close)
    return items
  }

  #selector(): Selector {
    if (this.#takes('*')) return { is: 'wildcard' }
    if (this.#takes('?')) {
      this.#take(blanks)
      return { is: 'filter', condition: this.#condition() }
    }
    const name = this.#text()
    if (name !== undefined) return { is: 'name', name }
    const first = this.#integer()
    if (this.#takesNext(':')) return this.#slice(first)
    if (first === undefined) throw notAPath()
    return { is: 'index', index: first }
  }

  #slice(start: number | undefined): Selector {
    this.#take(blanks)
    const end = this.#integer()
    const isStepped = this.#takesNext(':')
    if (isStepped) this.#take(blanks)
    return { is: 'slice', start, end, step: (isStepped ? this.#integer() : undefined) ?? 1 }
  }

  #integer(): number | undefined {
    const written = this.#take(integer)
    if (written === undefined) return undefined
    const value = Number(written)
    if (!Number.isSafeInteger(value)) throw notAPath()
    return value
  }

  #text(): string | undefined {
    const quoted = this.#take(text)
    if (quoted === undefined) return undefined
    if (quoted.startsWith('"')) return JSON.parse(quoted) as string
    const inner = quoted
      .slice(1, -1)
      .replace(/\\.|"/g, (part) => (part === '"' ? '\\"' : part === "\\'" ? "'" : part))
    return JSON.parse(`"${inner}"`) as string
  }

  #condition(): Condition {
    return this.#joined('or', '||', () => this.#joined('and', '&&', () => this.#basic()))
  }

  #joined(is: 'or' | 'and', sign: string, part: () => Condition): Condition {
    const first = part()
    const conditions = [first]
    while (this.#takesNext(sign)) {
      this.#take(blanks)
      conditions.push(part())
    }
    return conditions.length === 1 ? first : { is, conditions }
  }

  // SECURITY: nothing is parsed twice, or the work would double with each level of nesting.
  #basic(): Condition {
    const isNegated = this.#takes('!')
    if (isNegated) this.#take(blanks)
    const condition = this.#takes('(') ? this.#parenthesized() : this.#comparisonOrTest(isNegated)
    return isNegated ? { is: 'not', condition } : condition
  }

  #parenthesized(): Condition {
    this.#take(blanks)
    const condition = this.#condition()
    this.#take(blanks)
    this.#expect(')')
    return condition
  }

  #comparisonOrTest(isNegated: boolean): Condition {
    const query = this.#query()
    const left = query ?? this.#literal() ?? this.#called()
    const before = this.#at
    this.#take(blanks)
    const by = this.#take(comparator)
    if (by === undefined) {
      this.#at = before
      return asTest(left)
    }
    if (isNegated) throw notAPath()
    this.#take(blanks)
    return { is: 'comparison', left: asOperand(left), by, right: this.#operand() }
  }

  #query(): Query | undefined {
    const from = this.#takes('@') ? 'current' : this.#takes('$') ? 'root' : undefined
    return from && { from, segments: this.#segments() }
  }

  #literal(): Operand | undefined {
    const text = this.#text()
    if (text !== undefined) return { is: 'literal', value: text }
    const written = this.#take(word) ?? this.#take(numeric)
    return written === undefined
      ? undefined
      : { is: 'literal', value: JSON.parse(written) as number | boolean | null }
  }

  #operand(): Operand {
    return asOperand(this.#query() ?? this.#literal() ?? this.#called())
  }

  #called(): Operand | Match {
    const name = this.#take(called)
    this.#expect('(')
    if (name === 'match' || name === 'search') {
      const [text, pattern, ...more] = this.#listed(() => this.#operand(), ')')
      if (!text || !pattern || more.length > 0) throw notAPath()
      return { is: name, text, pattern }
    }
    const [only, ...more] = this.#listed(() => (name === 'length' ? this.#operand() : this.#query()), ')')
    if (!only || more.length > 0) throw notAPath()
    if ('is' in only) return { is: 'length', of: only }
    if (name !== 'count' && name !== 'value') throw notAPath()
    return { is: name, query: only }
  }
}

function asTest(given: Query | Operand | Match): Condition {
  if ('segments' in given) return { is: 'exists', query: given }
  if ('pattern' in given) return given
  throw notAPath()
}

/** Throws `invalid` for a query that may find several nodes, and for a function that gives no value. */
function asOperand(given: Query | Operand | Match): Operand {
  if ('segments' in given) {
    if (!given.segments.every(isSingular)) throw notAPath()
    return { is: 'value', query: given }
  }
  if ('pattern' in given) throw notAPath()
  return given
}

function isSingular({ descends, selectors: [only, ...more] }: Segment): boolean {
  return !descends && more.length === 0 && (only?.is === 'name' || only?.is === 'index')
}

function notAPath(): CofferError {
  return invalid('', 'must give the filter json a JSONPath (RFC 9535)')
}
