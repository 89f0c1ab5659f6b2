import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

export type ThreeDsRow = {
  id: string
  /**
   * The id of the challenge. It is random, and only the client that authenticates gets it, because whoever knows it
   * can answer the challenge.
   */
  acs_transaction_id: string
  /** Sealed JSON of `ThreeDsContent`. */
  content: Buffer
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
  expires_at: number
}

const columns =
  'id, acs_transaction_id, content, created_by, created_at, modified_by, modified_at, expires_at'

/** Stores a new 3D Secure session (rule S-01). */
export function insertThreeDs(db: Database, row: ThreeDsRow): void {
  sql(
    db,
    `INSERT INTO three_ds_session (${columns}) VALUES (@id, @acs_transaction_id, @content, @created_by, @created_at,
     @modified_by, @modified_at, @expires_at)`,
  ).run(row)
  recordChange(db, 'three_ds_session', 'created', row.id)
}

export function findThreeDs(db: Database, id: string, now: number): ThreeDsRow | undefined {
  return sql<ThreeDsRow>(db, `SELECT ${columns} FROM three_ds_session WHERE id = ? AND expires_at > ?`).get(
    id,
    now,
  )
}

/** Finds a session by the id of its challenge, if it has not expired. */
export function findChallenge(db: Database, acs_transaction_id: string, now: number): ThreeDsRow | undefined {
  return sql<ThreeDsRow>(
    db,
    `SELECT ${columns} FROM three_ds_session WHERE acs_transaction_id = ? AND expires_at > ?`,
  ).get(acs_transaction_id, now)
}

/** Whether this is the id of a session that has not expired, or of its challenge. */
export function isThreeDs(db: Database, id: string, now: number): boolean {
  return (findThreeDs(db, id, now) ?? findChallenge(db, id, now)) !== undefined
}

export function updateThreeDs(
  db: Database,
  row: Pick<ThreeDsRow, 'id' | 'content' | 'modified_by' | 'modified_at' | 'expires_at'>,
): void {
  sql(
    db,
    `UPDATE three_ds_session SET content = @content, modified_by = @modified_by, modified_at = @modified_at,
     expires_at = @expires_at WHERE id = @id`,
  ).run(row)
  recordChange(db, 'three_ds_session', 'updated', row.id)
}

/**
 * Deletes up to `limit` expired sessions while `hasTime` returns true. Returns how many it deleted (rules S-01, R-03).
 */
export function deleteExpiredThreeDs(
  db: Database,
  now: number,
  limit: number,
  hasTime: () => boolean,
): number {
  const expired = sql<string>(db, 'SELECT id FROM three_ds_session WHERE expires_at <= ? LIMIT ?').pluck()
  let deleted = 0
  for (const id of expired.all(now, limit)) {
    sql(db, 'DELETE FROM three_ds_session WHERE id = ?').run(id)
    recordChange(db, 'three_ds_session', 'deleted', id)
    deleted++
    if (!hasTime()) break
  }
  return deleted
}
