import { z } from 'zod'
import { CofferError } from '../../../../shared/errors.ts'
import { type SavedSearch, savedSearch } from '../../../../shared/find.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import { changed } from '../../db/changes.ts'
import { sql } from '../../db/statement.ts'
import { operation } from '../../door/operation.ts'

const MOST = 100

export const savedSearches = operation({
  summary: "List the owner's saved searches by name",
  route: null,
  permission: 'owner',
  entity: 'vault',
  effect: 'read',
  status: 200,
  input: nothing,
  output: z.object({ data: z.array(savedSearch) }),
  handler({ db }) {
    const data = sql(db, 'SELECT id, name, query FROM saved_search ORDER BY name COLLATE NOCASE, id').all()
    return { data: data as SavedSearch[] }
  },
})

export const saveSearch = operation({
  summary: 'Save a search of the owner, or change the one with this id',
  route: null,
  permission: 'owner',
  entity: 'vault',
  effect: 'write',
  status: 200,
  input: savedSearch,
  output: savedSearch,
  handler({ db }, { id, name, query }) {
    const isNew = !sql(db, 'SELECT 1 FROM saved_search WHERE id = ?').get(id)
    sql(
      db,
      `INSERT INTO saved_search (id, name, query) VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, query = excluded.query`,
    ).run(id, name, query)
    if (Number(sql(db, 'SELECT count(*) FROM saved_search').pluck().get()) > MOST) {
      throw new CofferError('conflict', `There are ${MOST} saved searches already. Delete one first.`)
    }
    changed(db, 'saved_search', isNew ? 'created' : 'updated', id)
    return { id, name, query }
  },
})

export const removeSearch = operation({
  summary: 'Delete a saved search of the owner',
  route: null,
  permission: 'owner',
  entity: 'vault',
  effect: 'write',
  status: 204,
  input: z.strictObject({ id: z.uuid() }),
  output: nothing,
  handler({ db }, { id }) {
    const { changes } = sql(db, 'DELETE FROM saved_search WHERE id = ?').run(id)
    if (changes > 0) changed(db, 'saved_search', 'deleted', id)
    return {}
  },
})
