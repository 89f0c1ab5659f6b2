const LONG = 12
const SHOWN = 4
const MOST = 8

/** Hides a value but keeps the last characters of a long one, so that columns can be told apart. */
export function hidden(value: string): string {
  if (value.length < LONG) return '•'.repeat(Math.min(value.length, MOST))
  return '•'.repeat(MOST - SHOWN) + value.slice(-SHOWN)
}
