import type { OwnerLog } from '../../../shared/schemas/log.ts'

/** A log record as it appears in a list; programs and sizes are for the owner alone. */
export type LogRecord = OwnerLog

export type Outcome = 'all' | 'done' | 'refused' | 'failed'

/** The outcome that a status stands for. */
export function outcomeOf(status: number): Exclude<Outcome, 'all'> {
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'done'
}

export type RecordFilters = {
  readonly outcome: Outcome
  /** An application's id, or `owner`. */
  readonly actor?: string | undefined
  /** The program as its user agent names it; `none` for records that name none. */
  readonly agent?: string | undefined
  readonly kind?: string | undefined
  readonly entity?: string | undefined
  readonly q?: string | undefined
  /** Only records at or after this moment, and before that one. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** The filters in a place's query. */
export function recordFiltersOf(query: Readonly<Record<string, string>>): RecordFilters {
  const outcomes: readonly Outcome[] = ['done', 'refused', 'failed']
  const outcome = outcomes.find((each) => each === query.outcome) ?? 'all'
  const { actor, agent, kind, entity, q, since, until } = query
  return { outcome, actor, agent, kind, entity, q, since: momentIn(since), until: momentIn(until) }
}

function momentIn(text: string | undefined): string | undefined {
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined
}

/** The filters as the query of a place. */
export function placeOf({ outcome, ...filters }: RecordFilters): Record<string, string | undefined> {
  return { ...filters, outcome: outcome === 'all' ? undefined : outcome }
}

/** Stands for no user agent in a place's query, where nothing may be empty. */
export const NO_AGENT = 'none'

const statuses = { done: '2xx', refused: '4xx', failed: '5xx' } as const

/** The filters as a query to the vault, which alone decides what matches. */
export function logQueryOf({ outcome, actor, kind, entity, q, since, until }: RecordFilters) {
  const typed = q?.trim()
  return {
    ...(outcome !== 'all' && { status: statuses[outcome] }),
    ...(actor !== undefined && { actor_id: actor }),
    ...(kind !== undefined && { entity_type: kind }),
    ...(entity !== undefined && { entity_id: entity }),
    ...(typed && { q: typed }),
    ...(since !== undefined && { start_date: since }),
    ...(until !== undefined && { end_date: until }),
  }
}

/** The same for the owner, who may also ask for a program. */
export function ownerQueryOf(filters: RecordFilters) {
  const { agent } = filters
  return {
    ...logQueryOf(filters),
    ...(agent !== undefined && { agent: agent === NO_AGENT ? '' : agent }),
  }
}

/** Why a caller was refused, or how access was decided, in one line. */
export function decisionOf({ errors, detail, note }: LogRecord): string | undefined {
  const members = Object.entries(errors ?? {}).map(([member, messages]) => `${member} ${messages.join(', ')}`)
  if (members.length > 0) return members.join('; ')
  return detail ?? note
}

/** Whether an id was recorded in full; one that could be a card number is masked and ends in a digest. */
export function isWholeId(id: string): boolean {
  return !id.includes('#')
}
