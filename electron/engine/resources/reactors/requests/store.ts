import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'

export type ReactorRequestRow = {
  id: string
  reactor_id: string
  /** The application that made the request; null for the owner. */
  creator_id: string | null
  /** The vault opening during which the request was started. The run of an earlier opening can no longer finish. */
  opening: string
  expires_at: number
  /** The status of the result; null while the code runs. */
  status: number | null
  /** Sealed JSON of `RunResponse`; null while the code runs. */
  result: Buffer | null
}

/** Stores an asynchronous request, without its result (rule F-05). */
export function insertRequest(db: Database, row: Omit<ReactorRequestRow, 'status' | 'result'>): void {
  const statement = `INSERT INTO reactor_request (id, reactor_id, creator_id, opening, expires_at)
     VALUES (@id, @reactor_id, @creator_id, @opening, @expires_at)`
  sql(db, statement).run(row)
}

/** Stores a result, unless the request was deleted or already has one. */
export function saveResult(
  db: Database,
  id: string,
  status: number,
  result: Buffer,
  expires_at: number,
): void {
  const statement =
    'UPDATE reactor_request SET status = ?, result = ?, expires_at = ? WHERE id = ? AND status IS NULL'
  sql(db, statement).run(status, result, expires_at, id)
}

/** Finds a request of a reactor that has not expired. */
export function findRequest(
  db: Database,
  { id, reactor_id, now }: { readonly id: string; readonly reactor_id: string; readonly now: number },
): ReactorRequestRow | undefined {
  const query = `SELECT id, reactor_id, creator_id, opening, expires_at, status, result FROM reactor_request
     WHERE id = ? AND reactor_id = ? AND expires_at > ?`
  return sql<ReactorRequestRow>(db, query).get(id, reactor_id, now)
}

/** Deletes up to `limit` expired requests, and returns how many it deleted (rule F-05). */
export function deleteOldRequests(db: Database, now: number, limit: number): number {
  const statement =
    'DELETE FROM reactor_request WHERE id IN (SELECT id FROM reactor_request WHERE expires_at <= ? LIMIT ?)'
  return sql(db, statement).run(now, limit).changes
}
