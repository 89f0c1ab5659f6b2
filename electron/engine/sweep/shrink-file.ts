import { recordCommit } from '../db/commit-count.ts'
import type { Database } from '../db/open.ts'

/** Free pages that are left for what is written next. */
const SPARE_PAGES = 1024
/** The largest part of the file that may stay free: pages that will soon be needed again are not worth moving. */
const SPARE_PART = 0.25
const STEP_PAGES = 16
const STEP_MS = 10

/**
 * Gives back some of the pages that large deletions left, for at most about 10 ms, in a transaction of its own. The
 * file is cut when the write-ahead log is moved into it. Returns whether there is more to do. A file whose pages
 * cannot be moved, from before this version and too large to be rewritten when it was opened, keeps its size.
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
