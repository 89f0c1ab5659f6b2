import type { LogFilter } from './filter.ts'

/** The properties that many records share. */
export type SharedLogTerms = {
  readonly status: number
  readonly entity_type: string
  readonly operation: string
  readonly actor_type: string
  readonly actor_id: string | null
  readonly agent: string | null
}

/** The properties from which a record's terms are computed. */
export type LogTermSource = SharedLogTerms & { readonly entity_id: string | null; readonly trace_id: string }

/**
 * The term of successful reads of the log, each of which adds a record. These records are hidden by default;
 * otherwise, paging through the log would never end.
 */
export const OWN_READING = 'h'

/** Trace ids and entity ids are indexed separately, because they differ for almost every record. */
const TRACE = 't'
const ENTITY = 'e'

/** Returns the term of an entity; `entity_id` is in the form that the log stores. */
export function toEntityTerm(entity_id = ''): string {
  return ENTITY + entity_id
}

/** The prefix of a program's term: caller and user agent. Records without a user agent have no such term. */
export const PROGRAM = 'g'
const BETWEEN = '\n'

/** Splits a program's term into caller and user agent. */
export function parseProgramTerm(term: string): { readonly actor: string; readonly agent: string } {
  const at = term.indexOf(BETWEEN)
  return { actor: term.slice(PROGRAM.length, at), agent: term.slice(at + BETWEEN.length) }
}

/** Whether a term is a trace id or entity id. */
export function isIdTerm(term: string): boolean {
  return term.startsWith(TRACE) || term.startsWith(ENTITY)
}

/** Returns the terms that a record shares with others: a letter for the property, then the property's value. */
export function buildKindTerms({
  status,
  entity_type,
  operation,
  actor_type,
  actor_id,
  agent,
}: SharedLogTerms): string[] {
  const actor = actor_id ?? actor_type
  const terms = [`s${status}`, `k${entity_type}`, `o${operation}`, `a${actor}`]
  if (agent !== null) terms.push(PROGRAM + actor + BETWEEN + agent)
  return entity_type === 'log' && status < 400 ? [...terms, OWN_READING] : terms
}

/** Returns all terms of a record: those that it shares with others, its trace id and its entity ids. */
export function buildLogTerms(record: LogTermSource, entity_ids: readonly string[]): string[] {
  const { trace_id, entity_id } = record
  const ids = entity_id === null ? entity_ids : [entity_id, ...entity_ids]
  return [...buildKindTerms(record), TRACE + trace_id, ...ids.map((id) => ENTITY + id)]
}

/** Matches a single term, or all terms that begin with `text` and also contain or end with a string. */
export type TermMatch = {
  readonly text: string
  readonly isPrefix: boolean
  readonly contains?: string
  readonly suffix?: string
}

/** A condition, which a record meets if one of its terms satisfies at least one of these matches. */
export type TermCondition = readonly TermMatch[]

export function matchesTerm(term: string, { text, isPrefix, contains, suffix }: TermMatch): boolean {
  if (!isPrefix) return term === text
  if (suffix !== undefined && !term.endsWith(suffix)) return false
  return (
    term.startsWith(text) && (contains === undefined || term.toLowerCase().includes(contains, text.length))
  )
}

function matchExactly(text: string): TermCondition {
  return [{ text, isPrefix: false }]
}

function matchPrefix(text: string): TermMatch {
  return { text, isPrefix: true }
}

/** Returns the conditions of a filter, whose `entity_id` and `q` are in the form that the log stores. */
export function toConditions(filter: LogFilter): TermCondition[] {
  const { status, entity_type, entity_id, action, actor_id, agent, trace_id, q } = filter
  const conditions: TermCondition[] = []
  if (entity_id !== undefined) conditions.push(matchExactly(toEntityTerm(entity_id)))
  if (trace_id !== undefined) conditions.push(matchExactly(`t${trace_id}`))
  if (q !== undefined) conditions.push(matchQuery(q))
  if (status !== undefined) {
    conditions.push(status.endsWith('xx') ? [matchPrefix(`s${status[0]}`)] : matchExactly(`s${status}`))
  }
  if (actor_id !== undefined) conditions.push(matchExactly(`a${actor_id}`))
  if (agent) conditions.push([{ ...matchPrefix(PROGRAM), suffix: BETWEEN + agent }])
  if (action !== undefined) conditions.push(matchExactly(`o${action}`))
  if (entity_type !== undefined) conditions.push(matchExactly(`k${entity_type}`))
  // Every record has a term for its entity type, so this matches all records.
  return conditions.length > 0 ? conditions : [[matchPrefix('k')]]
}

/** Matches a status, a class of statuses, a part of an operation's name, or the start of an id. */
function matchQuery({ typed, id }: NonNullable<LogFilter['q']>): TermCondition {
  const ids = [TRACE + id, ENTITY + id, `a${typed}`]
  // Three digits are taken as a status. Ids must then match exactly, because many begin with the same three digits.
  if (/^[1-5]\d\d$/.test(typed)) return [`s${typed}`, ...ids].flatMap(matchExactly)
  const classes = /^[1-5]xx$/i.test(typed) ? [matchPrefix(`s${typed[0]}`)] : []
  return [...classes, { text: 'o', isPrefix: true, contains: typed.toLowerCase() }, ...ids.map(matchPrefix)]
}
