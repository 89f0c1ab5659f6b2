const MIN_LONG_LENGTH = 12
const VISIBLE_CHARACTERS = 4
const MAX_MASKED_LENGTH = 8

/** Masks a value except for the last characters of a long one, so that columns can be told apart. */
export function maskValue(value: string): string {
  if (value.length < MIN_LONG_LENGTH) return '•'.repeat(Math.min(value.length, MAX_MASKED_LENGTH))
  return '•'.repeat(MAX_MASKED_LENGTH - VISIBLE_CHARACTERS) + value.slice(-VISIBLE_CHARACTERS)
}
