import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { LogFilter } from './filter.ts'
import { addPacked, countPlaces, keepOnly, nowhere, type Places, placesIn, without } from './places.ts'
import { type Batch, type Block, batches, placesWith, termsIn, type Walk, walkOf } from './search.ts'
import { PROGRAM, programOf } from './terms.ts'

/** Who called, with what, and how often. */
type Program = {
  /** The id of an application or session; `owner`, `vault`, `cardholder` or `unknown` for records without one. */
  readonly actor: string
  readonly actor_type: string
  /** As its user agent names it; empty where none was sent, or no request was. */
  readonly agent: string
  records: number
  refused: number
}

export type Programs = {
  readonly programs: readonly Program[]
  /** Continue before this place in the log; null if everything was counted. */
  readonly next: number | null
}

/**
 * Counts the records that match a filter by program. Reads a bounded number of rows: the counts of several calls add up
 * (rule R-03).
 */
export function programsOf(db: Database, filter: LogFilter, before: number | null): Programs {
  const walk = walkOf(db, filter, before)
  const programs = new Map<string, Program>()
  const add: Add = (actor, agent, records, refused, typeOf) => {
    if (records === 0) return
    const key = JSON.stringify([actor, agent])
    const program = programs.get(key)
    if (!program) programs.set(key, { actor, actor_type: typeOf(), agent, records, refused })
    else {
      program.records += records
      program.refused += refused
    }
  }
  for (const batch of batches(walk)) count(walk, batch, add)
  return { programs: [...programs.values()], next: walk.ended ? null : walk.below }
}

/** `typeOf` is asked for the kind of actor once for each program. */
type Add = (actor: string, agent: string, records: number, refused: number, typeOf: () => string) => void

function count(walk: Walk, batch: Batch, add: Add): void {
  if (batch.count === 0) return
  if ('rows' in batch) {
    for (const { actor_id, actor_type, agent, status } of batch.rows)
      add(actor_id ?? actor_type, agent ?? '', 1, status >= 400 ? 1 : 0, () => actor_type)
    return
  }
  const { block, places } = batch
  const refused = refusedIn(walk, block)
  const rest = nowhere()
  for (let at = 0; at < rest.length; at++) rest[at] = places[at] ?? 0
  for (const { term, places: stored } of termsIn(walk, block, PROGRAM)) {
    const { actor, agent } = programOf(term)
    const found = nowhere()
    addPacked(found, stored)
    keepOnly(found, places)
    without(rest, found)
    addCounted(walk, block, add, { actor, agent, found, refused })
  }
  for (const { term, places: stored } of termsIn(walk, block, 'a')) {
    const found = nowhere()
    addPacked(found, stored)
    keepOnly(found, rest)
    addCounted(walk, block, add, { actor: term.slice(1), agent: '', found, refused })
  }
}

type Counted = {
  readonly actor: string
  readonly agent: string
  readonly found: Places
  readonly refused: Places
}

function addCounted(
  { db }: Walk,
  { first }: Block,
  add: Add,
  { actor, agent, found, refused }: Counted,
): void {
  const both = found.slice()
  keepOnly(both, refused)
  add(actor, agent, countPlaces(found), countPlaces(both), () => {
    const seq = first + (placesIn(found)[0] ?? 0)
    const row = sql(db, 'SELECT actor_type FROM log WHERE seq = ?').get(seq) as { actor_type: string }
    return row.actor_type
  })
}

function refusedIn(walk: Walk, block: Block): Places {
  const refused = placesWith(walk, block, { text: 's4', begins: true })
  const failed = placesWith(walk, block, { text: 's5', begins: true })
  for (let at = 0; at < refused.length; at++) refused[at] = (refused[at] ?? 0) | (failed[at] ?? 0)
  return refused
}
