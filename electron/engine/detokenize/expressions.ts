import { invalid } from '../../../shared/errors.ts'
import { split } from '../expressions/split.ts'

/** What an expression reads: a token's data, a whole token, or a whole token intent. */
type Kind = 'data' | 'token' | 'token_intent'

/** `{{ <id> | filters }}`: what it reads, and its filters as an expression over `data` (rule O-02). */
export type Expression = { readonly kind: Kind; readonly id: string; readonly source: string }

/**
 * Splits a string into plain parts and expressions (rule O-02): `{{ <id> }}`, `{{ token: <id> }}` and
 * `{{ token_intent: <id> }}`, each with filters. Throws `invalid` at `path` if one is not closed or has no id.
 */
export function expressionsOf(text: string, path: string): (string | Expression)[] {
  return split(text, path, (inner) => expression(inner, path))
}

/** Calls `found` with each expression of a string, as it is found. Throws what `expressionsOf` and `found` throw. */
export function eachExpression(text: string, path: string, found: (expression: Expression) => void): void {
  split(text, path, (inner) => found(expression(inner, path)))
}

function expression(inner: string, path: string): Expression {
  // An id has no `|`, so the first one begins the filters.
  const bar = inner.indexOf('|')
  const head = (bar < 0 ? inner : inner.slice(0, bar)).trim()
  const filters = bar < 0 ? '' : inner.slice(bar)
  const colon = head.indexOf(':')
  const prefix = colon < 0 ? '' : head.slice(0, colon).trim()
  const kind = prefix === 'token' || prefix === 'token_intent' ? prefix : 'data'
  const id = kind === 'data' ? head : head.slice(colon + 1).trim()
  if (id === '') throw invalid(path, 'has an expression without a token id')
  return { kind, id, source: `{{ data ${filters}}}` }
}
