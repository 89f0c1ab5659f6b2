import type { Database } from '../db/open.ts'
import type { LogFilter } from './filter.ts'
import { addPacked, countPlaces, keepOnly, nowhere, type Places, without } from './places.ts'
import { type Batch, type Block, batches, placesWith, termsIn, type Walk, walkOf } from './search.ts'
import { PROGRAM, programOf } from './terms.ts'

/** Who called, with what, and how often. */
type Program = {
  /** The id of an application or session; `owner`, `vault`, `cardholder` or `unknown` for records without one. */
  readonly actor: string
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
  const add: Add = (actor, agent, records, refused) => {
    if (records === 0) return
    const key = JSON.stringify([actor, agent])
    const program = programs.get(key)
    if (!program) programs.set(key, { actor, agent, records, refused })
    else {
      program.records += records
      program.refused += refused
    }
  }
  for (const batch of batches(walk)) count(walk, batch, add)
  return { programs: [...programs.values()], next: walk.ended ? null : walk.below }
}

type Add = (actor: string, agent: string, records: number, refused: number) => void

function count(walk: Walk, batch: Batch, add: Add): void {
  if (batch.count === 0) return
  if ('rows' in batch) {
    for (const { actor_id, actor_type, agent, status } of batch.rows)
      add(actor_id ?? actor_type, agent ?? '', 1, status >= 400 ? 1 : 0)
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
    addCounted(add, actor, agent, found, refused)
  }
  for (const { term, places: stored } of termsIn(walk, block, 'a')) {
    const found = nowhere()
    addPacked(found, stored)
    keepOnly(found, rest)
    addCounted(add, term.slice(1), '', found, refused)
  }
}

/** Of the places that are found, none is needed any more. */
function addCounted(add: Add, actor: string, agent: string, found: Places, refused: Places): void {
  const records = countPlaces(found)
  keepOnly(found, refused)
  add(actor, agent, records, countPlaces(found))
}

function refusedIn(walk: Walk, block: Block): Places {
  const refused = placesWith(walk, block, { text: 's4', begins: true })
  const failed = placesWith(walk, block, { text: 's5', begins: true })
  for (let at = 0; at < refused.length; at++) refused[at] = (refused[at] ?? 0) | (failed[at] ?? 0)
  return refused
}
