import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { deleteById } from '../crud.ts'

export type ClientKeyRow = {
  id: string
  /** The private half in base64url, sealed. */
  private: Buffer
  /** The 32 bytes of the public half. */
  public: Buffer
  created_at: number
  expires_at: number
}

const columns = 'id, private, public, created_at, expires_at'

/** Stores a new client encryption key (rule C-01). */
export function insertClientKey(db: Database, row: ClientKeyRow): void {
  sql(
    db,
    `INSERT INTO client_key (${columns}) VALUES (@id, @private, @public, @created_at, @expires_at)`,
  ).run(row)
  recordChange(db, 'client_key', 'created', row.id)
}

/** Returns a key that has not expired, or undefined. */
export function findClientKey(db: Database, id: string, now: number): ClientKeyRow | undefined {
  const row = sql<ClientKeyRow>(db, `SELECT ${columns} FROM client_key WHERE id = ? AND expires_at > ?`).get(
    id,
    now,
  )
  return row
}

/** Returns every key that has not expired, newest first. */
export function listClientKeys(db: Database, now: number): ClientKeyRow[] {
  return sql<ClientKeyRow>(
    db,
    `SELECT ${columns} FROM client_key WHERE expires_at > ? ORDER BY created_at DESC, rowid DESC`,
  ).all(now)
}

/** Deletes a key. What clients encrypted for it can no longer be decrypted. */
export function deleteClientKey(db: Database, id: string): void {
  deleteById(db, 'client_key', id)
}

/** Deletes up to `limit` expired keys and returns how many. */
export function deleteExpiredClientKeys(db: Database, now: number, limit: number): number {
  const deleted = sql<{ id: string }>(
    db,
    'DELETE FROM client_key WHERE id IN (SELECT id FROM client_key WHERE expires_at <= ? LIMIT ?) RETURNING id',
  ).all(now, limit)
  for (const { id } of deleted) recordChange(db, 'client_key', 'deleted', id)
  return deleted.length
}
