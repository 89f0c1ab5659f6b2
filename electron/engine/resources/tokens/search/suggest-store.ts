import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { getUpperBound } from '../terms/terms.ts'

/** A term, and the `seq` of the oldest token that has it. One seek finds both. */
export type TermAt = { readonly term: Buffer; readonly seq: number }

/** Yields the distinct terms with a prefix. */
export function* iterateTermsWithPrefix(db: Database, prefix: Buffer): Generator<TermAt> {
  const to = getUpperBound(prefix)
  let row = sql<TermAt>(db, 'SELECT term, seq FROM token_term WHERE term >= ? AND term < ? LIMIT 1').get(
    prefix,
    to,
  )
  while (row) {
    yield row
    row = sql<TermAt>(db, 'SELECT term, seq FROM token_term WHERE term > ? AND term < ? LIMIT 1').get(
      row.term,
      to,
    )
  }
}

/** Returns the `seq` of up to `limit` tokens with a term, newest first. */
export function listNewestWithTerm(db: Database, term: Buffer, limit: number): number[] {
  return sql<number>(db, 'SELECT seq FROM token_term WHERE term = ? ORDER BY seq DESC LIMIT ?')
    .pluck()
    .all(term, limit)
}

/** Returns the types of the stored tokens. */
export function listStoredTypes(db: Database): string[] {
  return sql<string>(db, 'SELECT type FROM token_type_count WHERE tokens > 0').pluck().all()
}

/** Returns up to `limit` primary containers, sorted by path, starting at a path. */
export function listContainersFrom(db: Database, from: string, limit: number): string[] {
  return sql<string>(
    db,
    'SELECT DISTINCT container FROM token_count WHERE container >= ? AND tokens > 0 LIMIT ?',
  )
    .pluck()
    .all(from, limit)
}
