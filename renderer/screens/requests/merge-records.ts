import type { LogRecord } from './record.ts'

/** Records read in one piece, newest first, and where older ones go on. */
export type Run = { readonly rows: readonly LogRecord[]; readonly next: string | null }

/** Whether what was read now reaches down to what is shown, so that no record between them is left out. */
export function reaches(top: Run, shown: Run): boolean {
  if (top.next === null || shown.rows.length === 0) return true
  const known = new Set(shown.rows.map(({ id }) => id))
  return top.rows.some(({ id }) => known.has(id))
}

/** The newest records on top of those that are shown; alone, where there may be others between them. */
export function merged(top: Run, shown: Run): Run {
  if (!reaches(top, shown) || top.next === null) return top
  const ids = new Set(top.rows.map(({ id }) => id))
  const older = shown.rows.filter(({ id }) => !ids.has(id))
  return older.length === 0 ? top : { rows: [...top.rows, ...older], next: shown.next }
}
