import { createInvalidError } from '../../../../shared/errors.ts'
import { splitAtExpressions } from '../../expressions/split-at-expressions.ts'
import { expressionSources, isSourceKind, type SourceKind } from '../detokenize/sources.ts'

/** The first part of a proxy expression, which names a value (rule G-05). */
export type ExpressionHead =
  | { readonly kind: 'data' | 'token' | SourceKind; readonly id: string }
  /** An entry of the proxy's configuration. */
  | { readonly kind: 'config'; readonly name: string }
  /** The token that an earlier transform created. */
  | { readonly kind: 'transform'; readonly identifier: string }
  /** A variable: `proxy` in headers, `req` and `res` in transforms, `encrypted`. */
  | { readonly kind: 'variable'; readonly name: string }

/**
 * `{{ head | filters }}`: the head, and the source of the expression to evaluate. Unless the head is a variable, `data`
 * represents its value in the source.
 */
export type ProxyExpression = { readonly head: ExpressionHead; readonly source: string }

const kinds = ['token', 'config', 'transform_identifier', ...Object.keys(expressionSources)]
const prefixes = new RegExp(`^(${kinds.join('|')})\\s*:`)
const variables = ['proxy', 'req', 'res', 'encrypted']

/** Splits a string into text and expressions. Throws `invalid` at `path` for an unclosed one, or without a head. */
export function splitProxyExpressions(text: string, path: string): (string | ProxyExpression)[] {
  return splitAtExpressions(text, path, (inner) => parseProxyExpression(inner, path))
}

/** Parses the content between `{{` and `}}`. Throws `invalid` at `path` if it has no head. */
export function parseProxyExpression(inner: string, path: string): ProxyExpression {
  const bar = inner.indexOf('|')
  const head = (bar < 0 ? inner : inner.slice(0, bar)).trim()
  const filters = bar < 0 ? '' : inner.slice(bar)
  const parsedHead = parseHead(head)
  if (!parsedHead) throw createInvalidError(path, 'has an expression that does not name a value')
  const source = parsedHead.kind === 'variable' ? `{{ ${inner} }}` : `{{ data ${filters}}}`
  return { head: parsedHead, source }
}

function parseHead(text: string): ExpressionHead | null {
  const prefix = prefixes.exec(text)?.[1] ?? ''
  const rest = text.slice(text.indexOf(':') + 1)
  const name = unquoteText(prefix === '' ? text : rest.trim())
  if (name === '') return null
  if (prefix === 'token' || isSourceKind(prefix)) return { kind: prefix, id: name }
  if (prefix === 'config') return { kind: 'config', name }
  if (prefix === 'transform_identifier') return { kind: 'transform', identifier: name }
  const [first = ''] = name.split(/[.[]/)
  return variables.includes(first) ? { kind: 'variable', name: first } : { kind: 'data', id: name }
}

function unquoteText(text: string): string {
  return /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text
}
