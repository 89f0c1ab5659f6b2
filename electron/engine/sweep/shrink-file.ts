import { recordCommit } from '../db/commit-count.ts'
import type { Database } from '../db/open.ts'

/** The number of free pages that stay in the file for the next writes. */
const SPARE_PAGES = 1024
/** The share of the file that may stay free. Freeing more would move pages that are soon needed again. */
const SPARE_PART = 0.25
const STEP_PAGES = 16
const STEP_MS = 10

/**
 * Frees some of the pages that large deletions left free, for about 10 ms at most, in a separate transaction. The
 * file becomes smaller at the next checkpoint of the write-ahead log. Returns whether there is more to do. The file
 * of an older version that was too large to be rewritten when it was opened keeps its size, because its pages
 * cannot be moved.
 */
export function shrinkFile(db: Database): boolean {
  if (!isWasteful(db) || db.pragma('auto_vacuum', { simple: true }) !== 2) return false
  const started = performance.now()
  db.transaction(() => {
    do db.pragma(`incremental_vacuum(${STEP_PAGES})`)
    while (performance.now() - started < STEP_MS && isWasteful(db))
  }).immediate()
  const more = isWasteful(db)
  if (!more) db.pragma('wal_checkpoint(PASSIVE)')
  recordCommit(db)
  return more
}

function isWasteful(db: Database): boolean {
  const free = Number(db.pragma('freelist_count', { simple: true }))
  if (free <= SPARE_PAGES) return false
  return free > SPARE_PART * Number(db.pragma('page_count', { simple: true }))
}
