import type { Database } from '../open.ts'

/** A saved search belongs to a list of the window, and may be pinned to its rail. */
export function addSavedFilters(db: Database): void {
  db.exec(`
ALTER TABLE saved_search ADD COLUMN screen TEXT NOT NULL DEFAULT 'tokens';
ALTER TABLE saved_search ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
`)
}
