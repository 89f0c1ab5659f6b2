import type { Condition } from '../../../../shared/conditions.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { getReadConditions, type LogFilter, type ReadField } from './filter.ts'
import {
  addPackedPositions,
  addPosition,
  BLOCK_SIZE,
  countPositions,
  createPositionSet,
  intersectPositions,
  isEmpty,
  listPositions,
  type PositionSet,
  removePositions,
} from './position-sets.ts'
import { listColumns, matchesReadConditions, type ReadColumns } from './read-conditions.ts'
import { readEntities } from './store.ts'
import {
  buildLogTerms,
  ENTITY,
  isIdTerm,
  type LogTermSource,
  matchesTerm,
  type TermCondition,
  type TermMatch,
  toConditions,
  toEntityTerm,
} from './terms.ts'

/** The maximum numbers of rows outside blocks and of block terms that one response reads (rule R-03). */
const MAX_READ_ROWS = 4096
const MAX_READ_TERMS = 20_000
const CHUNK = 256
/** The cost of reading the times of a block, counted in rows. */
const TIMES = BLOCK_SIZE / 8
/** The cost of reading other fields of the records of a block. */
const READING = (3 * BLOCK_SIZE) / 8

export type LogSearchResult = {
  /** The `seq` of the matching records, newest first. */
  readonly seqs: readonly number[]
  /** The number of matches from the start of the search; null if they were not counted to the end of the log. */
  readonly total: number | null
  /** The `seq` before which to continue; null if there are no more records. */
  readonly next: number | null
  /** Whether the search ended before it reached the requested page. */
  readonly short: boolean
}

type LogSearchRequest = {
  /** Only records before this `seq` are searched; null for all. */
  readonly before: number | null
  readonly skip: number
  readonly limit: number
  /** Whether to continue to the end of the log, to count all matches. */
  readonly count: boolean
}

/** Finds the records that match a filter, newest first. Reads a bounded number of rows, however long the log is. */
export function searchLogs(
  db: Database,
  filter: LogFilter,
  { before, skip, limit, count }: LogSearchRequest,
): LogSearchResult {
  const walk = startWalk(db, filter, before)
  const seqs: number[] = []
  let toSkip = skip
  let total = 0
  let more = false
  for (const { seqs: matched, count: size } of walkBatches(walk)) {
    total += size
    if (toSkip >= size) toSkip -= size
    else if (seqs.length === limit) more = true
    else {
      const page = matched().slice(toSkip)
      toSkip = 0
      const space = limit - seqs.length
      seqs.push(...page.slice(0, space))
      more ||= page.length > space
    }
    if (more && !count) break
  }
  const unfinished = more || !walk.ended
  const next = seqs.length === limit ? (seqs.at(-1) ?? null) : walk.below
  return {
    seqs,
    total: walk.ended ? total : null,
    next: unfinished ? next : null,
    short: toSkip > 0 && !walk.ended,
  }
}

/** Starts a walk through the log, from its newest record or from before a `seq`. */
export function startWalk(db: Database, filter: LogFilter, before: number | null): LogWalk {
  return { db, filter, below: before ?? Number.MAX_SAFE_INTEGER, read: 0, terms: 0, ended: false }
}

export type LogWalk = {
  readonly db: Database
  readonly filter: LogFilter
  /** All records from this `seq` upwards have been searched. */
  below: number
  read: number
  terms: number
  /** Whether the walk reached the oldest record. */
  ended: boolean
}

/** Records that match the filter, newest first, as positions in a block or as rows. */
export type MatchBatch = { readonly count: number; readonly seqs: () => number[] } & (
  | { readonly rows: readonly LogSearchRow[] }
  | { readonly block: Block; readonly places: PositionSet }
)

