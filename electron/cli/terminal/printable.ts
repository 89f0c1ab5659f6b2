/**
 * Replaces characters that are unsafe to print. SECURITY: some strings come from callers, and their control
 * characters and bidirectional marks must not reach the terminal.
 */
export function sanitizeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '\uFFFD')
}

export function sanitizeLines(text: string): string {
  return text.split('\n').map(sanitizeText).join('\n')
}

/** Joins sanitized names with commas. */
export function formatNames(names: readonly string[]): string {
  return names.map(sanitizeText).join(', ')
}
