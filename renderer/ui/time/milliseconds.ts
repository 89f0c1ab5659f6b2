/** Milliseconds with one decimal. A value that would round to zero is `< 0.1`. */
export function formatMilliseconds(ms: number): string {
  return ms < 0.05 ? '< 0.1' : ms.toFixed(1)
}

/**
 * Formats a recorded duration. Returns an empty string for 0, because the vault's own actions, and rejected
 * requests that are only counted, have no duration.
 */
export function formatDuration(ms: number): string {
  return ms === 0 ? '' : `${formatMilliseconds(ms)} ms`
}
