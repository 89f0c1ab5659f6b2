import type { LogRequestRow } from './store.ts'

export type Bucket = { at: number; requests: number; refused: number; failed: number }

/**
 * Counts requests over time, in equal steps from `since` to `now`. `requests` counts all of them, `refused` those
 * with a 4xx status and `failed` those with a 5xx status.
 */
export function toBuckets(
  rows: readonly LogRequestRow[],
  { since, now, buckets }: { since: number; now: number; buckets: number },
): Bucket[] {
  const step = (now - since) / buckets
  const all = Array.from({ length: buckets }, (_, index) => ({
    at: Math.round(since + index * step),
    requests: 0,
    refused: 0,
    failed: 0,
  }))
  for (const { at, status, requests } of rows) {
    const bucket = all[Math.min(buckets - 1, Math.max(0, Math.floor((at - since) / step)))]
    if (!bucket) continue
    bucket.requests += requests
    if (status >= 500) bucket.failed += requests
    else if (status >= 400) bucket.refused += requests
  }
  return all
}

export type Speed = { operation: string; requests: number; refused: number; p50_ms: number; p95_ms: number }

/** Returns how often each operation was called and how long it took, most frequent first. */
export function measureSpeeds(rows: readonly LogRequestRow[]): Speed[] {
  const byOperation = Map.groupBy(rows, (row) => row.operation)
  return [...byOperation]
    .map(([operation, ofOperation]) => {
      const durations = ofOperation.map((row) => row.duration_us).sort((a, b) => a - b)
      return {
        operation,
        requests: sumRequests(ofOperation),
        refused: sumRequests(ofOperation.filter((row) => row.status >= 400)),
        p50_ms: computePercentile(durations, 0.5) / 1000,
        p95_ms: computePercentile(durations, 0.95) / 1000,
      }
    })
    .sort((a, b) => b.requests - a.requests || a.operation.localeCompare(b.operation))
}

function sumRequests(rows: readonly LogRequestRow[]): number {
  return rows.reduce((total, { requests }) => total + requests, 0)
}

/** Returns the nearest-rank percentile of sorted values; 0 if there are none. `share` is from 0 to 1. */
export function computePercentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
