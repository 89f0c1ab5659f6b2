import { recordBulkChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

/** The maximum number of origins stored per application; the most recently used ones stay. */
const MAX_ORIGINS = 20

/** Stores that a page used an application in Elements. Does nothing if the application was deleted in the meantime. */
export function saveElementUse(
  db: Database,
  use: { application_id: string; origin: string; key_id: string | null; at: number },
): void {
  const { changes } = sql(
    db,
    `INSERT INTO element_use (application_id, origin, key_id, last_used_at)
     SELECT id, @origin, @key_id, @at FROM application WHERE id = @application_id
     ON CONFLICT (application_id, origin) DO UPDATE SET key_id = @key_id, last_used_at = @at`,
  ).run({ ...use })
  if (changes === 0) return
  sql(
    db,
    `DELETE FROM element_use WHERE application_id = @id AND origin NOT IN (
       SELECT origin FROM element_use WHERE application_id = @id ORDER BY last_used_at DESC, origin LIMIT ${MAX_ORIGINS})`,
  ).run({ id: use.application_id })
  recordBulkChange(db, 'key_use', 'updated')
}
