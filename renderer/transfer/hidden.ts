const LONG = 12

/** A value as long as it is, but hidden; a long one keeps its last four characters, to be told from others. */
export function hidden(value: string): string {
  const kept = value.length >= LONG ? value.slice(-4) : ''
  return '•'.repeat(Math.min(value.length, LONG) - kept.length) + kept
}
