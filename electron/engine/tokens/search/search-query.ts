import { invalid } from '../../../../shared/errors.ts'

type Field = 'id' | 'data' | 'type' | 'fingerprint' | 'container'
type Term = { readonly field: Field; readonly value: string } | MetadataTerm
type MetadataTerm = { readonly field: 'metadata'; readonly key: string; readonly value: string }

/** What a v1 query asks for (rule L-07). */
export type QueryV1 =
  | { readonly by: 'all' }
  | { readonly by: 'id' | 'data'; readonly value: string }
  | { readonly by: 'metadata'; readonly pairs: readonly (readonly [string, string])[] }

/** What a v2 query asks for (rule L-08). */
export type QueryV2 = {
  readonly by: Exclude<Term, { field: 'container' }> | { readonly field: 'all' }
  readonly container: string | undefined
}

const fields: readonly string[] = ['id', 'data', 'type', 'fingerprint', 'container'] satisfies Field[]
const unsupported = ['created_by', 'created_at', 'modified_by', 'modified_at']
const unsupportedInV1 = ['type', 'fingerprint', 'container', ...unsupported]
const MOST_TERMS = 50

/** Parses a v1 query: an `id:` or `data:` term, or `metadata.k:v` terms joined by AND (rule L-07). Throws `invalid`. */
export function parseQueryV1(query: string | undefined): QueryV1 {
  const terms = termsOf(query, unsupportedInV1)
  const [first, ...more] = terms
  if (!first) return { by: 'all' }
  const pairs = terms.filter((term) => term.field === 'metadata')
  if (pairs.length === terms.length) return { by: 'metadata', pairs: pairs.map((t) => [t.key, t.value]) }
  if (more.some((term) => term.field !== first.field)) {
    throw refused('mixing id, data and metadata is not supported; search by one of them')
  }
  if (more.length > 0) throw refused(`more than one ${first.field} term is not supported`)
  return { by: first.field === 'id' ? 'id' : 'data', value: first.value }
}

/** Parses a v2 query: one term, plus at most one `container:` term (rule L-08). Throws `invalid`. */
export function parseQueryV2(query: string | undefined): QueryV2 {
  const terms = termsOf(query, unsupported)
  if (terms.some((term) => term.field === 'id')) {
    throw refused('id is not supported in this search; use GET /tokens/{id}')
  }
  const containers = terms.filter((term) => term.field === 'container')
  const [by, ...more] = terms.filter((term) => term.field !== 'container')
  if (containers.length > 1) throw refused('more than one container term is not supported')
  if (by && more.length > 0) {
    throw more.every((term) => term.field === by.field)
      ? refused(`more than one ${by.field} term is not supported; filter by the others yourself`)
      : refused('mixing attributes is not supported; only container can be joined to another term')
  }
  return { by: by ?? { field: 'all' }, container: containers[0]?.value }
}

/** Returns the terms of a query, which must be joined by AND. */
function termsOf(query: string | undefined, refusedFields: readonly string[]): Term[] {
  const terms: Term[] = []
  let wanted: 'term' | 'AND' = 'term'
  for (const piece of piecesOf(query ?? '')) {
    refuseOperator(piece)
    if (piece === 'AND') {
      if (wanted === 'term') throw refused('AND needs a term on both sides')
      wanted = 'term'
    } else {
      if (wanted === 'AND')
        throw refused('terms must be joined by AND; put a value with spaces in double quotes')
      if (terms.length === MOST_TERMS) throw refused(`more than ${MOST_TERMS} terms are not supported`)
      terms.push(termOf(piece, refusedFields))
      wanted = 'AND'
    }
  }
  if (wanted === 'term' && terms.length > 0) throw refused('AND needs a term on both sides')
  return terms
}

/** Splits at white space outside of double quotes. */
function* piecesOf(query: string): Generator<string> {
  const space = /\s*/y
  const piece = /(?:"(?:[^"\\]|\\.)*"|[^\s"])+/sy
  let at = 0
  for (;;) {
    space.lastIndex = at
    space.test(query)
    at = space.lastIndex
    if (at >= query.length) return
    piece.lastIndex = at
    const [text = ''] = piece.exec(query) ?? []
    at += text.length
    if (query[at] === '"') throw refused('a double quote is not closed')
    yield text
  }
}

/** The operators of the Lucene grammar, and how each is refused. */
const operators: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(?:OR|\|\|)$/, 'OR is not supported'],
  [/^(?:NOT$|[!-])/, 'NOT is not supported; neither are - and ! before a term'],
  [/^\+/, '+ before a term is not supported; join terms by AND'],
  [/^&&$/, '&& is not supported; join terms by AND'],
  [/^[()]/, 'grouping with parentheses is not supported'],
]

function refuseOperator(piece: string): void {
  for (const [pattern, name] of operators) if (pattern.test(piece)) throw refused(name)
}

const quoted = /^"((?:[^"\\]|\\.)*)"$/s

function termOf(piece: string, refusedFields: readonly string[]): Term {
  const metadata = /^metadata\.("(?:[^"\\]|\\.)*"|[^":]+):(.*)$/s.exec(piece)
  if (metadata) {
    const [, key = '', value = ''] = metadata
    return { field: 'metadata', key: quoted.test(key) ? textOf(key) : key, value: termValue(value) }
  }
  const [, field = '', value = ''] = /^([a-z_]+):(.*)$/s.exec(piece) ?? []
  if (refusedFields.includes(field)) throw refused(`the field ${field} is not supported in this search`)
  if (!isField(field)) {
    // SECURITY: the text may be the value itself, so the message does not repeat it.
    throw refused('has a term that is not <field>:<value> with a field that can be searched')
  }
  return { field, value: termValue(value) }
}

function isField(field: string): field is Field {
  return fields.includes(field)
}

/** What an unquoted value must not contain, because a search engine would not read it as plain text. */
const operatorsInValues: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/"/, 'quotes inside a value are not supported; put the whole value in double quotes'],
  [/^[<>]|^[[{]/, 'ranges and comparisons are not supported'],
  [/[*?]/, 'wildcards are not supported; a search matches whole values'],
  [/[~^]/, 'fuzzy matches and boosts are not supported'],
  [/[()]/, 'grouping with parentheses is not supported'],
  [/&&|\|\|/, '&& and || are not supported'],
  [/[/\\]/, 'a value with slashes must be in double quotes'],
]

function termValue(text: string): string {
  if (text === '') throw refused('a value must follow the colon, without a space')
  if (quoted.test(text)) return textOf(text)
  for (const [pattern, name] of operatorsInValues) if (pattern.test(text)) throw refused(name)
  return text
}

/** The text between double quotes; `\"` and `\\` stand for a quote and a backslash. */
function textOf(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gs, '$1')
}

function refused(message: string) {
  return invalid('query', message)
}
