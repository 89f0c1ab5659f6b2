import type { Database } from '../../db/open.ts'
import { listLooseIds, removeLastLooseChunk } from './store.ts'

const MAX_STEP_MS = 10

const uploads = new WeakMap<Database, Set<string>>()

/** Returns the ids of the uploads in progress on this connection. No other connection can continue them. */
export function getActiveUploads(db: Database): Set<string> {
  let all = uploads.get(db)
  if (!all) {
    all = new Set()
    uploads.set(db, all)
  }
  return all
}

/**
 * Removes chunks that belong to no document and to no upload in progress, for about 10 ms at most, inside the
 * caller's transaction (rule R-03). Returns whether there may be more to do.
 */
export function removeLooseChunks(db: Database): boolean {
  const until = performance.now() + MAX_STEP_MS
  const activeUploads = getActiveUploads(db)
  for (const id of listLooseIds(db)) {
    if (activeUploads.has(id)) continue
    while (removeLastLooseChunk(db, id)) if (performance.now() > until) return true
  }
  return false
}
