import { createInvalidError } from '../../../shared/errors.ts'

/** The maximum length of an expression, doubled because JSON may escape each character as two. */
const MAX_SCANNED_LENGTH = 4_000

/** Matches the filters of an expression up to `}}`, skipping quoted text, even if JSON has escaped its quotes. */
const filters =
  /(?:[^"'\\}]|\}(?!\})|\\"(?:(?!\\").)*\\"|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\(?!"))*(?=\}\})/sy

/**
 * Returns the end of the expression whose content starts at `from`: the position of the first `}}` or, if the
 * expression has filters, of the first `}}` after the `|` that is outside quoted text; -1 if there is none.
 * Quotation marks before the `|` are ignored, because a token id may contain one.
 */
export function findExpressionEnd(text: string, from: number): number {
  const end = findEndPastQuotes(text, from)
  return end < 0 ? text.indexOf('}}', from) : end
}

/** Like `findExpressionEnd`, but also returns -1 if a quotation mark is not closed within `MAX_SCANNED_LENGTH`. */
function findEndPastQuotes(text: string, from: number): number {
  const first = text.indexOf('}}', from)
  const bar = first < 0 ? -1 : text.slice(from, first).indexOf('|')
  if (bar < 0) return first
  filters.lastIndex = 0
  const start = from + bar
  return filters.test(text.slice(start, start + MAX_SCANNED_LENGTH)) ? start + filters.lastIndex : -1
}

/**
 * Splits a string into plain text and the results of `parseExpression` for the content between `{{` and `}}` (rules
 * O-02, G-05). Throws `invalid` at `path` for an unclosed expression, and whatever `parseExpression` throws.
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
    // SECURITY: an unclosed quotation mark is rejected later. Quotation marks after it are ignored, so that the rest
    // of the text is searched only once more (rule R-03).
    isClosed = end >= 0
    const close = isClosed ? end : text.indexOf('}}', open + 2)
    if (close < 0) throw createInvalidError(path, 'has an unclosed expression')
    if (open > at) parts.push(text.slice(at, open))
    parts.push(parseExpression(text.slice(open + 2, close)))
    at = close + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}
