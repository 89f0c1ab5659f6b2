/** Formats a duration in milliseconds, or in seconds from a second on. One that would round to zero is `< 0.1 ms`. */
export function formatDuration(ms: number): string {
  if (ms < 0.05) return '< 0.1 ms'
  return ms < 999.95 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`
}
