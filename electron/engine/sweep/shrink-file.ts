import { recordCommit } from '../db/commit-count.ts'
import type { Database } from '../db/open.ts'

/** Free pages that remain for the next writes. */
const SPARE_PAGES = 1024
/** The share of the file that may stay free: pages that will soon be needed again are not worth moving. */
const SPARE_PART = 0.25
const STEP_PAGES = 16
const STEP_MS = 10

/**
 * Frees some of the pages that large deletions left, for about 10 ms at most, in its own transaction. The file
 * is truncated when the write-ahead log is moved into it. Returns whether there is more to do. A file whose
 * pages cannot be moved keeps its size: one of an older version that was too large to be rewritten when opened.
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
