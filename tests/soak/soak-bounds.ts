import type { ProcessResources } from './soak-probe.ts'

/** One sample of a vault under load, with latencies in ms and sizes in bytes. */
export type SoakSample = ProcessResources & {
  readonly seconds: number
  readonly requests: number
  readonly per_second: number
  readonly p50: number
  readonly p99: number
  readonly tokens: number
  readonly database: number
  readonly wal: number
}

const MB = 1024 * 1024

/**
 * The maximum growth of each value from the first sample under load to the last, and the maximum size of the
 * write-ahead log.
 */
const bounds = {
  heap: 32 * MB,
  rss: 192 * MB,
  handles: 30,
  files: 30,
  wal: 256 * MB,
} as const

/** Describes the values that grew beyond their bound since the first sample under load. */
export function findGrowth(samples: readonly SoakSample[]): string[] {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last) return ['nothing was measured']
  const growing = (['heap', 'rss', 'handles', 'files'] as const)
    .filter((name) => last[name] > first[name] + bounds[name])
    .map((name) => `${name} grew from ${first[name]} to ${last[name]}`)
  const wal = Math.max(...samples.map((sample) => sample.wal))
  return wal > bounds.wal ? [...growing, `the write-ahead log grew to ${wal}`] : growing
}

/** The columns of a printed sample. */
export const columns = [
  ...['at', 'requests', 'per s', 'p50 ms', 'p99 ms', 'RSS MB', 'heap MB'],
  ...['handles', 'files', 'tokens', 'vault MB', 'WAL MB'],
]

/** Formats a sample as cells of a table. */
export function toCells(name: string, sample: SoakSample): string[] {
  const formatMb = (bytes: number) => (bytes / MB).toFixed(1)
  return [
    name,
    String(sample.requests),
    sample.per_second.toFixed(0),
    sample.p50.toFixed(2),
    sample.p99.toFixed(1),
    formatMb(sample.rss),
    formatMb(sample.heap),
    String(sample.handles),
    String(sample.files),
    String(sample.tokens),
    formatMb(sample.database),
    formatMb(sample.wal),
  ]
}