/** Walks back through the log. Searches blocks by their terms, and reads the records outside of blocks. */
export function* walkBatches(walk: LogWalk): Generator<MatchBatch> {
  const conditions = toConditions(walk.filter)
  for (;;) {
    const block = findBlockBelow(walk)
    const floor = block?.last ?? 0
    while (walk.below > floor + 1) {
      if (walk.read >= MAX_READ_ROWS) return
      yield readRecords(walk, conditions, floor)
    }
    if (!block) break
    if (walk.terms >= MAX_READ_TERMS || walk.read >= MAX_READ_ROWS) return
    const { first } = block
    const positions = findPositions(walk, conditions, block)
    walk.below = first
    const listSeqs = () => listPositions(positions).map((position) => first + position)
    yield { count: countPositions(positions), seqs: listSeqs, block, places: positions }
  }
  walk.ended = true
}

export type Block = {
  readonly first: number
  readonly last: number
  readonly first_at: number
  readonly last_at: number
}

function findBlockBelow({ db, below }: LogWalk): Block | undefined {
  const query = `SELECT first, last, first_at, last_at FROM log_block WHERE first < ? AND NOT gone ORDER BY first DESC LIMIT 1`
  return sql<Block>(db, query).get(below)
}

/** Finds the positions of a block's records that have a matching term. */
export function findPositionsWithTerm(walk: LogWalk, block: Block, match: TermMatch): PositionSet {
  const positions = createPositionSet()
  addMatches(walk, block, match, positions)
  return positions
}

/** Reads the terms of a block whose first character is `letter`, each with the positions of its records. */
export function readTerms(walk: LogWalk, { first }: Block, letter: string): LogTermRow[] {
  const query = 'SELECT term, places FROM log_term WHERE block = ? AND term >= ? AND term < ?'
  const storedTerms = sql<LogTermRow>(walk.db, query).all(first, letter, getPrefixEnd(letter))
  walk.terms += 1 + storedTerms.length
  return storedTerms
}

type LogSearchRow = LogTermSource & { readonly seq: number; readonly at: number }

/** Reads a limited number of records outside of blocks, down to `floor`. */
function readRecords(walk: LogWalk, conditions: readonly TermCondition[], floor: number): MatchBatch {
  const { db, filter, below } = walk
  const readConditions = getReadConditions(filter)
  const columns = listColumns(readConditions)
  const query = `SELECT seq, at, status, entity_type, entity_id, operation, actor_type, actor_id, agent, trace_id${columns} FROM log
     WHERE seq < ? AND seq > ? ORDER BY seq DESC LIMIT ?`
  const rows = sql<LogSearchRow & ReadColumns>(db, query).all(below, floor, CHUNK)
  walk.read += rows.length
  walk.below = rows.length < CHUNK ? floor + 1 : (rows.at(-1)?.seq ?? floor + 1)
  const isByEntity = conditions.some(({ any }) => any.some(({ text }) => text.startsWith(ENTITY)))
  const matched = rows.filter((row) => {
    if (row.at < (filter.since ?? 0) || row.at >= (filter.until ?? Infinity)) return false
    const terms = buildLogTerms(row, isByEntity ? readEntities(db, row.seq) : [])
    if (row.seq === filter.created_by) terms.push(toEntityTerm(filter.entity_id))
    return (
      conditions.every(
        ({ any, not }) => terms.some((term) => any.some((each) => matchesTerm(term, each))) !== not,
      ) && matchesReadConditions(row, readConditions)
    )
  })
  return { count: matched.length, seqs: () => matched.map(({ seq }) => seq), rows: matched }
}

/** Reads the time and the status of each record of a block, by position. */
export function readTimes(
  walk: LogWalk,
  { first, last }: Block,
): { place: number; at: number; status: number }[] {
  walk.read += TIMES
  const query = 'SELECT seq - ? AS place, at, status FROM log WHERE seq >= ? AND seq <= ?'
  return sql<{ place: number; at: number; status: number }>(walk.db, query).all(first, first, last)
}

