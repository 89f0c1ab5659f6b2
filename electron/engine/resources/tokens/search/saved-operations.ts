import { CofferError } from '../../../../../shared/errors.ts'
import { type SavedSearch, savedSearch } from '../../../../../shared/find.ts'
import { nothing } from '../../../../../shared/schemas/common.ts'
import { z } from '../../../../../shared/zod.ts'
import { recordChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { defineOperation } from '../../../pipeline/operation.ts'

const MAX_SAVED_SEARCHES = 100

export const savedSearches = defineOperation({
  summary: "List the owner's saved searches by name",
  entity: 'vault',
  input: nothing,
  output: z.object({ data: z.array(savedSearch) }),
  handler: ({ db }) => ({ data: listSearches(db) }),
})

export const saveSearch = defineOperation({
  summary: 'Save a search, or replace the one with this id',
  entity: 'vault',
  effect: 'write',
  input: savedSearch,
  output: savedSearch,
  handler({ db }, search) {
    putSearch(db, search)
    if (countSearches(db) > MAX_SAVED_SEARCHES) {
      throw new CofferError(
        'conflict',
        `There are already ${MAX_SAVED_SEARCHES} saved searches. Delete one first.`,
      )
    }
    return search
  },
})

export const removeSearch = defineOperation({
  summary: 'Delete a saved search',
  entity: 'vault',
  effect: 'write',
  status: 204,
  input: z.strictObject({ id: z.uuid() }),
  output: nothing,
  handler({ db }, { id }) {
    deleteSearch(db, id)
    return {}
  },
})

/** Returns the owner's saved searches, sorted by name. */
function listSearches(db: Database): SavedSearch[] {
  const query = 'SELECT id, name, screen, query, pinned FROM saved_search ORDER BY name COLLATE NOCASE, id'
  const rows = sql<Omit<SavedSearch, 'pinned'> & { readonly pinned: 0 | 1 }>(db, query).all()
  return rows.map((row) => ({ ...row, pinned: row.pinned === 1 }))
}

/** Returns the number of saved searches. */
function countSearches(db: Database): number {
  return Number(sql(db, 'SELECT count(*) FROM saved_search').pluck().get())
}

/** Stores a search; replaces the one with the same id. */
function putSearch(db: Database, { id, name, screen, query, pinned }: SavedSearch): void {
  const isNew = !sql(db, 'SELECT 1 FROM saved_search WHERE id = ?').get(id)
  const statement = `INSERT INTO saved_search (id, name, screen, query, pinned) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, screen = excluded.screen, query = excluded.query,
       pinned = excluded.pinned`
  sql(db, statement).run(id, name, screen, query, pinned ? 1 : 0)
  recordChange(db, 'saved_search', isNew ? 'created' : 'updated', id)
}

/** Deletes a saved search, if it exists. */
function deleteSearch(db: Database, id: string): void {
  const { changes } = sql(db, 'DELETE FROM saved_search WHERE id = ?').run(id)
  if (changes > 0) recordChange(db, 'saved_search', 'deleted', id)
}
