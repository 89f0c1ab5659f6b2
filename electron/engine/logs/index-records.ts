import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { recordedId } from '../door/recorded-id.ts'
import { BLOCK, packed } from './places.ts'
import { type Kind, kindTermsOf } from './terms.ts'

/** A block is full once its records about several entities have this many ids, however few records it has. */
const MOST_IDS = 8192
/** How many older records get their ids masked at a time. */
const MASKED_AT_ONCE = 2000

/** The last record in a block; 0 if there is none. */
export function lastIndexed(db: Database): number {
  const row = sql(db, 'SELECT last FROM log_block ORDER BY first DESC LIMIT 1').get()
  return (row as { last: number } | undefined)?.last ?? 0
}

/**
 * Puts the oldest records without a block into one, if there are enough, inside the caller's transaction. Returns
 * whether there may be more to do.
 */
export function indexBlock(db: Database, keyring: Keyring): boolean {
  if (maskOld(db, keyring)) return true
  const range = nextRange(db)
  if (!range) return false
  const { first, last } = range
  sql(
    db,
    `INSERT INTO log_block (first, last, first_at, last_at)
     SELECT ?, ?, min(at), max(at) FROM log WHERE seq >= ? AND seq <= ?`,
  ).run(first, last, first, last)
  indexKinds(db, range)
  // In table order, so that each page is written once, sequentially.
  sql(
    db,
    `INSERT INTO log_id (block, term, seq)
     SELECT ?, 't' || trace_id AS term, seq FROM log WHERE seq >= ? AND seq <= ?
     UNION ALL SELECT ?, 'e' || entity_id, seq FROM log WHERE seq >= ? AND seq <= ? AND entity_id IS NOT NULL
     UNION ALL SELECT ?, 'e' || entity_id, seq FROM log_entity
       WHERE seq >= ? AND seq <= ?
     ORDER BY 2, 3`,
  ).run(first, first, last, first, first, last, first, first, last)
  return true
}

type Range = { readonly first: number; readonly last: number }

/** The records of the next block; null while there are too few. */
function nextRange(db: Database): Range | null {
  const seqs = sql(db, 'SELECT seq FROM log WHERE seq > ? ORDER BY seq LIMIT ?').all(
    lastIndexed(db),
    BLOCK,
  ) as { seq: number }[]
  const [{ seq: first } = { seq: 0 }] = seqs
  const near = seqs.filter(({ seq }) => seq - first < BLOCK)
  const last = near.at(-1)?.seq
  if (last === undefined) return null
  const crowded = sql(
    db,
    `SELECT seq FROM log_entity WHERE seq >= ? AND seq <= ?
     ORDER BY seq LIMIT 1 OFFSET ?`,
  ).get(first, last, MOST_IDS) as { seq: number } | undefined
  if (crowded) return { first, last: crowded.seq }
  return seqs.length === BLOCK ? { first, last } : null
}

/** The terms that many records of a block share: few terms, each with the places of its records. */
function indexKinds(db: Database, { first, last }: Range): void {
  const kinds = sql(
    db,
    `SELECT status, entity_type, operation, actor_type, actor_id, agent, group_concat(seq - ?) AS places FROM log
     WHERE seq >= ? AND seq <= ? GROUP BY status, entity_type, operation, actor_type, actor_id, agent`,
  ).all(first, first, last) as (Kind & { places: string })[]
  const placesOf = new Map<string, number[]>()
  for (const { places, ...kind } of kinds) {
    const at = places.split(',').map(Number)
    for (const term of kindTermsOf(kind)) placesOf.set(term, [...(placesOf.get(term) ?? []), ...at])
  }
  for (const [term, places] of placesOf) {
    sql(db, 'INSERT INTO log_term (block, term, places) VALUES (?, ?, ?)').run(first, term, packed(places))
  }
}

/** Masks ids in older records, which were stored unmasked. Returns whether there were any. */
function maskOld(db: Database, keyring: Keyring): boolean {
  const old = sql(db, 'SELECT seq, entity_id FROM log_unmasked LIMIT ?').all(MASKED_AT_ONCE) as {
    seq: number
    entity_id: string
  }[]
  for (const { seq, entity_id } of old) {
    const kept = recordedId(entity_id, keyring)
    if (kept !== entity_id) {
      sql(db, 'UPDATE log SET entity_id = ? WHERE seq = ? AND entity_id = ?').run(kept, seq, entity_id)
      sql(db, 'UPDATE OR REPLACE log_entity SET entity_id = ? WHERE seq = ? AND entity_id = ?').run(
        kept,
        seq,
        entity_id,
      )
    }
    sql(db, 'DELETE FROM log_unmasked WHERE seq = ? AND entity_id = ?').run(seq, entity_id)
  }
  return old.length > 0
}
