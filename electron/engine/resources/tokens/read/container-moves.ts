import type { Database } from '../../../db/open.ts'
import { selectRow, sql } from '../../../db/statement.ts'
import type { TokenRow } from '../store.ts'

/** Returns the number of the last move to another primary container; a walk that begins now ignores all so far. */
export function findLastMove(db: Database): number {
  const row = selectRow<{ seq: number }>(db, 'SELECT coalesce(max(seq), 0) AS seq FROM token_move')
  return row.seq
}

/** Returns a token's container right after move `since`, where a walk that began then finds it (rule L-03). */
export function findContainerSince(
  db: Database,
  { id, created_at, container }: TokenRow,
  since: number,
): string {
  const query =
    'SELECT container FROM token_move WHERE id = ? AND created_at = ? AND seq > ? ORDER BY seq LIMIT 1'
  const first = sql<{ container: string }>(db, query).get(id, created_at, since)
  return first?.container ?? container
}

/** Deletes up to `limit` moves older than `before`, which no walk needs, and returns how many (rule L-03). */
export function deleteOldMoves(db: Database, before: number, limit: number): number {
  const statement =
    'DELETE FROM token_move WHERE seq IN (SELECT seq FROM token_move WHERE moved_at <= ? LIMIT ?)'
  return sql(db, statement).run(before, limit).changes
}
