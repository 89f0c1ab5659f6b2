import type { ApplicationType } from '../../../../shared/permissions.ts'
import { recordBulkChange, recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { defineTable, listRows } from '../crud.ts'

/** The maximum number of origins stored per application; the most recently used ones stay. */
const MAX_ORIGINS = 20

/** Stores that a page used an application in Elements. Does nothing if the application was deleted in the meantime. */
export function saveElementUse(
  db: Database,
  use: { application_id: string; origin: string; key_id: string | null; at: number },
): void {
  const statement = `INSERT INTO element_use (application_id, origin, key_id, last_used_at)
     SELECT id, @origin, @key_id, @at FROM application WHERE id = @application_id
     ON CONFLICT (application_id, origin) DO UPDATE SET key_id = @key_id, last_used_at = @at`
  const { changes } = sql(db, statement).run({ ...use })
  if (changes === 0) return
  sql(
    db,
    `DELETE FROM element_use WHERE application_id = @id AND origin NOT IN (
       SELECT origin FROM element_use WHERE application_id = @id ORDER BY last_used_at DESC, origin LIMIT ${MAX_ORIGINS})`,
  ).run({ id: use.application_id })
  recordBulkChange(db, 'key_use', 'updated')
}

export type ApplicationRow = {
  id: string
  name: string
  type: ApplicationType
  permissions: string
  rules: string
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
  expires_at: number | null
  expires_text: string | null
}

const columns = `id, name, type, permissions, rules, created_by, created_at, modified_by, modified_at, expires_at, expires_text`

/** Stores applications, and replaces their names, permissions and rules (rule K-01). */
export const { insertRow: insertApplication, updateRow: updateApplication } = defineTable<ApplicationRow>(
  'application',
  columns,
  'name, permissions, rules, modified_by, modified_at',
)

/** Returns an application that has not expired at `now`, or undefined (rule K-03). */
export function findApplication(db: Database, id: string, now: number): ApplicationRow | undefined {
  const query = `SELECT ${columns} FROM application WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)`
  return sql<ApplicationRow>(db, query).get(id, now)
}

/**
 * Stores in the application when it was last used with a key that is now deleted, or without a key (epoch ms). Does not
 * replace a later time, unless that is after `now`, because the clock was set back since.
 */
export function raiseLastUse(
  db: Database,
  id: string,
  { at, now }: { readonly at: number; readonly now: number },
): void {
  const statement = `UPDATE application SET last_used_at = CASE WHEN last_used_at > ? THEN ?
     ELSE max(coalesce(last_used_at, 0), ?) END WHERE id = ?`
  const { changes } = sql(db, statement).run(now, at, at, id)
  if (changes > 0) recordBulkChange(db, 'key_use', 'updated')
}

/** The time limit for deleting an application (rule R-03), whose sessions callers can make many and large. */
const MAX_DELETE_MS = 20
/**
 * The `expires_at` of a deleted application whose sessions are still being deleted: in the past, so that no caller
 * finds the application.
 */
const DELETED_EXPIRES_AT = 0

/**
 * Deletes an application with its keys, its sessions and the sessions it authorized. Returns the ids of the keys.
 * After 20 ms it stops, and maintenance deletes the remaining sessions.
 */
export function deleteApplication(db: Database, id: string): string[] {
  const until = performance.now() + MAX_DELETE_MS
  const keys = sql<string>(db, 'SELECT id FROM application_key WHERE application_id = ?').pluck().all(id)
  for (const each of keys) recordChange(db, 'application_key', 'deleted', each)
  sql(db, 'DELETE FROM application_key WHERE application_id = ?').run(id)
  recordChange(db, 'application', 'deleted', id)
  if (deleteApplicationSessions(db, id, () => performance.now() < until)) {
    sql(db, 'DELETE FROM application WHERE id = ?').run(id)
  } else {
    sql(db, 'UPDATE application SET expires_at = ? WHERE id = ?').run(DELETED_EXPIRES_AT, id)
  }
  return keys
}

/** Deletes sessions of an application while `hasTime` is true. Returns whether all are deleted. */
function deleteApplicationSessions(db: Database, id: string, hasTime: () => boolean): boolean {
  const query = 'SELECT id FROM session WHERE application_id = ? OR authorized_by = ? LIMIT 100'
  const some = sql(db, query).pluck()
  for (let ids = some.all(id, id); ids.length > 0; ids = some.all(id, id)) {
    for (const each of ids) {
      if (!hasTime()) return false
      sql(db, 'DELETE FROM session WHERE id = ?').run(each)
      recordChange(db, 'session', 'deleted', String(each))
    }
  }
  return true
}

const matching = `(@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))
  AND (@types IS NULL OR type IN (SELECT value FROM json_each(@types)))
  AND (expires_at IS NULL OR expires_at > @now)`

/** Returns a page of applications, newest first, and the total number of matches (rule K-02). */
export function listApplications(
  db: Database,
  filter: { ids: readonly string[] | undefined; types: readonly string[] | undefined; now: number },
  limit: number,
  offset: number,
): { rows: ApplicationRow[]; total: number } {
  const values = {
    ids: filter.ids ? JSON.stringify(filter.ids) : null,
    types: filter.types ? JSON.stringify(filter.types) : null,
    now: filter.now,
  }
  const order = 'created_at DESC, rowid DESC'
  return listRows(db, { table: 'application', columns, matching, order }, values, limit, offset)
}

export type ExpiredApplication = { readonly id: string; readonly key_ids: readonly string[] }

/**
 * Deletes up to `limit` expired applications while `hasTime` is true, and what remains of applications deleted earlier.
 * Returns the ids of the expired ones and of their keys (rules K-03, R-03).
 */
export function deleteExpiredApplications(
  db: Database,
  now: number,
  limit: number,
  hasTime: () => boolean,
): ExpiredApplication[] {
  const query = 'SELECT id, expires_at FROM application WHERE expires_at <= ? LIMIT ?'
  const rows = sql<{ id: string; expires_at: number }>(db, query).all(now, limit)
  const expired: ExpiredApplication[] = []
  for (const { id, expires_at } of rows) {
    if (!deleteApplicationSessions(db, id, hasTime)) break
    if (expires_at !== DELETED_EXPIRES_AT) {
      expired.push({ id, key_ids: deleteApplication(db, id) })
    } else {
      sql(db, 'DELETE FROM application WHERE id = ?').run(id)
    }
  }
  return expired
}
