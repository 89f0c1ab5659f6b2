import { type PropertyAccessToken, type Token, TypeGuards, toValue } from 'liquidjs'
import { countCodePoints } from '../../../shared/characters.ts'
import { createInvalidError } from '../../../shared/errors.ts'
import { isObject, type Json, toComputable, toDouble, toJsonNumber } from '../../../shared/json.ts'
import { consumeWork, type EvaluationBudget } from './bounds.ts'
import { Decimal, toJson, type Value } from './value.ts'

/** The variables that an expression can use, such as `data` and `metadata`. */
export type Scope = Record<string, Json>

/** A path, or a literal, which has the same value in any scope. */
export type ExpressionOperand = {
  readonly literal: boolean
  readonly read: (scope: Scope, budget: EvaluationBudget) => Value
}

/** Converts a token of liquidjs to an operand. Throws `invalid` for anything but a path or a literal, such as a range. */
export function parseOperand(token: unknown, source: string): ExpressionOperand {
  if (TypeGuards.isQuotedToken(token)) return createLiteralOperand(token.content)
  if (TypeGuards.isNumberToken(token))
    return createLiteralOperand(parseLiteralNumber(token.getText(), token.content))
  if (TypeGuards.isLiteralToken(token)) {
    const value: unknown = toValue(token.content)
    return createLiteralOperand(typeof value === 'boolean' || typeof value === 'string' ? value : null)
  }
  if (TypeGuards.isPropertyAccessToken(token)) return createPathOperand(token, source)
  // SECURITY: iterating over a range such as (9007199254740992..9007199254740995) would never end.
  throw createInvalidError('', 'contains something other than a path or a literal')
}

/** Parses a numeric literal. A number that no double represents exactly is preserved as written (rule A-14). */
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
        // The next key may be `size`, and measuring a string takes one step per character (case X-48).
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
    // SECURITY: reads own properties only, so that no key reaches a prototype.
    return typeof key === 'string' && Object.hasOwn(scope, key) ? (scope[key] ?? null) : null
  }
}

function parseKey(token: Token, source: string): ExpressionOperand['read'] {
  if (TypeGuards.isWordToken(token) && token.content !== '') return createLiteralOperand(token.content).read
  const { read } = parseOperand(token, source)
  // SECURITY: the tokenizer silently skips anything else before the closing bracket.
  if (!/^\s*\]/.test(source.slice(token.end))) throw createInvalidError('', 'has an unclosed bracket')
  return read
}

/**
 * Follows one step of a path: a property, an index (negative from the end), `size`, `first` or `last` of an array, or
 * `size` of a string; null for anything else (E-08). On an object, `size` means the property with that name.
 */
function getProperty(value: Json, rawKey: Json): Json {
  const key = toComputable(rawKey)
  if (Array.isArray(value)) return getItem(value, key)
  if (typeof value === 'string') return key === 'size' ? countCodePoints(value) : null
  if (!isObject(value) || (typeof key !== 'string' && typeof key !== 'number')) return null
  // SECURITY: reads own properties only, so that no path reaches a prototype.
  return Object.hasOwn(value, key) ? (value[key] ?? null) : null
}

function getItem(list: readonly Json[], key: Json): Json {
  if (key === 'size') return list.length
  if (key === 'first') return list[0] ?? null
  if (key === 'last') return list.at(-1) ?? null
  const index = typeof key === 'string' && /^-?\d{1,9}$/.test(key) ? Number(key) : key
  return Number.isInteger(index) ? (list.at(index as number) ?? null) : null
}
