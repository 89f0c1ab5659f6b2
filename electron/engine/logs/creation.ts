import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { LogDetail } from '../pipeline/detail.ts'

/** The most records of one moment that are read (rule R-03). */
const MAX_READ_RECORDS = 4096

/**
 * Returns the place in the log of the call that created a token together with others; undefined where there is none, or
 * the token is gone. Such a record names the places of its tokens rather than each id, which would cost two rows a token.
 */
export function findCreation(db: Database, token_id: string): number | undefined {
  const token = sql(db, 'SELECT seq, created_at FROM token WHERE id = ?').get(token_id) as
    | { seq: number; created_at: number }
    | undefined
  if (!token) return undefined
  const records = sql(
    db,
    `SELECT seq, detail FROM
       (SELECT seq, operation, detail FROM log INDEXED BY log_by_type WHERE entity_type = 'token' AND at = ? LIMIT ${MAX_READ_RECORDS})
     WHERE operation = 'tokens.createMany' AND detail IS NOT NULL ORDER BY seq DESC`,
  ).all(token.created_at) as { seq: number; detail: string }[]
  return records.find(({ detail }) => {
    const { created } = JSON.parse(detail) as LogDetail
    return created && created[0] <= token.seq && token.seq <= created[1]
  })?.seq
}
