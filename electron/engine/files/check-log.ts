import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { type ChainedRecord, formatChainText, type LogChainLink } from '../pipeline/log-chain.ts'

/** The result of checking the log's chain. */
export type LogCheck = {
  /** The number of records whose digests show that they are unaltered. */
  readonly records: number
  /**
   * The number of records that cannot be checked: those older than the chain, and those written together with
   * records that retention has deleted.
   */
  readonly unchecked: number
  /** The first altered range of record numbers; null if no record was altered. */
  readonly broken: { readonly first: number; readonly last: number } | null
}

const BATCH_ROWS = 500

/**
 * Uses the chain to check that no log record was altered, added, moved, or removed except by retention. Reads a
 * snapshot, so other connections can write to the file meanwhile. Returns null for a file of an older format, which
 * has no chain.
 */
export function checkLog(
  db: Database,
  keyring: Keyring,
  onProgress: (done: number, total: number) => void = () => {},
): LogCheck | null {
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log_chain'").get()) return null
  return db.transaction(() => checkChain(db, keyring, onProgress))()
}

function checkChain(
  db: Database,
  keyring: Keyring,
  onProgress: (done: number, total: number) => void,
): LogCheck {
  const start = sql<LogChainLink>(db, 'SELECT * FROM log_chain ORDER BY first LIMIT 1').get()
  const written = Number(sql(db, "SELECT seq FROM sqlite_sequence WHERE name = 'log'").pluck().get() ?? 0)
  if (!start) return { records: 0, unchecked: 0, broken: { first: 1, last: written } }
  let records = 0
  let unchecked = countRecords(db, 0, start.last)
  // A chain shortened by retention starts after deleted records. Records that still exist may precede only the chain of
  // an older vault, whose first digest is empty.
  const startsLate = unchecked > 0 && start.digest.length > 0
  let broken: LogCheck['broken'] = startsLate ? { first: 0, last: start.last } : null
  let previous = start
  for (const link of readLinks(db, start, (done) => onProgress(done, Math.max(written, done)))) {
    if (link.first !== previous.last + 1) broken ??= { first: previous.last + 1, last: link.first - 1 }
    const stored = readRecords(db, link)
    const state = checkLink(db, keyring, previous, link, stored)
    if (state === 'unchecked') unchecked += stored.length
    else if (state === 'intact') records += stored.length
    else broken ??= { first: link.first, last: link.last }
    previous = link
  }
  broken ??= findBreakAfter(db, previous.last, written)
  return { records, unchecked, broken }
}

/** Yields the links after `link`. Calls `onBatch` with the last record of each batch that was consumed. */
function* readLinks(
  db: Database,
  link: LogChainLink,
  onBatch: (last: number) => void,
): Generator<LogChainLink> {
  const next = sql<LogChainLink>(db, 'SELECT * FROM log_chain WHERE first > ? ORDER BY first LIMIT ?')
  let last = link
  let links: LogChainLink[]
  do {
    links = next.all(last.first, BATCH_ROWS)
    yield* links
    last = links.at(-1) ?? last
    onBatch(last.last)
  } while (links.length === BATCH_ROWS)
}

/** Returns the records that follow the end of the chain, or that the chain has and the log does not. */
function findBreakAfter(db: Database, last: number, written: number): LogCheck['broken'] {
  if (last !== written) return { first: Math.min(last, written) + 1, last: Math.max(last, written) }
  if (countRecords(db, last + 1, Number.MAX_SAFE_INTEGER) > 0) return { first: last + 1, last: written }
  return null
}

function checkLink(
  db: Database,
  keyring: Keyring,
  previous: LogChainLink,
  { first, last, gone, digest }: LogChainLink,
  stored: readonly ChainedRecord[],
): 'intact' | 'unchecked' | 'broken' {
  if (stored.length !== last - first + 1 - gone) return 'broken'
  if (gone > 0) return 'unchecked'
  return computeDigest(db, keyring, previous, stored).equals(digest) ? 'intact' : 'broken'
}

function countRecords(db: Database, first: number, last: number): number {
  return Number(sql(db, 'SELECT count(*) FROM log WHERE seq >= ? AND seq <= ?').pluck().get(first, last))
}

function readRecords(db: Database, { first, last }: LogChainLink): ChainedRecord[] {
  return sql<ChainedRecord>(db, 'SELECT * FROM log WHERE seq >= ? AND seq <= ? ORDER BY seq').all(first, last)
}

function computeDigest(
  db: Database,
  keyring: Keyring,
  previous: LogChainLink,
  records: readonly ChainedRecord[],
): Buffer {
  const texts = records.map((record) => formatChainText(record, readEntityIds(db, record.seq)))
  return keyring.computeChainDigest(previous.digest, texts.join('\n'))
}

function readEntityIds(db: Database, seq: number): string[] {
  const ids = 'SELECT entity_id FROM log_entity WHERE seq = ?'
  return sql<string>(db, ids).pluck().all(seq)
}
