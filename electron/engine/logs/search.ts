import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { type LogFilter, showsOwnReading } from './filter.ts'
import {
  addPacked,
  addPlace,
  BLOCK,
  countPlaces,
  isEmpty,
  keepOnly,
  nowhere,
  type Places,
  placesIn,
  without,
} from './places.ts'
import { entitiesOf } from './store.ts'
import {
  type Condition,
  conditionsOf,
  entityTerm,
  isIdTerm,
  isWanted,
  OWN_READING,
  PROGRAM,
  type Termed,
  termsOf,
  type Wanted,
} from './terms.ts'

/** The most records outside of blocks, and the most terms of blocks, that are read for one answer (rule R-03). */
const MOST_READ = 4096
const MOST_TERMS = 20_000
const CHUNK = 256
/** What reading the times of a block counts as. */
const TIMES = BLOCK / 8

export type Found = {
  /** Newest first. */
  readonly seqs: readonly number[]
  /** How many there are from the start of the search; null if it was not counted to the end of the log. */
  readonly total: number | null
  /** Continue before this place in the log; null if nothing is left. */
  readonly next: number | null
  /** The search ended before it reached the requested page. */
  readonly short: boolean
}

type Ask = {
  /** Only records before this place in the log. */
  readonly before: number | null
  readonly skip: number
  readonly limit: number
  /** Whether to continue to the end of the log, to know how many there are. */
  readonly count: boolean
}

/** The records that match a filter, newest first. Reads a bounded number of rows, however long the log is. */
export function searchLogs(db: Database, filter: LogFilter, { before, skip, limit, count }: Ask): Found {
  const walk = walkOf(db, filter, before)
  const seqs: number[] = []
  let left = skip
  let total = 0
  let more = false
  for (const { seqs: met, count: size } of batches(walk)) {
    total += size
    if (left >= size) left -= size
    else if (seqs.length === limit) more = true
    else {
      const page = met().slice(left)
      left = 0
      const room = limit - seqs.length
      seqs.push(...page.slice(0, room))
      more ||= page.length > room
    }
    if (more && !count) break
  }
  const unfinished = more || !walk.ended
  const next = seqs.length === limit ? (seqs.at(-1) ?? null) : walk.below
  return {
    seqs,
    total: walk.ended ? total : null,
    next: unfinished ? next : null,
    short: left > 0 && !walk.ended,
  }
}

/** A walk through the log, from its newest record or from before a place. */
export function walkOf(db: Database, filter: LogFilter, before: number | null): Walk {
  return { db, filter, below: before ?? Number.MAX_SAFE_INTEGER, read: 0, terms: 0, ended: false }
}

export type Walk = {
  readonly db: Database
  readonly filter: LogFilter
  /** Everything from here on has been searched. */
  below: number
  read: number
  terms: number
  /** Whether it reached the oldest record. */
  ended: boolean
}

/** Records that match the filter, newest first: of a block by their places in it, or as they were read. */
export type Batch = { readonly count: number; readonly seqs: () => number[] } & (
  | { readonly rows: readonly Row[] }
  | { readonly block: Block; readonly places: Places }
)

/** Walks down the log: blocks by their terms, records outside of blocks by reading them. */
export function* batches(walk: Walk): Generator<Batch> {
  const conditions = conditionsOf(walk.filter)
  for (;;) {
    const block = blockBelow(walk)
    const floor = block?.last ?? 0
    while (walk.below > floor + 1) {
      if (walk.read >= MOST_READ) return
      yield readOn(walk, conditions, floor)
    }
    if (!block) break
    if (walk.terms >= MOST_TERMS || walk.read >= MOST_READ) return
    const { first } = block
    const places = placesOf(walk, conditions, block)
    walk.below = first
    const seqs = () => placesIn(places).map((place) => first + place)
    yield { count: countPlaces(places), seqs, block, places }
  }
  walk.ended = true
}

export type Block = {
  readonly first: number
  readonly last: number
  readonly first_at: number
  readonly last_at: number
}

function blockBelow({ db, below }: Walk): Block | undefined {
  return sql(
    db,
    `SELECT first, last, first_at, last_at FROM log_block WHERE first < ? AND NOT gone ORDER BY first DESC LIMIT 1`,
  ).get(below) as Block | undefined
}

/** The places of a block's records that have a wanted term. */
export function placesWith(walk: Walk, block: Block, wanted: Wanted): Places {
  const found = nowhere()
  addWanted(walk, block, wanted, found)
  return found
}

/** The terms of a block that begin with a letter, each with the places of its records. */
export function termsIn(walk: Walk, { first }: Block, letter: string): Term[] {
  const found = sql(
    walk.db,
    'SELECT term, places FROM log_term WHERE block = ? AND term >= ? AND term < ?',
  ).all(first, letter, endOf(letter)) as Term[]
  walk.terms += 1 + found.length
  return found
}

type Row = Termed & { readonly seq: number; readonly at: number }

