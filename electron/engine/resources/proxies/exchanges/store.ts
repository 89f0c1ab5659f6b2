import { recordChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { listRows } from '../../crud.ts'

/** The maximum number of stored exchanges (rule G-07). */
const MAX_EXCHANGES = 200

export type ExchangeRow = {
  id: string
  trace_id: string
  proxy_id: string | null
  method: string
  host: string
  path: string
  status: number | null
  duration_us: number
  created_at: number
  /** Sealed JSON of `ExchangeContent`. */
  content: Buffer
}

const summary = 'id, trace_id, proxy_id, method, host, path, status, duration_us, created_at'

/** Stores an exchange, and deletes all but the newest 200. */
export function insertExchange(db: Database, row: ExchangeRow): void {
  sql(
    db,
    `INSERT INTO exchange (${summary}, content) VALUES (@id, @trace_id, @proxy_id, @method, @host, @path, @status,
     @duration_us, @created_at, @content)`,
  ).run(row)
  const before = sql<{ id: string }>(
    db,
    'DELETE FROM exchange WHERE seq <= (SELECT seq FROM exchange ORDER BY seq DESC LIMIT 1 OFFSET ?) RETURNING id',
  ).all(MAX_EXCHANGES)
  recordChange(db, 'exchange', 'created', row.id)
  recordDeleted(db, before)
}

export function findExchange(db: Database, id: string): ExchangeRow | undefined {
  return sql<ExchangeRow>(db, `SELECT ${summary}, content FROM exchange WHERE id = ?`).get(id)
}

/** Deletes every exchange, and returns how many it deleted. */
export function deleteExchanges(db: Database): number {
  const deleted = sql<{ id: string }>(db, 'DELETE FROM exchange RETURNING id').all()
  recordDeleted(db, deleted)
  return deleted.length
}

function recordDeleted(db: Database, rows: readonly { readonly id: string }[]): void {
  for (const { id } of rows) recordChange(db, 'exchange', 'deleted', id)
}

const matching = '(@proxy_id IS NULL OR proxy_id = @proxy_id) AND (@trace_id IS NULL OR trace_id = @trace_id)'

/** Lists a page of exchanges without their content, newest first, with the total number of matches. */
export function listExchanges(
  db: Database,
  filter: { proxy_id: string | null; trace_id: string | null },
  limit: number,
  offset: number,
): { rows: Omit<ExchangeRow, 'content'>[]; total: number } {
  return listRows(
    db,
    { table: 'exchange', columns: summary, matching, order: 'seq DESC' },
    filter,
    limit,
    offset,
  )
}
