import { createInvalidError } from '../../../../shared/errors.ts'
import { splitAtExpressions } from '../../expressions/split-at-expressions.ts'
import { isSourceKind, type SourceKind } from './sources.ts'

/** What an expression refers to: a token's data, a token, or something else that has a prefix. */
type ExpressionTarget = 'data' | 'token' | SourceKind

/** `{{ <id> | filters }}`: its target, and in `source` its filters as an expression over `data` (rule O-02). */
export type Expression = { readonly kind: ExpressionTarget; readonly id: string; readonly source: string }

/**
 * Splits a string into literal parts and expressions (rule O-02): `{{ <id> }}`, `{{ token: <id> }}` and those of
 * `expressionSources`, each with filters. Throws `invalid` at `path` if one is not closed or has no id.
 */
export function splitExpressions(text: string, path: string): (string | Expression)[] {
  return splitAtExpressions(text, path, (inner) => parseExpression(inner, path))
}

/** Calls `onExpression` with each expression of a string. Throws whatever `splitExpressions` and the callback throw. */
export function forEachExpression(
  text: string,
  path: string,
  onExpression: (expression: Expression) => void,
): void {
  splitAtExpressions(text, path, (inner) => onExpression(parseExpression(inner, path)))
}

function parseExpression(inner: string, path: string): Expression {
  // An id cannot contain `|`, so the first one starts the filters.
  const bar = inner.indexOf('|')
  const reference = (bar < 0 ? inner : inner.slice(0, bar)).trim()
  const filters = bar < 0 ? '' : inner.slice(bar)
  const colon = reference.indexOf(':')
  const prefix = colon < 0 ? '' : reference.slice(0, colon).trim()
  const kind = prefix === 'token' || isSourceKind(prefix) ? prefix : 'data'
  const id = kind === 'data' ? reference : reference.slice(colon + 1).trim()
  if (id === '') throw createInvalidError(path, 'has an expression without a token id')
  return { kind, id, source: `{{ data ${filters}}}` }
}
