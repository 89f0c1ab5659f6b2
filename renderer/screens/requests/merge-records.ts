import type { LogListRecord } from './record.ts'

/** Contiguous records, newest first, and the cursor for older ones. */
export type RecordRun = { readonly rows: readonly LogListRecord[]; readonly next: string | null }

/** Whether the newly loaded records overlap the visible ones, so that none in between is missing. */
export function hasOverlap(top: RecordRun, current: RecordRun): boolean {
  if (top.next === null || current.rows.length === 0) return true
  const known = new Set(current.rows.map(({ id }) => id))
  return top.rows.some(({ id }) => known.has(id))
}

/**
 * Puts the newest records on top of the visible ones, or replaces the visible ones if records in between may
 * be missing.
 */
export function mergeRecords(top: RecordRun, current: RecordRun): RecordRun {
  if (!hasOverlap(top, current) || top.next === null) return top
  const ids = new Set(top.rows.map(({ id }) => id))
  const older = current.rows.filter(({ id }) => !ids.has(id))
  return older.length === 0 ? top : { rows: [...top.rows, ...older], next: current.next }
}
