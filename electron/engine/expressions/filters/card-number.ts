import { isObject } from '../../../../shared/json.ts'
import { formatValue, type Value } from '../value.ts'

/** The maximum length of text that is treated as a card number, separators included. */
export const MAX_CARD_LENGTH = 100

/** Returns the number of a card object, or any other value as text. */
export function readCardNumber(value: Value): string {
  return formatValue(isObject(value) && Object.hasOwn(value, 'number') ? (value.number ?? null) : value)
}

/** The number of digits in the BIN: 6 if the card number has fewer than 16 digits, else 8 (rule E-05). */
export function getBinLength(digits: number): number {
  return digits < 16 ? 6 : 8
}

/** Finds the range to hide: all but the BIN and last four digits, if revealed. Separators are not digits. */
export function findHiddenRange(
  number: string,
  bin: boolean,
  last4: boolean,
): { start: number; end: number } {
  // No card number is this long, so all of the text is hidden without counting its digits.
  if (number.length > MAX_CARD_LENGTH) return { start: 0, end: number.length }
  const places = [...number.matchAll(/\d/g)].map((match) => match.index)
  const first = bin ? getBinLength(places.length) : 0
  const last = last4 ? 4 : 0
  if (places.length <= first + last) return { start: 0, end: 0 }
  return {
    start: first === 0 ? 0 : (places[first - 1] ?? 0) + 1,
    end: last === 0 ? number.length : (places[places.length - last] ?? 0),
  }
}
