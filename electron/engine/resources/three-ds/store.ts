import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { defineNewestFirst, defineTable } from '../crud.ts'

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

/** Stores and updates 3D Secure sessions (rule S-01). */
export const { insertRow: insertThreeDs, updateRow: updateThreeDs } = defineTable<ThreeDsRow>(
  'three_ds_session',
  columns,
  'content, modified_by, modified_at, expires_at',
)

export const { listNewest: listThreeDs, countAll: countThreeDs } = defineNewestFirst<ThreeDsRow>(
  'three_ds_session',
  columns,
)

export function findThreeDs(db: Database, id: string, now: number): ThreeDsRow | undefined {
  const query = `SELECT ${columns} FROM three_ds_session WHERE id = ? AND expires_at > ?`
  return sql<ThreeDsRow>(db, query).get(id, now)
}

/** Finds a session by the id of its challenge, if it has not expired. */
export function findChallenge(db: Database, acs_transaction_id: string, now: number): ThreeDsRow | undefined {
  const query = `SELECT ${columns} FROM three_ds_session WHERE acs_transaction_id = ? AND expires_at > ?`
  return sql<ThreeDsRow>(db, query).get(acs_transaction_id, now)
}

/** Whether this is the id of a session that has not expired, or of its challenge. */
export function isThreeDs(db: Database, id: string, now: number): boolean {
  return (findThreeDs(db, id, now) ?? findChallenge(db, id, now)) !== undefined
}
