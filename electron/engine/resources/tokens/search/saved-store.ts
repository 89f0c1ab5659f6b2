import type { SavedSearch } from '../../../../../shared/find.ts'
import { recordChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'

/** Returns the owner's saved searches, sorted by name. */
export function listSearches(db: Database): SavedSearch[] {
  return sql<SavedSearch>(
    db,
    'SELECT id, name, query FROM saved_search ORDER BY name COLLATE NOCASE, id',
  ).all()
}

/** Returns the number of saved searches. */
export function countSearches(db: Database): number {
  return Number(sql(db, 'SELECT count(*) FROM saved_search').pluck().get())
}

/** Stores a search; replaces the one with the same id. */
export function putSearch(db: Database, { id, name, query }: SavedSearch): void {
  const isNew = !sql(db, 'SELECT 1 FROM saved_search WHERE id = ?').get(id)
  sql(
    db,
    `INSERT INTO saved_search (id, name, query) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, query = excluded.query`,
  ).run(id, name, query)
  recordChange(db, 'saved_search', isNew ? 'created' : 'updated', id)
}

/** Deletes a saved search, if it exists. */
export function deleteSearch(db: Database, id: string): void {
  const { changes } = sql(db, 'DELETE FROM saved_search WHERE id = ?').run(id)
  if (changes > 0) recordChange(db, 'saved_search', 'deleted', id)
}
