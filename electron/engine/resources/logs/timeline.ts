import type { Database } from '../../db/open.ts'
import type { LogFilter } from './filter.ts'
import { countPositions, intersectPositions, type PositionSet } from './position-sets.ts'
import {
  type Block,
  findPositionsWithTerm,
  type LogWalk,
  type MatchBatch,
  readTimes,
  startWalk,
  walkBatches,
} from './search.ts'

/** The number of records of each outcome in a span of time. */
type LogSpan = { readonly at: number; done: number; refused: number; failed: number }

export type Timeline = {
  /** The spans that have records, oldest first. */
  readonly spans: readonly LogSpan[]
  /** The `seq` before which to continue; null if all records have been counted. */
  readonly next: number | null
}

/**
 * Counts the records that match a filter over time, in spans of `step` ms that start at `from`. Reads a limited number
 * of rows per call, so the caller must sum the counts of several calls (rule R-03).
 */
export function buildTimeline(
  db: Database,
  filter: LogFilter,
  { from, step, before }: { readonly from: number; readonly step: number; readonly before: number | null },
): Timeline {
  const walk = startWalk(db, filter, before)
  const spans = new Map<number, LogSpan>()
  const getSpanIndex = (at: number) => Math.floor((at - from) / step)
  const addCount = (index: number, outcome: TimelineOutcome, count: number) => {
    let span = spans.get(index)
    if (!span) {
      span = { at: from + index * step, done: 0, refused: 0, failed: 0 }
      spans.set(index, span)
    }
    span[outcome] += count
  }
  for (const batch of walkBatches(walk)) countBatch(walk, batch, getSpanIndex, addCount)
  return {
    spans: [...spans.values()].sort((a, b) => a.at - b.at),
    next: walk.ended ? null : walk.below,
  }
}

type TimelineOutcome = 'done' | 'refused' | 'failed'
type AddTimelineCount = (index: number, outcome: TimelineOutcome, count: number) => void

function countBatch(
  walk: LogWalk,
  batch: MatchBatch,
  getSpanIndex: (at: number) => number,
  add: AddTimelineCount,
): void {
  if (batch.count === 0) return
  if ('rows' in batch) {
    for (const { at, status } of batch.rows) add(getSpanIndex(at), toOutcome(status), 1)
    return
  }
  const { block, places: positions, count } = batch
  const index = getSpanIndex(block.first_at)
  if (index !== getSpanIndex(block.last_at)) {
    for (const { place: position, at, status } of readTimes(walk, block)) {
      if (hasPosition(positions, position)) add(getSpanIndex(at), toOutcome(status), 1)
    }
    return
  }
  // All records are in the same span, so their times do not matter.
  const refused = countWithStatus(walk, block, positions, 's4')
  const failed = countWithStatus(walk, block, positions, 's5')
  if (refused > 0) add(index, 'refused', refused)
  if (failed > 0) add(index, 'failed', failed)
  if (count > refused + failed) add(index, 'done', count - refused - failed)
}

/** Counts the records at these positions whose status begins with this digit. */
function countWithStatus(walk: LogWalk, block: Block, positions: PositionSet, status: 's4' | 's5'): number {
  const withStatus = findPositionsWithTerm(walk, block, { text: status, isPrefix: true })
  intersectPositions(withStatus, positions)
  return countPositions(withStatus)
}

function hasPosition(positions: PositionSet, position: number): boolean {
  return ((positions[position >> 3] ?? 0) & (1 << (position & 7))) !== 0
}

function toOutcome(status: number): TimelineOutcome {
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

/**
 * Returns the shortest standard span length, in ms, that divides a time of `ms` into at most `maxSpans` spans. If every
 * standard length is too short, returns a number of whole days.
 */
export function chooseStep(ms: number, maxSpans: number): number {
  const minStep = Math.max(1, ms) / maxSpans
  return steps.find((step) => step >= minStep) ?? Math.ceil(minStep / DAY) * DAY
}
