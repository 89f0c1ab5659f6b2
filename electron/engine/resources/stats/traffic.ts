export type Bucket = { at: number; requests: number; refused: number; failed: number }

export type Speed = { operation: string; requests: number; refused: number; p50_ms: number; p95_ms: number }

/**
 * Returns the nearest-rank percentile of sorted values with the number of their occurrences; 0 if there are none.
 * `share` is from 0 to 1.
 */
export function computePercentile(sorted: readonly (readonly [number, number])[], share: number): number {
  const total = sorted.reduce((sum, [, times]) => sum + times, 0)
  let rank = Math.max(1, Math.ceil(total * share))
  for (const [value, times] of sorted) {
    rank -= times
    if (rank <= 0) return value
  }
  return 0
}
