import type { Database } from '../db/open.ts'
import type { LogFilter } from './filter.ts'
import { countPlaces, keepOnly, type Places } from './places.ts'
import { type Batch, type Block, batches, placesWith, timesIn, type Walk, walkOf } from './search.ts'

/** How many records of each outcome a span of time has. */
type Span = { readonly at: number; done: number; refused: number; failed: number }

export type Timeline = {
  /** The spans that have records, oldest first. */
  readonly spans: readonly Span[]
  /** Continue before this place in the log; null if everything was counted. */
  readonly next: number | null
}

/**
 * Counts the records that match a filter by time, in spans of `step` ms from `from`. Reads a bounded number of rows: the
 * counts of several calls add up (rule R-03).
 */
export function timelineOf(
  db: Database,
  filter: LogFilter,
  { from, step, before }: { readonly from: number; readonly step: number; readonly before: number | null },
): Timeline {
  const walk = walkOf(db, filter, before)
  const spans = new Map<number, Span>()
  const indexOf = (at: number) => Math.floor((at - from) / step)
  const add = (index: number, outcome: Outcome, count: number) => {
    let span = spans.get(index)
    if (!span) {
      span = { at: from + index * step, done: 0, refused: 0, failed: 0 }
      spans.set(index, span)
    }
    span[outcome] += count
  }
  for (const batch of batches(walk)) count(walk, batch, indexOf, add)
  return {
    spans: [...spans.values()].sort((a, b) => a.at - b.at),
    next: walk.ended ? null : walk.below,
  }
}

type Outcome = 'done' | 'refused' | 'failed'
type Add = (index: number, outcome: Outcome, count: number) => void

function count(walk: Walk, batch: Batch, indexOf: (at: number) => number, add: Add): void {
  if (batch.count === 0) return
  if ('rows' in batch) {
    for (const { at, status } of batch.rows) add(indexOf(at), outcomeOf(status), 1)
    return
  }
  const { block, places, count } = batch
  const index = indexOf(block.first_at)
  if (index !== indexOf(block.last_at)) {
    for (const { place, at, status } of timesIn(walk, block)) {
      if (has(places, place)) add(indexOf(at), outcomeOf(status), 1)
    }
    return
  }
  // All at the same place in the timeline: their times need not be read.
  const refused = countWith(walk, block, places, 's4')
  const failed = countWith(walk, block, places, 's5')
  if (refused > 0) add(index, 'refused', refused)
  if (failed > 0) add(index, 'failed', failed)
  if (count > refused + failed) add(index, 'done', count - refused - failed)
}

/** How many of the places have a status that begins so. */
function countWith(walk: Walk, block: Block, places: Places, status: 's4' | 's5'): number {
  const found = placesWith(walk, block, { text: status, begins: true })
  keepOnly(found, places)
  return countPlaces(found)
}

function has(places: Places, place: number): boolean {
  return ((places[place >> 3] ?? 0) & (1 << (place & 7))) !== 0
}

function outcomeOf(status: number): Outcome {
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'done'
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const steps = [
  ...[1, 5, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
]

/** The shortest usual length of spans with which no more than `most` cover a time. */
export function stepFor(ms: number, most: number): number {
  const least = Math.max(1, ms) / most
  return steps.find((step) => step >= least) ?? Math.ceil(least / DAY) * DAY
}
