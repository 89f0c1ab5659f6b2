import type { Database } from '../../../db/open.ts'
import { selectRow, sql } from '../../../db/statement.ts'
import type { TokenRow } from '../store.ts'

/**
 * Returns the number of the last move of a token to another primary container. A walk that begins now ignores the
 * moves up to this one.
 */
export function findLastMove(db: Database): number {
  const row = selectRow<{ seq: number }>(db, 'SELECT coalesce(max(seq), 0) AS seq FROM token_move')
  return row.seq
}

/**
 * Returns the container that a token had right after move `since`. A walk that began then finds the token there
 * (rule L-03).
 */
export function findContainerSince(
  db: Database,
  { id, created_at, container }: TokenRow,
  since: number,
): string {
  const first = sql<{ container: string }>(
    db,
    'SELECT container FROM token_move WHERE id = ? AND created_at = ? AND seq > ? ORDER BY seq LIMIT 1',
  ).get(id, created_at, since)
  return first?.container ?? container
}

/**
 * Deletes up to `limit` moves made before `before`, which no walk needs any more. Returns how many it deleted (rule
 * L-03).
 */
export function deleteOldMoves(db: Database, before: number, limit: number): number {
  return sql(
    db,
    'DELETE FROM token_move WHERE seq IN (SELECT seq FROM token_move WHERE moved_at <= ? LIMIT ?)',
  ).run(before, limit).changes
}
