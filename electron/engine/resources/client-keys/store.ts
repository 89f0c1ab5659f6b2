import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { defineTable } from '../crud.ts'

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

/** Stores and deletes client encryption keys (rule C-01). */
export const { insertRow: insertClientKey, deleteRow: deleteClientKey } = defineTable<ClientKeyRow>(
  'client_key',
  columns,
)

/** Returns a key that has not expired, or undefined. */
export function findClientKey(db: Database, id: string, now: number): ClientKeyRow | undefined {
  const find = `SELECT ${columns} FROM client_key WHERE id = ? AND expires_at > ?`
  return sql<ClientKeyRow>(db, find).get(id, now)
}

/** Returns every key that has not expired, newest first. */
export function listClientKeys(db: Database, now: number): ClientKeyRow[] {
  const query = `SELECT ${columns} FROM client_key WHERE expires_at > ? ORDER BY created_at DESC, rowid DESC`
  return sql<ClientKeyRow>(db, query).all(now)
}
