import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { TokenRow } from '../store.ts'

/** The last move of a token to another primary container: what came before it, a walk that begins now need not know. */
export function lastMove(db: Database): number {
  const row = sql(db, 'SELECT coalesce(max(seq), 0) AS seq FROM token_move').get() as { seq: number }
  return row.seq
}

/** Where a token stood in a walk that began after move `since`: it keeps its place there (rule L-03). */
export function containerSince(db: Database, { id, created_at, container }: TokenRow, since: number): string {
  const first = sql(
    db,
    'SELECT container FROM token_move WHERE id = ? AND created_at = ? AND seq > ? ORDER BY seq LIMIT 1',
  ).get(id, created_at, since) as { container: string } | undefined
  return first?.container ?? container
}

/** Forgets up to `limit` moves that are older than any walk is expected to be; gives how many. */
export function deleteOldMoves(db: Database, before: number, limit: number): number {
  return sql(
    db,
    'DELETE FROM token_move WHERE seq IN (SELECT seq FROM token_move WHERE moved_at <= ? LIMIT ?)',
  ).run(before, limit).changes
}
