import type { Keyring } from '../../crypto/keyring.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { toLogId } from '../../pipeline/log-id.ts'
import { BLOCK_SIZE, packPositions } from './position-sets.ts'
import { buildKindTerms, type SharedLogTerms } from './terms.ts'

/** A block ends once its records about several entities have this many ids in total, even if it has few records. */
const MAX_BLOCK_IDS = 8192
/** The number of terms that one step writes. */
const TERMS_PER_STEP = 512
/** The number of older records whose ids are masked at a time. */
const MAX_MASKED_RECORDS = 2000

/** Returns the `seq` of the last indexed record; 0 if there is none. */
export function readLastIndexed(db: Database): number {
  const row = sql<{ last: number }>(db, 'SELECT last FROM log_block ORDER BY first DESC LIMIT 1').get()
  return row?.last ?? 0
}

/**
 * Indexes the oldest records without a block as a new block, if there are enough, in steps of a millisecond or two.
 * Run each step in its own transaction, and restart after a step that failed. Searches use the block once the last
 * step is done. Returns whether there may be more to do.
 */
export function* indexBlock(db: Database, keyring: Keyring): Generator<void, boolean> {
  if (maskOldIds(db, keyring)) return true
  const range = findNextRange(db)
  if (!range) return false
  deleteUnfinished(db)
  yield
  for (const read of [readEntityTerms, readTraceTerms]) {
    const terms = read(db, range)
    for (let at = 0; at < terms.length; at += TERMS_PER_STEP) {
      yield
      insertTerms(db, range, terms.slice(at, at + TERMS_PER_STEP))
    }
    yield
  }
  finishBlock(db, range)
  return true
}

/**
 * Deletes the ids of an unfinished block. A block stays unfinished if the process ends, or if some of the block's
 * records are deleted meanwhile.
 */
function deleteUnfinished(db: Database): void {
  sql(db, 'DELETE FROM log_id WHERE block > (SELECT coalesce(max(first), 0) FROM log_block)').run()
}

/** A term with the `seq` of its record. Terms are sorted as in the table, so that each page is written once. */
type IdTerm = readonly [term: string, seq: number]

function readEntityTerms(db: Database, { first, last }: BlockRange): IdTerm[] {
  const query = `SELECT 'e' || entity_id, seq FROM log WHERE seq >= ? AND seq <= ? AND entity_id IS NOT NULL
     UNION ALL SELECT 'e' || entity_id, seq FROM log_entity WHERE seq >= ? AND seq <= ?
     ORDER BY 1, 2`
  return sql(db, query).raw().all(first, last, first, last) as IdTerm[]
}

function readTraceTerms(db: Database, { first, last }: BlockRange): IdTerm[] {
  return sql(db, "SELECT 't' || trace_id, seq FROM log WHERE seq >= ? AND seq <= ? ORDER BY 1, 2")
    .raw()
    .all(first, last) as IdTerm[]
}

function insertTerms(db: Database, { first }: BlockRange, terms: readonly IdTerm[]): void {
  const insert = sql(db, 'INSERT INTO log_id (block, term, seq) VALUES (?, ?, ?)')
  for (const [term, seq] of terms) insert.run(first, term, seq)
}

/** Adds the finished block, unless some of its records were deleted since its range was chosen. */
function finishBlock(db: Database, range: BlockRange): void {
  const { first, last, records } = range
  const statement = `INSERT INTO log_block (first, last, first_at, last_at)
     SELECT ?, ?, min(at), max(at) FROM log WHERE seq >= ? AND seq <= ? HAVING count(*) = ?`
  const { changes } = sql(db, statement).run(first, last, first, last, records)
  if (changes === 1) indexKinds(db, range)
}

type BlockRange = { readonly first: number; readonly last: number; readonly records: number }

/** Returns the records of the next block; null while there are too few. */
function findNextRange(db: Database): BlockRange | null {
  const query = 'SELECT seq FROM log WHERE seq > ? ORDER BY seq LIMIT ?'
  const seqs = sql<{ seq: number }>(db, query).all(readLastIndexed(db), BLOCK_SIZE)
  const [{ seq: first } = { seq: 0 }] = seqs
  const near = seqs.filter(({ seq }) => seq - first < BLOCK_SIZE)
  const end = near.at(-1)?.seq
  if (end === undefined) return null
  const crowded = sql<{ seq: number }>(
    db,
    `SELECT seq FROM log_entity WHERE seq >= ? AND seq <= ?
     ORDER BY seq LIMIT 1 OFFSET ?`,
  ).get(first, end, MAX_BLOCK_IDS)
  if (!crowded && seqs.length < BLOCK_SIZE) return null
  const last = crowded?.seq ?? end
  return { first, last, records: near.filter(({ seq }) => seq <= last).length }
}

/** Writes the terms that many records of a block share, each with the positions of its records. */
function indexKinds(db: Database, { first, last }: BlockRange): void {
  const query = `SELECT status, entity_type, operation, actor_type, actor_id, agent, group_concat(seq - ?) AS places FROM log
     WHERE seq >= ? AND seq <= ? GROUP BY status, entity_type, operation, actor_type, actor_id, agent`
  const kinds = sql<SharedLogTerms & { places: string }>(db, query).all(first, first, last)
  const positionsByTerm = new Map<string, number[]>()
  for (const { places, ...kind } of kinds) {
    const at = places.split(',').map(Number)
    for (const term of buildKindTerms(kind))
      positionsByTerm.set(term, [...(positionsByTerm.get(term) ?? []), ...at])
  }
  for (const [term, places] of positionsByTerm) {
    const statement = 'INSERT INTO log_term (block, term, places) VALUES (?, ?, ?)'
    sql(db, statement).run(first, term, packPositions(places))
  }
}

/** Masks ids in older records, which were stored unmasked. Returns whether there were any. */
function maskOldIds(db: Database, keyring: Keyring): boolean {
  const query = 'SELECT seq, entity_id FROM log_unmasked LIMIT ?'
  const old = sql<{ seq: number; entity_id: string }>(db, query).all(MAX_MASKED_RECORDS)
  for (const { seq, entity_id } of old) {
    const recordedEntity = toLogId(entity_id, keyring)
    if (recordedEntity !== entity_id) {
      const statement = 'UPDATE log SET entity_id = ? WHERE seq = ? AND entity_id = ?'
      sql(db, statement).run(recordedEntity, seq, entity_id)
      const replacement = 'UPDATE OR REPLACE log_entity SET entity_id = ? WHERE seq = ? AND entity_id = ?'
      sql(db, replacement).run(recordedEntity, seq, entity_id)
    }
    sql(db, 'DELETE FROM log_unmasked WHERE seq = ? AND entity_id = ?').run(seq, entity_id)
  }
  return old.length > 0
}
