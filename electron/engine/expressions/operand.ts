import { type PropertyAccessToken, type Token, TypeGuards, toValue } from 'liquidjs'
import { invalid } from '../../../shared/errors.ts'
import { doubleOf, type Json, numberOf } from '../../../shared/json.ts'
import { type Budget, spend } from './bounds.ts'
import { property } from './property.ts'
import { Decimal, jsonOf, type Value } from './value.ts'

/** The variables an expression may name, such as `data` and `metadata`. */
export type Scope = Record<string, Json>

/** A literal, which has the same value in any scope, or a path. */
export type Operand = { readonly literal: boolean; readonly read: (scope: Scope, budget: Budget) => Value }

/** Turns a parsed token into an operand. Throws `invalid` for anything but a path or a literal, including ranges. */
export function operandOf(token: Token, source: string): Operand {
  if (TypeGuards.isQuotedToken(token)) return literal(token.content)
  if (TypeGuards.isNumberToken(token)) return literal(literalNumber(token.getText(), token.content))
  if (TypeGuards.isLiteralToken(token)) {
    const value: unknown = toValue(token.content)
    return literal(typeof value === 'boolean' || typeof value === 'string' ? value : null)
  }
  if (TypeGuards.isPropertyAccessToken(token)) return path(token, source)
  // SECURITY: iterating over a range such as (9007199254740992..9007199254740995) would never end.
  throw invalid('', 'holds something other than a path or a literal')
}

/** The number of a literal, kept as written where no double has its value (rule A-14). */
function literalNumber(source: string, value: number): Value {
  const written = numberOf(source.replace(/^(-?)\+?0*(?=\d)|\.$/g, '$1'))
  if (doubleOf(written) === undefined) return written
  return source.includes('.') && Number.isInteger(value) ? new Decimal(value) : value
}

function literal(value: Value): Operand {
  return { literal: true, read: () => value }
}

function path({ variable, props, end }: PropertyAccessToken, source: string): Operand {
  if (source[end - 1] === '.') throw invalid('', 'has a path that ends with a dot')
  const keys = props.map((prop) => key(prop, source))
  const root = variable ? operandOf(variable, source).read : member(keys.shift())
  return {
    literal: false,
    read: (scope, budget) => {
      let value = jsonOf(root(scope, budget))
      for (const each of keys) {
        // The size of a text is counted character by character (case X-48).
        if (typeof value === 'string') spend(budget, value.length / 4)
        value = property(value, jsonOf(each(scope, budget)))
      }
      return value
    },
  }
}

function member(name: Operand['read'] | undefined): Operand['read'] {
  return (scope, budget) => {
    const key = name?.(scope, budget)
    // SECURITY: own members only.
    return typeof key === 'string' && Object.hasOwn(scope, key) ? (scope[key] ?? null) : null
  }
}

function key(token: Token, source: string): Operand['read'] {
  if (TypeGuards.isWordToken(token) && token.content !== '') return literal(token.content).read
  const { read } = operandOf(token, source)
  // SECURITY: the tokenizer skips anything else in front of the closing bracket.
  if (!/^\s*\]/.test(source.slice(token.end))) throw invalid('', 'has a bracket that is not closed')
  return read
}