/** Finds the positions of a block's records that match the filter. */
function findPositions(walk: LogWalk, conditions: readonly TermCondition[], block: Block): PositionSet {
  const { filter } = walk
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter
  if (block.last_at < since || block.first_at >= until) return createPositionSet()
  let positions: PositionSet | null = null
  for (const condition of conditions) {
    const matched = findConditionPositions(walk, condition, block)
    if (positions === null) positions = matched
    else if (condition.not) removePositions(positions, matched)
    else intersectPositions(positions, matched)
    if (isEmpty(positions)) return positions
  }
  positions ??= createPositionSet()
  if (block.first_at < since || block.last_at >= until)
    intersectPositions(positions, findPositionsBetween(walk, block, since, until))
  for (let position = walk.below - block.first; position <= block.last - block.first; position++) {
    positions[position >> 3] = (positions[position >> 3] ?? 0) & ~(1 << (position & 7))
  }
  const readConditions = getReadConditions(filter)
  if (readConditions.length > 0 && !isEmpty(positions))
    intersectPositions(positions, findPositionsByReading(walk, block, readConditions))
  return positions
}

function findConditionPositions(walk: LogWalk, condition: TermCondition, block: Block): PositionSet {
  const matched = createPositionSet()
  for (const match of condition.any) {
    addMatches(walk, block, match, matched)
    if (match.text === toEntityTerm(walk.filter.entity_id)) addCreation(walk.filter, block, matched)
  }
  return matched
}

/** Adds the record of the bulk creation that covers the entity, if that record is in the block. */
function addCreation({ created_by }: LogFilter, { first, last }: Block, to: PositionSet): void {
  if (created_by !== undefined && first <= created_by && created_by <= last)
    addPosition(to, created_by - first)
}

function readSeqs(db: Database, block: number, { text, isPrefix }: TermMatch): number[] {
  const rows = isPrefix
    ? sql(db, 'SELECT seq FROM log_id WHERE block = ? AND term >= ? AND term < ?').all(
        block,
        text,
        getPrefixEnd(text),
      )
    : sql(db, 'SELECT seq FROM log_id WHERE block = ? AND term = ?').all(block, text)
  return (rows as { seq: number }[]).map(({ seq }) => seq)
}

/** Returns a string that sorts after every string with this prefix. */
function getPrefixEnd(text: string): string {
  return `${text}\u{10ffff}`
}

export type LogTermRow = { readonly term: string; readonly places: Buffer }

function addMatches(walk: LogWalk, { first }: Block, match: TermMatch, to: PositionSet): void {
  const { db } = walk
  const { text, isPrefix } = match
  if (isIdTerm(text)) {
    for (const seq of readSeqs(db, first, match)) {
      walk.terms++
      addPosition(to, seq - first)
    }
    walk.terms++
    return
  }
  const rows = isPrefix
    ? sql(db, 'SELECT term, places FROM log_term WHERE block = ? AND term >= ? AND term < ?').all(
        first,
        text,
        getPrefixEnd(text),
      )
    : sql(db, 'SELECT term, places FROM log_term WHERE block = ? AND term = ?').all(first, text)
  walk.terms += 1 + rows.length
  for (const { term, places: positions } of rows as LogTermRow[])
    if (matchesTerm(term, match)) addPackedPositions(to, positions)
}

/** Finds the positions of a block's records that meet conditions on fields without terms. */
function findPositionsByReading(
  walk: LogWalk,
  { first, last }: Block,
  conditions: readonly Condition<ReadField>[],
): PositionSet {
  const query = `SELECT seq${listColumns(conditions)} FROM log WHERE seq >= ? AND seq <= ?`
  walk.read += READING
  const positions = createPositionSet()
  for (const row of sql<ReadColumns & { readonly seq: number }>(walk.db, query).all(first, last))
    if (matchesReadConditions(row, conditions)) addPosition(positions, row.seq - first)
  return positions
}

function findPositionsBetween(
  walk: LogWalk,
  { first, last }: Block,
  since: number,
  until: number,
): PositionSet {
  const rows = sql<{ seq: number }>(
    walk.db,
    'SELECT seq FROM log WHERE seq >= ? AND seq <= ? AND at >= ? AND at < ?',
  ).all(first, last, since, until)
  // The query reads only the times of the records, so it costs less than reading whole rows.
  walk.read += TIMES
  const positions = createPositionSet()
  for (const { seq } of rows) addPosition(positions, seq - first)
  return positions
}
