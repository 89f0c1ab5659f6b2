import { matchesValue, splitPattern } from '../../../../shared/conditions.ts'
import { getTermConditions, type LogFilter, showsOwnReading } from './filter.ts'

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
const OWN_READING = 'h'

/** Trace ids and entity ids are indexed separately, because they differ for almost every record. */
const TRACE = 't'
export const ENTITY = 'e'

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

/** Matches a single term, or all terms that begin with `text` and whose rest passes a test. */
export type TermMatch = {
  readonly text: string
  readonly isPrefix: boolean
  readonly test?: (rest: string) => boolean
}

/** A condition, which a record meets if one of its terms satisfies at least one match or, with `not`, if none does. */
export type TermCondition = { readonly any: readonly TermMatch[]; readonly not: boolean }

export function matchesTerm(term: string, { text, isPrefix, test }: TermMatch): boolean {
  if (!isPrefix) return term === text
  return term.startsWith(text) && (test?.(term.slice(text.length)) ?? true)
}

function matchExactly(text: string): TermMatch {
  return { text, isPrefix: false }
}

function matchPrefix(text: string): TermMatch {
  return { text, isPrefix: true }
}

/** Every record has a term for its entity type, so this matches all records. */
const everyRecord = { any: [matchPrefix('k')], not: false }

/**
 * Returns the conditions of a filter, whose ids and `q` are in the form that the log stores. The first one names the
 * records that the others narrow.
 */
export function toConditions(filter: LogFilter): TermCondition[] {
  const conditions = [
    ...toParameterMatches(filter).map((any) => ({ any, not: false })),
    ...getTermConditions(filter).map(({ field, values, not }) => ({
      any: values.map((value) => toTermMatch(field, value)),
      not,
    })),
  ]
  if (!showsOwnReading(filter)) conditions.push({ any: [matchExactly(OWN_READING)], not: true })
  const [positive, negative] = [false, true].map((not) => conditions.filter((each) => each.not === not))
  return [...(positive?.length ? positive : [everyRecord]), ...(negative ?? [])]
}

function toParameterMatches(filter: LogFilter): TermMatch[][] {
  const { status, entity_type, entity_id, action, actor_id, trace_id, q } = filter
  const matches: TermMatch[][] = []
  if (entity_id !== undefined) matches.push([matchExactly(toEntityTerm(entity_id))])
  if (trace_id !== undefined) matches.push([matchExactly(TRACE + trace_id)])
  if (q !== undefined) matches.push(matchQuery(q))
  if (status !== undefined)
    matches.push([status.endsWith('xx') ? matchPrefix(`s${status[0]}`) : matchExactly(`s${status}`)])
  if (actor_id !== undefined) matches.push([matchExactly(`a${actor_id}`)])
  if (action !== undefined) matches.push([matchExactly(`o${action}`)])
  if (entity_type !== undefined) matches.push([matchExactly(`k${entity_type}`)])
  return matches
}

type TermField = ReturnType<typeof getTermConditions>[number]['field']

/** Matches the terms of a field by a value, in which `*` stands for any characters. */
function toTermMatch(field: TermField, value: string): TermMatch {
  if (field === 'status')
    return { ...matchPrefix('s'), test: (status) => matchesValue(Number(status), value) }
  if (field === 'program') {
    const testAgent = (rest: string) => matchesValue(rest.slice(rest.indexOf(BETWEEN) + 1), value)
    return { ...matchPrefix(PROGRAM), test: testAgent }
  }
  const letter = { app: 'a', about: 'k', action: 'o', id: ENTITY, trace: TRACE }[field]
  const [start = '', ...rest] = splitPattern(value)
  if (rest.length === 0) return matchExactly(letter + start)
  // Ids are too many to test each of them, so only their beginning matches.
  if (isIdTerm(letter)) return matchPrefix(letter + start)
  return { ...matchPrefix(letter), test: (rest) => matchesValue(rest, value) }
}

/** Matches a status, a class of statuses, a part of an operation's name, or the start of an id. */
function matchQuery({ typed, id }: NonNullable<LogFilter['q']>): TermMatch[] {
  const ids = [TRACE + id, ENTITY + id, `a${typed}`]
  // Three digits are taken as a status. Ids must then match exactly, because many begin with the same three digits.
  if (/^[1-5]\d\d$/.test(typed)) return [`s${typed}`, ...ids].map(matchExactly)
  const classes = /^[1-5]xx$/i.test(typed) ? [matchPrefix(`s${typed[0]}`)] : []
  const action = {
    ...matchPrefix('o'),
    test: (name: string) => name.toLowerCase().includes(typed.toLowerCase()),
  }
  return [...classes, action, ...ids.map(matchPrefix)]
}
