import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { LogDetail } from '../../pipeline/detail.ts'

/** The maximum number of records with the same time that are searched (rule R-03). */
const MAX_READ_RECORDS = 4096

/**
 * Returns the `seq` of the log record for the call that created a token together with others; undefined if there is
 * none, or if the token no longer exists. Such a record stores the range of its tokens' positions, because storing
 * every id would cost two rows per token.
 */
export function findCreation(db: Database, token_id: string): number | undefined {
  const token = sql<{ seq: number; created_at: number }>(
    db,
    'SELECT seq, created_at FROM token WHERE id = ?',
  ).get(token_id)
  if (!token) return undefined
  const records = sql<{ seq: number; detail: string }>(
    db,
    `SELECT seq, detail FROM
       (SELECT seq, operation, detail FROM log INDEXED BY log_by_type WHERE entity_type = 'token' AND at = ? LIMIT ${MAX_READ_RECORDS})
     WHERE operation = 'tokens.createMany' AND detail IS NOT NULL ORDER BY seq DESC`,
  ).all(token.created_at)
  return records.find(({ detail }) => {
    const { created } = JSON.parse(detail) as LogDetail
    return created && created[0] <= token.seq && token.seq <= created[1]
  })?.seq
}
