import { type CofferError, invalid } from '../../../../shared/errors.ts'
import { computable, doubleOf, isNumber, WrittenNumber } from '../../../../shared/json.ts'
import { filter } from '../filter.ts'
import { textOf } from '../value.ts'

/** `to_number` (rule E-02). A text that would lose digits is refused; a number that would is kept as written. */
export const toNumber = filter('to_number', [], () => (value) => {
  if (isNumber(value)) return doubleOf(value) ?? value
  if (typeof value === 'boolean') return value ? 1 : 0
  const [, written = ''] =
    typeof value === 'string'
      ? (/^\s*\+?(-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?)\s*$/.exec(value) ?? [])
      : []
  const number = written === '' ? undefined : doubleOf(new WrittenNumber(written))
  if (number === undefined || Math.abs(number) > Number.MAX_SAFE_INTEGER) throw uncastable('to_number')
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

/** `to_string` (rule E-02). Refuses objects and arrays, which are for `stringify`. */
export const toText = filter('to_string', [], () => (value) => {
  if (typeof value === 'object' && !(value instanceof Uint8Array) && !isNumber(value))
    throw uncastable('to_string')
  return textOf(value)
})

function uncastable(name: string): CofferError {
  return invalid('', `must give the filter ${name} a value it can convert`)
}
