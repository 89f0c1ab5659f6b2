import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/** A log record as stored in the file. */
export type ChainedRecord = {
  readonly seq: number
  readonly at: number
  readonly actor_type: string
  readonly actor_id: string | null
  readonly operation: string
  readonly entity_type: string
  readonly entity_id: string | null
  readonly status: number
  readonly note: string | null
  readonly trace_id: string
  readonly duration_us: number
  readonly request: string | null
  readonly key_hint: string | null
  readonly detail: string | null
  /** The program according to its user agent. Like `http`, absent in a file of an older format. */
  readonly agent?: string | null
  readonly http?: string | null
}

/** A row of the chain. It covers the records of one write; `gone` counts those that retention has deleted. */
export type LogChainLink = {
  readonly first: number
  readonly last: number
  readonly gone: number
  readonly digest: Buffer
}

/** Formats the text of which a record's digest is computed. It includes the ids of all the record's entities. */
export function formatChainText(r: ChainedRecord, entity_ids: readonly string[]): string {
  const { agent = null, http = null } = r
  const members = [
    r.seq,
    r.at,
    r.actor_type,
    r.actor_id,
    r.operation,
    r.entity_type,
    r.entity_id,
    r.status,
    r.note,
    r.trace_id,
    r.duration_us,
    r.request,
    r.key_hint,
    r.detail,
    ...(entity_ids.length > 1 ? [...new Set(entity_ids)].sort() : entity_ids),
    // For a record older than these two columns, the text must be the one from which the record's digest was computed.
    ...(agent === null && http === null ? [] : [[agent, http]]),
  ]
  // SQLite stores a lone surrogate as the replacement character.
  return JSON.stringify(members.map((each) => (typeof each === 'string' ? each.toWellFormed() : each)))
}

/** Adds newly written records to the chain, in order, inside the caller's transaction. */
export function extendChain(db: Database, keyring: Keyring, first: number, texts: readonly string[]): void {
  const before = sql(db, 'SELECT digest FROM log_chain ORDER BY first DESC LIMIT 1').pluck().get() as Buffer
  const digest = keyring.computeChainDigest(before, texts.join('\n'))
  sql(db, 'INSERT INTO log_chain (first, last, digest) VALUES (?, ?, ?)').run(
    first,
    first + texts.length - 1,
    digest,
  )
}

/** Counts a record that retention deletes, so that the chain check does not report it as missing. */
export function countDeletedRecord(db: Database, seq: number): void {
  const statement = `UPDATE log_chain SET gone = gone + 1 WHERE first =
       (SELECT first FROM log_chain WHERE first <= ? ORDER BY first DESC LIMIT 1)`
  sql(db, statement).run(seq)
}

/**
 * Deletes up to `limit` rows of the chain, oldest first, if retention has deleted all of their records. The last such
 * row stays, because the digest of the next row depends on it. Returns whether there may be more.
 */
export function shortenChain(db: Database, limit: number): boolean {
  const oldest = Number(sql(db, 'SELECT min(seq) FROM log').pluck().get() ?? Number.MAX_SAFE_INTEGER)
  const links = sql(db, 'SELECT first, last, gone FROM log_chain WHERE first < ? ORDER BY first LIMIT ?').all(
    oldest,
    limit + 1,
  ) as Omit<LogChainLink, 'digest'>[]
  // The first row covers no records that still exist.
  const end = links.findIndex(
    ({ first, last, gone }, at) => last >= oldest || (at > 0 && gone !== last - first + 1),
  )
  const newFirst = links[(end === -1 ? links.length : end) - 1]
  if (!newFirst || newFirst === links[0]) return false
  sql(db, 'DELETE FROM log_chain WHERE first < ?').run(newFirst.first)
  return end === -1 && links.length > limit
}
