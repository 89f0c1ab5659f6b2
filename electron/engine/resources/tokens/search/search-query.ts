import { createInvalidError } from '../../../../../shared/errors.ts'

type SearchField = 'id' | 'data' | 'type' | 'fingerprint' | 'container'
type SearchTerm = { readonly field: SearchField; readonly value: string } | MetadataTerm
type MetadataTerm = { readonly field: 'metadata'; readonly key: string; readonly value: string }

/** A parsed v1 query (rule L-07). */
export type QueryV1 =
  | { readonly by: 'all' }
  | { readonly by: 'id' | 'data'; readonly value: string }
  | { readonly by: 'metadata'; readonly pairs: readonly (readonly [string, string])[] }

/** A parsed v2 query (rule L-08). */
export type QueryV2 = {
  readonly by: Exclude<SearchTerm, { field: 'container' }> | { readonly field: 'all' }
  readonly container: string | undefined
}

const fields: readonly string[] = ['id', 'data', 'type', 'fingerprint', 'container'] satisfies SearchField[]
const unsupported = ['created_by', 'created_at', 'modified_by', 'modified_at']
const unsupportedInV1 = ['type', 'fingerprint', 'container', ...unsupported]
const MAX_TERMS = 50

/** Parses a v1 query: one `id:` or `data:` term, or `metadata.k:v` terms joined by AND (L-07). Throws `invalid`. */
export function parseQueryV1(query: string | undefined): QueryV1 {
  const terms = parseTerms(query, unsupportedInV1)
  const [first, ...more] = terms
  if (!first) return { by: 'all' }
  const pairs = terms.filter((term) => term.field === 'metadata')
  if (pairs.length === terms.length) return { by: 'metadata', pairs: pairs.map((t) => [t.key, t.value]) }
  if (more.some((term) => term.field !== first.field)) {
    throw createQueryError('mixing id, data and metadata is not supported; search by one of them')
  }
  if (more.length > 0) throw createQueryError(`more than one ${first.field} term is not supported`)
  return { by: first.field === 'id' ? 'id' : 'data', value: first.value }
}

/** Parses a v2 query: one term and, in addition, at most one `container:` term (rule L-08). Throws `invalid`. */
export function parseQueryV2(query: string | undefined): QueryV2 {
  const terms = parseTerms(query, unsupported)
  if (terms.some((term) => term.field === 'id')) {
    throw createQueryError('id is not supported in this search; use GET /tokens/{id}')
  }
  const containers = terms.filter((term) => term.field === 'container')
  const [by, ...more] = terms.filter((term) => term.field !== 'container')
  if (containers.length > 1) throw createQueryError('more than one container term is not supported')
  if (by && more.some((term) => term.field !== by.field))
    throw createQueryError('mixing attributes is not supported; only container can be joined to another term')
  if (by && more.length > 0)
    throw createQueryError(`more than one ${by.field} term is not supported; filter by the others yourself`)
  return { by: by ?? { field: 'all' }, container: containers[0]?.value }
}

/** Splits a query into its terms, which must be joined by AND. Throws `invalid`. */
function parseTerms(query: string | undefined, unsupportedFields: readonly string[]): SearchTerm[] {
  const terms: SearchTerm[] = []
  let expectsTerm = true
  for (const word of splitWords(query ?? '')) {
    assertNoOperator(word)
    const isTerm = word !== 'AND'
    if (!isTerm && expectsTerm) throw createQueryError('AND needs a term on both sides')
    if (isTerm && !expectsTerm)
      throw createQueryError('terms must be joined by AND; put a value with spaces in double quotes')
    expectsTerm = !isTerm
    if (!isTerm) continue
    if (terms.length === MAX_TERMS) throw createQueryError(`more than ${MAX_TERMS} terms are not supported`)
    terms.push(parseTerm(word, unsupportedFields))
  }
  if (expectsTerm && terms.length > 0) throw createQueryError('AND needs a term on both sides')
  return terms
}

/** Splits at white space outside of double quotes. */
function* splitWords(query: string): Generator<string> {
  const space = /\s*/y
  const wordPattern = /(?:"(?:[^"\\]|\\.)*"|[^\s"])+/sy
  let at = 0
  for (;;) {
    space.lastIndex = at
    space.test(query)
    at = space.lastIndex
    if (at >= query.length) return
    wordPattern.lastIndex = at
    const [text = ''] = wordPattern.exec(query) ?? []
    at += text.length
    if (query[at] === '"') throw createQueryError('a double quote is not closed')
    yield text
  }
}

/** Operators of the Lucene grammar that are not supported, with the error message for each. */
const operators: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(?:OR|\|\|)$/, 'OR is not supported'],
  [/^(?:NOT$|[!-])/, 'NOT is not supported; neither are - and ! before a term'],
  [/^\+/, '+ before a term is not supported; join terms by AND'],
  [/^&&$/, '&& is not supported; join terms by AND'],
  [/^[()]/, 'grouping with parentheses is not supported'],
]

function assertNoOperator(word: string): void {
  for (const [pattern, name] of operators) if (pattern.test(word)) throw createQueryError(name)
}

const quoted = /^"((?:[^"\\]|\\.)*)"$/s

function parseTerm(word: string, unsupportedFields: readonly string[]): SearchTerm {
  const metadata = /^metadata\.("(?:[^"\\]|\\.)*"|[^":]+):(.*)$/s.exec(word)
  if (metadata) {
    const [, key = '', value = ''] = metadata
    return { field: 'metadata', key: quoted.test(key) ? unquoteText(key) : key, value: parseTermValue(value) }
  }
  const [, field = '', value = ''] = /^([a-z_]+):(.*)$/s.exec(word) ?? []
  if (unsupportedFields.includes(field))
    throw createQueryError(`the field ${field} is not supported in this search`)
  if (!isField(field)) {
    // SECURITY: the term may be the searched value itself, so the message does not repeat it.
    throw createQueryError('has a term that is not <field>:<value>, or whose field cannot be searched')
  }
  return { field, value: parseTermValue(value) }
}

function isField(field: string): field is SearchField {
  return fields.includes(field)
}

/** Characters with a meaning in the Lucene grammar, not allowed in unquoted values, with their error messages. */
const operatorsInValues: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/"/, 'quotes inside a value are not supported; put the whole value in double quotes'],
  [/^[<>]|^[[{]/, 'ranges and comparisons are not supported'],
  [/[*?]/, 'wildcards are not supported; a search matches whole values'],
  [/[~^]/, 'fuzzy matches and boosts are not supported'],
  [/[()]/, 'grouping with parentheses is not supported'],
  [/&&|\|\|/, '&& and || are not supported'],
  [/[/\\]/, 'a value with slashes must be in double quotes'],
]

function parseTermValue(text: string): string {
  if (text === '') throw createQueryError('a value must follow the colon, without a space')
  if (quoted.test(text)) return unquoteText(text)
  for (const [pattern, name] of operatorsInValues) if (pattern.test(text)) throw createQueryError(name)
  return text
}

/** Returns the string between double quotes. `\"` and `\\` represent a quote and a backslash. */
function unquoteText(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gs, '$1')
}

function createQueryError(message: string) {
  return createInvalidError('query', message)
}
