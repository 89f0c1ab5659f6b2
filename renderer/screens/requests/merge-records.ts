import type { LogRecord } from './record.ts'

/** Contiguous records, newest first, and the cursor for older ones. */
export type Run = { readonly rows: readonly LogRecord[]; readonly next: string | null }

/** Whether the newly read records reach those that are shown, so that none in between is missing. */
export function reaches(top: Run, shown: Run): boolean {
  if (top.next === null || shown.rows.length === 0) return true
  const known = new Set(shown.rows.map(({ id }) => id))
  return top.rows.some(({ id }) => known.has(id))
}

/** The newest records on top of those that are shown; only the newest if some in between may be missing. */
export function merged(top: Run, shown: Run): Run {
  if (!reaches(top, shown) || top.next === null) return top
  const ids = new Set(top.rows.map(({ id }) => id))
  const older = shown.rows.filter(({ id }) => !ids.has(id))
  return older.length === 0 ? top : { rows: [...top.rows, ...older], next: shown.next }
}
