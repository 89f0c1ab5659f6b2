const LONG = 12
const SHOWN = 4
const MOST = 8

/** A value hidden, so that its columns can be told apart; of a long one the last characters are kept. */
export function hidden(value: string): string {
  if (value.length < LONG) return '•'.repeat(Math.min(value.length, MOST))
  return '•'.repeat(MOST - SHOWN) + value.slice(-SHOWN)
}
