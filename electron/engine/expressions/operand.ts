import { type PropertyAccessToken, type Token, TypeGuards, toValue } from 'liquidjs'
import { createInvalidError } from '../../../shared/errors.ts'
import { type Json, toDouble, toJsonNumber } from '../../../shared/json.ts'
import { consumeWork, type EvaluationBudget } from './bounds.ts'
import { getProperty } from './property.ts'
import { Decimal, toJson, type Value } from './value.ts'

/** The variables an expression may name, such as `data` and `metadata`. */
export type Scope = Record<string, Json>

/** A literal, which has the same value in any scope, or a path. */
export type ExpressionOperand = {
  readonly literal: boolean
  readonly read: (scope: Scope, budget: EvaluationBudget) => Value
}

/** Turns a parsed token into an operand. Throws `invalid` for anything but a path or a literal, including ranges. */
export function parseOperand(token: Token, source: string): ExpressionOperand {
  if (TypeGuards.isQuotedToken(token)) return createLiteralOperand(token.content)
  if (TypeGuards.isNumberToken(token))
    return createLiteralOperand(parseLiteralNumber(token.getText(), token.content))
  if (TypeGuards.isLiteralToken(token)) {
    const value: unknown = toValue(token.content)
    return createLiteralOperand(typeof value === 'boolean' || typeof value === 'string' ? value : null)
  }
  if (TypeGuards.isPropertyAccessToken(token)) return createPathOperand(token, source)
  // SECURITY: iterating over a range such as (9007199254740992..9007199254740995) would never end.
  throw createInvalidError('', 'holds something other than a path or a literal')
}

/** The number of a literal, kept as written where no double has its value (rule A-14). */
function parseLiteralNumber(source: string, value: number): Value {
  const written = toJsonNumber(source.replace(/^(-?)\+?0*(?=\d)|\.$/g, '$1'))
  if (toDouble(written) === undefined) return written
  return source.includes('.') && Number.isInteger(value) ? new Decimal(value) : value
}

function createLiteralOperand(value: Value): ExpressionOperand {
  return { literal: true, read: () => value }
}

function createPathOperand({ variable, props, end }: PropertyAccessToken, source: string): ExpressionOperand {
  if (source[end - 1] === '.') throw createInvalidError('', 'has a path that ends with a dot')
  const keys = props.map((prop) => parseKey(prop, source))
  const root = variable ? parseOperand(variable, source).read : createVariableReader(keys.shift())
  return {
    literal: false,
    read: (scope, budget) => {
      let value = toJson(root(scope, budget))
      for (const each of keys) {
        // The size of a text is counted character by character (case X-48).
        if (typeof value === 'string') consumeWork(budget, value.length / 4)
        value = getProperty(value, toJson(each(scope, budget)))
      }
      return value
    },
  }
}

function createVariableReader(name: ExpressionOperand['read'] | undefined): ExpressionOperand['read'] {
  return (scope, budget) => {
    const key = name?.(scope, budget)
    // SECURITY: own members only.
    return typeof key === 'string' && Object.hasOwn(scope, key) ? (scope[key] ?? null) : null
  }
}

function parseKey(token: Token, source: string): ExpressionOperand['read'] {
  if (TypeGuards.isWordToken(token) && token.content !== '') return createLiteralOperand(token.content).read
  const { read } = parseOperand(token, source)
  // SECURITY: the tokenizer skips anything else in front of the closing bracket.
  if (!/^\s*\]/.test(source.slice(token.end)))
    throw createInvalidError('', 'has a bracket that is not closed')
  return read
}
