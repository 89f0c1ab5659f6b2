import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

export type KeyRow = {
  id: string
  application_id: string
  created_by: string | null
  created_at: number
  last_used_at: number | null
}

const columns = 'id, application_id, created_by, created_at, last_used_at'

export function insertKey(db: Database, row: Omit<KeyRow, 'last_used_at'> & { digest: Buffer }): void {
  sql(
    db,
    `INSERT INTO application_key (id, application_id, digest, created_by, created_at)
     VALUES (@id, @application_id, @digest, @created_by, @created_at)`,
  ).run(row)
}

export function countKeys(db: Database, application_id: string): number {
  const row = sql(db, 'SELECT count(*) AS keys FROM application_key WHERE application_id = ?').get(
    application_id,
  ) as { keys: number }
  return row.keys
}

/** How many keys of management applications are left that have not expired (rule K-05). */
export function countManagementKeys(db: Database, now: number): number {
  const row = sql(
    db,
    `SELECT count(*) AS keys FROM application_key k JOIN application a ON a.id = k.application_id
     WHERE a.type = 'management' AND (a.expires_at IS NULL OR a.expires_at > ?)`,
  ).get(now) as { keys: number }
  return row.keys
}

export function listKeys(db: Database, application_id: string, limit: number, offset: number): KeyRow[] {
  return sql(
    db,
    `SELECT ${columns} FROM application_key WHERE application_id = ?
     ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
  ).all(application_id, limit, offset) as KeyRow[]
}

export function findKey(db: Database, application_id: string, id: string): KeyRow | undefined {
  return sql(db, `SELECT ${columns} FROM application_key WHERE application_id = ? AND id = ?`).get(
    application_id,
    id,
  ) as KeyRow | undefined
}

export function deleteKey(db: Database, id: string): void {
  sql(db, 'DELETE FROM application_key WHERE id = ?').run(id)
}
