import { type CofferError, invalid } from '../../../../shared/errors.ts'
import { computable, isNumber } from '../../../../shared/json.ts'
import { filter } from '../filter.ts'
import { textOf } from '../value.ts'

/** `to_number` (rule E-02). A number that would lose digits is refused. */
export const toNumber = filter('to_number', [], () => (value) => {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const isNumeric =
    typeof value === 'string' && /^\s*[+-]?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?\s*$/.test(value)
  const number = isNumeric || isNumber(value) ? Number(value) : Number.NaN
  if (!Number.isFinite(number)) throw uncastable('to_number')
  if (isNumeric && Math.abs(number) > Number.MAX_SAFE_INTEGER) throw uncastable('to_number')
  return number
})

/** `to_boolean` (rule E-02): true, 'true', 1, '1' and their opposites. */
export const toBoolean = filter('to_boolean', [], () => (value) => {
  const plain = computable(value)
  const text = typeof plain === 'object' ? '' : String(plain).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw uncastable('to_boolean')
})

/** `to_string` (rule E-02); objects and arrays are refused, which `stringify` takes. */
export const toText = filter('to_string', [], () => (value) => {
  if (typeof value === 'object' && !(value instanceof Uint8Array) && !isNumber(value))
    throw uncastable('to_string')
  return textOf(value)
})

function uncastable(name: string): CofferError {
  return invalid('', `must give the filter ${name} a value it can convert`)
}
