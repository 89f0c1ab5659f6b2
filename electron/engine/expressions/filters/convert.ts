import { type CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { isNumber, toComputable, toDouble, WrittenNumber } from '../../../../shared/json.ts'
import { defineFilter } from '../filter.ts'
import { formatValue } from '../value.ts'

const numberPattern = /^\s*\+?(-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?)\s*$/

/**
 * `to_number` (rule E-02). Rejects strings that a double cannot represent exactly; a JSON number that would lose
 * digits is returned as written.
 */
export const toNumber = defineFilter('to_number', [], () => (value) => {
  if (isNumber(value)) return toDouble(value) ?? value
  if (typeof value === 'boolean') return value ? 1 : 0
  const [, written = ''] = (typeof value === 'string' && numberPattern.exec(value)) || []
  const number = written === '' ? undefined : toDouble(new WrittenNumber(written))
  if (number === undefined || Math.abs(number) > Number.MAX_SAFE_INTEGER) throw createCastError('to_number')
  return number
})

/** `to_boolean` (rule E-02): accepts true, 'true', 1, '1' and their opposites. */
export const toBoolean = defineFilter('to_boolean', [], () => (value) => {
  const plain = toComputable(value)
  const text = typeof plain === 'object' ? '' : String(plain).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw createCastError('to_boolean')
})

/** `to_string` (rule E-02). Rejects objects and arrays, which need `stringify`. */
export const toText = defineFilter('to_string', [], () => (value) => {
  if (typeof value === 'object' && !(value instanceof Uint8Array) && !isNumber(value))
    throw createCastError('to_string')
  return formatValue(value)
})

function createCastError(name: string): CofferError {
  return createInvalidError('', `must pass a value that the filter ${name} can convert`)
}
