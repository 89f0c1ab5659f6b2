import { recordChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { listRows } from '../../crud.ts'

/** The maximum number of stored runs (rule F-04). */
const MAX_RUNS = 200

export type RunRow = {
  id: string
  trace_id: string
  reactor_id: string | null
  proxy_id: string | null
  kind: 'react' | 'react-async' | 'transform' | 'try'
  status: number
  duration_us: number
  created_at: number
  /** Sealed JSON of `RunContent`. */
  content: Buffer
}

const summary = 'id, trace_id, reactor_id, proxy_id, kind, status, duration_us, created_at'

/** Stores a run, and deletes all but the newest 200. */
export function insertRun(db: Database, row: RunRow): void {
  sql(
    db,
    `INSERT INTO reactor_run (${summary}, content) VALUES (@id, @trace_id, @reactor_id, @proxy_id, @kind, @status,
     @duration_us, @created_at, @content)`,
  ).run(row)
  const before = sql<{ id: string }>(
    db,
    `DELETE FROM reactor_run WHERE seq <= (SELECT seq FROM reactor_run ORDER BY seq DESC LIMIT 1 OFFSET ?)
     RETURNING id`,
  ).all(MAX_RUNS)
  recordChange(db, 'reactor_run', 'created', row.id)
  recordDeleted(db, before)
}

export function findRun(db: Database, id: string): RunRow | undefined {
  return sql<RunRow>(db, `SELECT ${summary}, content FROM reactor_run WHERE id = ?`).get(id)
}

/** Deletes every run, and returns how many it deleted. */
export function deleteRuns(db: Database): number {
  const deleted = sql<{ id: string }>(db, 'DELETE FROM reactor_run RETURNING id').all()
  recordDeleted(db, deleted)
  return deleted.length
}

function recordDeleted(db: Database, rows: readonly { readonly id: string }[]): void {
  for (const { id } of rows) recordChange(db, 'reactor_run', 'deleted', id)
}

const matching = `(@reactor_id IS NULL OR reactor_id = @reactor_id) AND (@proxy_id IS NULL OR proxy_id = @proxy_id)
  AND (@trace_id IS NULL OR trace_id = @trace_id)`

type RunFilter = { reactor_id: string | null; proxy_id: string | null; trace_id: string | null }

/** Lists a page of runs without their content, newest first, with the total number of matches. */
export function listRuns(
  db: Database,
  filter: RunFilter,
  limit: number,
  offset: number,
): { rows: Omit<RunRow, 'content'>[]; total: number } {
  return listRows(
    db,
    { table: 'reactor_run', columns: summary, matching, order: 'seq DESC' },
    filter,
    limit,
    offset,
  )
}
