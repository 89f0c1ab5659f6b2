import { recordChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { selectRow, sql } from '../../../db/statement.ts'
import { raiseLastUse } from '../store.ts'

export type KeyRow = {
  id: string
  application_id: string
  created_by: string | null
  created_at: number
  last_used_at: number | null
  /** Null for a key that was created before hints were stored and has not been used since. */
  hint: string | null
  /** The key to delete once this one is in use, during a rotation. */
  replaces: string | null
}

const columns = 'id, application_id, created_by, created_at, last_used_at, hint, replaces'

/** Stores a new key (rule A-03). */
export function insertKey(db: Database, row: Omit<KeyRow, 'last_used_at'> & { digest: Buffer }): void {
  const statement = `INSERT INTO application_key (id, application_id, digest, created_by, created_at, hint, replaces)
     VALUES (@id, @application_id, @digest, @created_by, @created_at, @hint, @replaces)`
  sql(db, statement).run(row)
  recordChange(db, 'application_key', 'created', row.id)
}

/** Returns the number of keys of an application. */
export function countKeys(db: Database, application_id: string): number {
  const query = 'SELECT count(*) AS keys FROM application_key WHERE application_id = ?'
  const row = selectRow<{ keys: number }>(db, query, application_id)
  return row.keys
}

/** Returns the number of keys of management applications that have not expired (rule K-05). */
export function countManagementKeys(db: Database, now: number): number {
  const query = `SELECT count(*) AS keys FROM application_key k JOIN application a ON a.id = k.application_id
     WHERE a.type = 'management' AND (a.expires_at IS NULL OR a.expires_at > ?)`
  const row = selectRow<{ keys: number }>(db, query, now)
  return row.keys
}

/** Returns the keys of several applications, newest first within each. */
export function listKeysOfApplications(db: Database, application_ids: readonly string[]): KeyRow[] {
  const query = `SELECT ${columns} FROM application_key WHERE application_id IN (SELECT value FROM json_each(?))
     ORDER BY created_at DESC, rowid DESC`
  return sql<KeyRow>(db, query).all(JSON.stringify(application_ids))
}

/** Returns a key of an application, or undefined. */
export function findKey(db: Database, application_id: string, id: string): KeyRow | undefined {
  const query = `SELECT ${columns} FROM application_key WHERE application_id = ? AND id = ?`
  return sql<KeyRow>(db, query).get(application_id, id)
}

/** Ends the rotation a key was created for. Both keys remain. */
export function endKeyRotation(db: Database, id: string): void {
  const statement = 'UPDATE application_key SET replaces = NULL WHERE id = ? AND replaces IS NOT NULL'
  const { changes } = sql(db, statement).run(id)
  if (changes > 0) recordChange(db, 'application_key', 'updated', id)
}

/** Stores when a key was last used. Returns false if the key no longer exists. */
export function saveLastUse(db: Database, id: string, at: number): boolean {
  const { changes } = sql(db, 'UPDATE application_key SET last_used_at = ? WHERE id = ?').run(at, id)
  if (changes > 0) recordChange(db, 'key_use', 'updated', id)
  return changes > 0
}

/** Stores the hint of a key that has none yet. */
export function saveHint(db: Database, id: string, hint: string): void {
  const statement = 'UPDATE application_key SET hint = ? WHERE id = ? AND hint IS NULL'
  const { changes } = sql(db, statement).run(hint, id)
  if (changes > 0) recordChange(db, 'key_use', 'updated', id)
}

/** Deletes a key. Its last use is stored in the application. */
export function deleteKey(db: Database, { id, application_id, last_used_at }: KeyRow, now: number): void {
  sql(db, 'DELETE FROM application_key WHERE id = ?').run(id)
  recordChange(db, 'application_key', 'deleted', id)
  if (last_used_at !== null) raiseLastUse(db, application_id, { at: last_used_at, now })
}
