/** SECURITY: texts also come from callers; control characters must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD')
}

/** `a, b`. */
export function listOf(names: readonly string[]): string {
  return names.map(printable).join(', ')
}
