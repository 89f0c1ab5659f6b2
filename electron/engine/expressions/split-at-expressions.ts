import { createInvalidError } from '../../../shared/errors.ts'

/** An expression has at most 2,000 characters, and a place in JSON may spell each with two. */
const MAX_SCANNED_LENGTH = 4_000

/** Past the head of an expression, its filters up to `}}`, with quoted texts; in JSON, the quotation marks may be escaped. */
const filters =
  /(?:[^"'\\}]|\}(?!\})|\\"(?:(?!\\").)*\\"|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\(?!"))*(?=\}\})/sy

/**
 * Where the expression ends whose content begins at `from`: before the first `}}`, or, past a `|`, before the first that
 * no quoted text holds; -1 if nothing ends it. An id may have a quotation mark of its own.
 */
export function findExpressionEnd(text: string, from: number): number {
  const end = findEndPastQuotes(text, from)
  return end < 0 ? text.indexOf('}}', from) : end
}

/** As `endOfExpression`; -1 also where a quotation mark is not closed nearby. */
function findEndPastQuotes(text: string, from: number): number {
  const first = text.indexOf('}}', from)
  const bar = first < 0 ? -1 : text.slice(from, first).indexOf('|')
  if (bar < 0) return first
  filters.lastIndex = 0
  const start = from + bar
  return filters.test(text.slice(start, start + MAX_SCANNED_LENGTH)) ? start + filters.lastIndex : -1
}

/**
 * Splits a text into plain parts and what `expressionOf` makes of the text between `{{` and `}}` (rules O-02, G-05).
 * Throws `invalid` at `path` if an expression is not closed, and what `expressionOf` throws.
 */
export function splitAtExpressions<Expression>(
  text: string,
  path: string,
  parseExpression: (inner: string) => Expression,
): (string | Expression)[] {
  const parts: (string | Expression)[] = []
  let at = 0
  let isClosed = true
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const end: number = isClosed ? findEndPastQuotes(text, open + 2) : -1
    // SECURITY: an expression with an open quotation mark is refused later; the rest of the text is searched once (rule R-03).
    isClosed = end >= 0
    const close = isClosed ? end : text.indexOf('}}', open + 2)
    if (close < 0) throw createInvalidError(path, 'has an expression that is not closed')
    if (open > at) parts.push(text.slice(at, open))
    parts.push(parseExpression(text.slice(open + 2, close)))
    at = close + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}
