import type { Database } from '../../db/open.ts'
import { selectRow } from '../../db/statement.ts'
import type { LogFilter } from './filter.ts'
import {
  addPackedPositions,
  countPositions,
  createPositionSet,
  intersectPositions,
  listPositions,
  type PositionSet,
  removePositions,
} from './position-sets.ts'
import {
  type Block,
  findPositionsWithTerm,
  type LogWalk,
  type MatchBatch,
  readTerms,
  startWalk,
  walkBatches,
} from './search.ts'
import { PROGRAM, parseProgramTerm } from './terms.ts'

/** The records of one caller and program. */
type LogProgramCounts = {
  /** The id of an application or session; `owner`, `vault`, `cardholder` or `unknown` for records without one. */
  readonly actor: string
  readonly actor_type: string
  /** The program according to its user agent; empty if none was sent, or if there was no HTTP request. */
  readonly agent: string
  records: number
  refused: number
}

export type Programs = {
  readonly programs: readonly LogProgramCounts[]
  /** The `seq` before which to continue; null if all records have been counted. */
  readonly next: number | null
}

/**
 * Counts the records that match a filter, by program. Reads a limited number of rows per call, so the caller must sum
 * the counts of several calls (rule R-03).
 */
export function countPrograms(db: Database, filter: LogFilter, before: number | null): Programs {
  const walk = startWalk(db, filter, before)
  const programs = new Map<string, LogProgramCounts>()
  const addRecords: AddProgramRecords = (actor, agent, records, refused, typeOf) => {
    if (records === 0) return
    const key = JSON.stringify([actor, agent])
    const program = programs.get(key)
    if (!program) programs.set(key, { actor, actor_type: typeOf(), agent, records, refused })
    else {
      program.records += records
      program.refused += refused
    }
  }
  for (const batch of walkBatches(walk)) countBatch(walk, batch, addRecords)
  return { programs: [...programs.values()], next: walk.ended ? null : walk.below }
}

/** Adds the records of a program. `typeOf` reads the kind of actor, and is called once for each program. */
type AddProgramRecords = (
  actor: string,
  agent: string,
  records: number,
  refused: number,
  typeOf: () => string,
) => void

function countBatch(walk: LogWalk, batch: MatchBatch, add: AddProgramRecords): void {
  if (batch.count === 0) return
  if ('rows' in batch) {
    for (const { actor_id, actor_type, agent, status } of batch.rows)
      add(actor_id ?? actor_type, agent ?? '', 1, status >= 400 ? 1 : 0, () => actor_type)
    return
  }
  const { block, places: positions } = batch
  const rejected = findRejected(walk, block)
  const rest = createPositionSet()
  for (let at = 0; at < rest.length; at++) rest[at] = positions[at] ?? 0
  for (const { term, places: stored } of readTerms(walk, block, PROGRAM)) {
    const { actor, agent } = parseProgramTerm(term)
    const matches = createPositionSet()
    addPackedPositions(matches, stored)
    intersectPositions(matches, positions)
    removePositions(rest, matches)
    addCounted(walk, block, add, { actor, agent, matches, rejected })
  }
  for (const { term, places: stored } of readTerms(walk, block, 'a')) {
    const matches = createPositionSet()
    addPackedPositions(matches, stored)
    intersectPositions(matches, rest)
    addCounted(walk, block, add, { actor: term.slice(1), agent: '', matches, rejected })
  }
}

type ProgramPositions = {
  readonly actor: string
  readonly agent: string
  readonly matches: PositionSet
  readonly rejected: PositionSet
}

function addCounted(
  { db }: LogWalk,
  { first }: Block,
  add: AddProgramRecords,
  { actor, agent, matches, rejected }: ProgramPositions,
): void {
  const both = matches.slice()
  intersectPositions(both, rejected)
  add(actor, agent, countPositions(matches), countPositions(both), () => {
    const seq = first + (listPositions(matches)[0] ?? 0)
    const row = selectRow<{ actor_type: string }>(db, 'SELECT actor_type FROM log WHERE seq = ?', seq)
    return row.actor_type
  })
}

function findRejected(walk: LogWalk, block: Block): PositionSet {
  const rejected = findPositionsWithTerm(walk, block, { text: 's4', isPrefix: true })
  const failed = findPositionsWithTerm(walk, block, { text: 's5', isPrefix: true })
  for (let at = 0; at < rejected.length; at++) rejected[at] = (rejected[at] ?? 0) | (failed[at] ?? 0)
  return rejected
}