/** A few records outside of blocks, down to `floor`. */
function readOn(walk: Walk, conditions: readonly Condition[], floor: number): Batch {
  const { db, filter, below } = walk
  const rows = sql(
    db,
    `SELECT seq, at, status, entity_type, entity_id, operation, actor_type, actor_id, agent, trace_id FROM log
     WHERE seq < ? AND seq > ? ORDER BY seq DESC LIMIT ?`,
  ).all(below, floor, CHUNK) as Row[]
  walk.read += rows.length
  walk.below = rows.length < CHUNK ? floor + 1 : (rows.at(-1)?.seq ?? floor + 1)
  const hides = !showsOwnReading(filter)
  const isByEntity = filter.entity_id !== undefined || filter.q !== undefined
  const met = rows.filter((row) => {
    if (row.at < (filter.since ?? 0) || row.at >= (filter.until ?? Infinity)) return false
    const terms = termsOf(row, isByEntity ? entitiesOf(db, row.seq) : [])
    if (row.seq === filter.created_by) terms.push(entityTerm(filter.entity_id))
    if (hides && terms.includes(OWN_READING)) return false
    if (filter.agent === '' && row.agent !== null) return false
    return conditions.every((wanted) => terms.some((term) => wanted.some((each) => isWanted(term, each))))
  })
  return { count: met.length, seqs: () => met.map(({ seq }) => seq), rows: met }
}

/** When each record of a block was made, and its status, by place. */
export function timesIn(walk: Walk, { first, last }: Block): { place: number; at: number; status: number }[] {
  walk.read += TIMES
  return sql(walk.db, 'SELECT seq - ? AS place, at, status FROM log WHERE seq >= ? AND seq <= ?').all(
    first,
    first,
    last,
  ) as { place: number; at: number; status: number }[]
}

/** The places of a block's records that match the filter. */
function placesOf(walk: Walk, conditions: readonly Condition[], block: Block): Places {
  const { filter } = walk
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter
  if (block.last_at < since || block.first_at >= until) return nowhere()
  let places: Places | null = null
  for (const condition of conditions) {
    const met = nowhere()
    for (const wanted of condition) {
      addWanted(walk, block, wanted, met)
      if (wanted.text === entityTerm(filter.entity_id)) addCreation(filter, block, met)
    }
    if (places) keepOnly(places, met)
    else places = met
    if (isEmpty(places)) return places
  }
  places ??= nowhere()
  if (filter.agent === '') without(places, placesWith(walk, block, { text: PROGRAM, begins: true }))
  if (!showsOwnReading(filter)) {
    without(places, placesWith(walk, block, { text: OWN_READING, begins: false }))
  }
  if (block.first_at < since || block.last_at >= until)
    keepOnly(places, placesBetween(walk, block, since, until))
  for (let place = walk.below - block.first; place <= block.last - block.first; place++) {
    places[place >> 3] = (places[place >> 3] ?? 0) & ~(1 << (place & 7))
  }
  return places
}

/** Adds the record that created the entity without naming it, if it is in the block. */
function addCreation({ created_by }: LogFilter, { first, last }: Block, to: Places): void {
  if (created_by !== undefined && first <= created_by && created_by <= last) addPlace(to, created_by - first)
}

function seqsOf(db: Database, block: number, { text, begins }: Wanted): number[] {
  const found = begins
    ? sql(db, 'SELECT seq FROM log_id WHERE block = ? AND term >= ? AND term < ?').all(
        block,
        text,
        endOf(text),
      )
    : sql(db, 'SELECT seq FROM log_id WHERE block = ? AND term = ?').all(block, text)
  return (found as { seq: number }[]).map(({ seq }) => seq)
}

/** A text that sorts after every text with this prefix. */
function endOf(text: string): string {
  return `${text}\u{10ffff}`
}

export type Term = { readonly term: string; readonly places: Buffer }

function addWanted(walk: Walk, { first }: Block, wanted: Wanted, to: Places): void {
  const { db } = walk
  const { text, begins } = wanted
  if (isIdTerm(text)) {
    for (const seq of seqsOf(db, first, wanted)) {
      walk.terms++
      addPlace(to, seq - first)
    }
    walk.terms++
    return
  }
  const found = begins
    ? sql(db, 'SELECT term, places FROM log_term WHERE block = ? AND term >= ? AND term < ?').all(
        first,
        text,
        endOf(text),
      )
    : sql(db, 'SELECT term, places FROM log_term WHERE block = ? AND term = ?').all(first, text)
  walk.terms += 1 + found.length
  for (const { term, places } of found as Term[]) if (isWanted(term, wanted)) addPacked(to, places)
}

function placesBetween(walk: Walk, { first, last }: Block, since: number, until: number): Places {
  const rows = sql(walk.db, 'SELECT seq FROM log WHERE seq >= ? AND seq <= ? AND at >= ? AND at < ?').all(
    first,
    last,
    since,
    until,
  ) as { seq: number }[]
  // Reads only their times.
  walk.read += TIMES
  const places = nowhere()
  for (const { seq } of rows) addPlace(places, seq - first)
  return places
}
