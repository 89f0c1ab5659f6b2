import type { LogFilter } from './filter.ts'

/** The properties that many records share. */
export type Kind = {
  readonly status: number
  readonly entity_type: string
  readonly operation: string
  readonly actor_type: string
  readonly actor_id: string | null
  readonly agent: string | null
}

/** The properties that become a record's terms. */
export type Termed = Kind & { readonly entity_id: string | null; readonly trace_id: string }

/** Reading the log adds to it. Unless asked for, these reads are left out, so that paging comes to an end. */
export const OWN_READING = 'h'

/** Trace ids and entity ids are indexed separately: almost every record has its own. */
const TRACE = 't'
const ENTITY = 'e'

/** The term of a record about an entity; `entity_id` is in the form the log keeps. */
export function entityTerm(entity_id = ''): string {
  return ENTITY + entity_id
}

/** A program: who called, and how its user agent names it. Records without a user agent have no such term. */
export const PROGRAM = 'g'
const BETWEEN = '\n'

/** Caller and user agent of the term of a program. */
export function programOf(term: string): { readonly actor: string; readonly agent: string } {
  const at = term.indexOf(BETWEEN)
  return { actor: term.slice(PROGRAM.length, at), agent: term.slice(at + BETWEEN.length) }
}

/** Whether a term is a trace id or entity id. */
export function isIdTerm(term: string): boolean {
  return term.startsWith(TRACE) || term.startsWith(ENTITY)
}

/** The terms of a kind of record: a letter for the property, then its value. */
export function kindTermsOf({ status, entity_type, operation, actor_type, actor_id, agent }: Kind): string[] {
  const actor = actor_id ?? actor_type
  const terms = [`s${status}`, `k${entity_type}`, `o${operation}`, `a${actor}`]
  if (agent !== null) terms.push(PROGRAM + actor + BETWEEN + agent)
  return entity_type === 'log' && status < 400 ? [...terms, OWN_READING] : terms
}

/** All terms of a record. */
export function termsOf(record: Termed, entity_ids: readonly string[]): string[] {
  const { trace_id, entity_id } = record
  const ids = entity_id === null ? entity_ids : [entity_id, ...entity_ids]
  return [...kindTermsOf(record), TRACE + trace_id, ...ids.map((id) => ENTITY + id)]
}

/** Wanted terms: a single one, or all that have a prefix, and contain a text or end in one. */
export type Wanted = {
  readonly text: string
  readonly begins: boolean
  readonly holds?: string
  readonly ends?: string
}

/** A record meets the condition if it has one of these terms. */
export type Condition = readonly Wanted[]

/** Whether a term is wanted. */
export function isWanted(term: string, { text, begins, holds, ends }: Wanted): boolean {
  if (!begins) return term === text
  if (ends !== undefined && !term.endsWith(ends)) return false
  return term.startsWith(text) && (holds === undefined || term.toLowerCase().includes(holds, text.length))
}

function exactly(text: string): Condition {
  return [{ text, begins: false }]
}

function beginning(text: string): Wanted {
  return { text, begins: true }
}

/** The conditions every record of a filter must meet; `entity_id` and `q` are in the form the log keeps. */
export function conditionsOf(filter: LogFilter): Condition[] {
  const { status, entity_type, entity_id, operation, actor_id, agent, trace_id, q } = filter
  const conditions: Condition[] = []
  if (entity_id !== undefined) conditions.push(exactly(entityTerm(entity_id)))
  if (trace_id !== undefined) conditions.push(exactly(`t${trace_id}`))
  if (q !== undefined) conditions.push(anyOf(q))
  if (status !== undefined) {
    conditions.push(status.endsWith('xx') ? [beginning(`s${status[0]}`)] : exactly(`s${status}`))
  }
  if (actor_id !== undefined) conditions.push(exactly(`a${actor_id}`))
  if (agent) conditions.push([{ ...beginning(PROGRAM), ends: BETWEEN + agent }])
  if (operation !== undefined) conditions.push(exactly(`o${operation}`))
  if (entity_type !== undefined) conditions.push(exactly(`k${entity_type}`))
  // Every record has a kind.
  return conditions.length > 0 ? conditions : [[beginning('k')]]
}

/** A status or a class of statuses; or part of an operation's name, or the beginning of an id. */
function anyOf({ typed, id }: NonNullable<LogFilter['q']>): Condition {
  const ids = [TRACE + id, ENTITY + id, `a${typed}`]
  // Many ids begin with any three digits.
  if (/^[1-5]\d\d$/.test(typed)) return [`s${typed}`, ...ids].flatMap(exactly)
  const classes = /^[1-5]xx$/i.test(typed) ? [beginning(`s${typed[0]}`)] : []
  return [...classes, { text: 'o', begins: true, holds: typed.toLowerCase() }, ...ids.map(beginning)]
}
