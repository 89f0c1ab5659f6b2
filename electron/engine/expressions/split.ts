import { invalid } from '../../../shared/errors.ts'

/**
 * Splits a text into plain parts and what `expressionOf` makes of the text between `{{` and `}}` (rules O-02, G-05).
 * Throws `invalid` at `path` if an expression is not closed, and what `expressionOf` throws.
 */
export function split<Expression>(
  text: string,
  path: string,
  expressionOf: (inner: string) => Expression,
): (string | Expression)[] {
  const parts: (string | Expression)[] = []
  let at = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open + 2)
    if (close < 0) throw invalid(path, 'has an expression that is not closed')
    if (open > at) parts.push(text.slice(at, open))
    parts.push(expressionOf(text.slice(open + 2, close)))
    at = close + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}
