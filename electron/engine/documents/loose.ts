import type { Database } from '../db/open.ts'
import { looseIds, removeLastLoose } from './store.ts'

const STEP_MS = 10

const uploads = new WeakMap<Database, Set<string>>()

/** The ids of uploads that are under way on this connection. What another one began, nobody continues. */
export function uploadsIn(db: Database): Set<string> {
  let all = uploads.get(db)
  if (!all) {
    all = new Set()
    uploads.set(db, all)
  }
  return all
}

/**
 * Removes chunks that belong to no document and to no upload under way, for at most about 10 ms, inside the caller's
 * transaction (rule R-03). Returns whether there may be more to do.
 */
export function removeLoose(db: Database): boolean {
  const until = performance.now() + STEP_MS
  const underWay = uploadsIn(db)
  for (const id of looseIds(db)) {
    if (underWay.has(id)) continue
    while (removeLastLoose(db, id)) if (performance.now() > until) return true
  }
  return false
}
