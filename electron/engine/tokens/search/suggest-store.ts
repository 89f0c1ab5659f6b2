import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { above } from '../terms/terms.ts'

/** A term and one token that has it: the oldest, which a seek finds. */
export type TermAt = { readonly term: Buffer; readonly seq: number }

/** Yields the terms with a beginning, each once. */
export function* termsBeginning(db: Database, beginning: Buffer): Generator<TermAt> {
  const to = above(beginning)
  let found = sql(db, 'SELECT term, seq FROM token_term WHERE term >= ? AND term < ? LIMIT 1').get(
    beginning,
    to,
  ) as TermAt | undefined
  while (found) {
    yield found
    found = sql(db, 'SELECT term, seq FROM token_term WHERE term > ? AND term < ? LIMIT 1').get(
      found.term,
      to,
    ) as TermAt | undefined
  }
}

/** Returns the newest tokens with a term. */
export function newestWith(db: Database, term: Buffer, limit: number): number[] {
  return sql(db, 'SELECT seq FROM token_term WHERE term = ? ORDER BY seq DESC LIMIT ?')
    .pluck()
    .all(term, limit) as number[]
}

/** Returns the types of tokens there are. */
export function typesHeld(db: Database): string[] {
  return sql(db, 'SELECT type FROM token_type_count WHERE tokens > 0').pluck().all() as string[]
}

/** Returns up to `limit` primary containers from a beginning on. */
export function containersFrom(db: Database, from: string, limit: number): string[] {
  return sql(db, 'SELECT DISTINCT container FROM token_count WHERE container >= ? AND tokens > 0 LIMIT ?')
    .pluck()
    .all(from, limit) as string[]
}
