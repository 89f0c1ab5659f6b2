import type { OwnerLog } from '../../../shared/schemas/log.ts'

/** A log record in a list. Only the owner sees programs and sizes. */
export type LogListRecord = OwnerLog

export type OutcomeFilter = 'all' | 'done' | 'refused' | 'failed'

export function getOutcome(status: number): Exclude<OutcomeFilter, 'all'> {
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'done'
}

export type RecordFilters = {
  readonly outcome: OutcomeFilter
  /** An application's id, or `owner`. */
  readonly actor?: string | undefined
  /** The user agent; `none` selects records without one. */
  readonly agent?: string | undefined
  readonly kind?: string | undefined
  readonly entity?: string | undefined
  readonly q?: string | undefined
  /** Selects records at or after `since`, and before `until`. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Reads the filters from a route's query. */
export function toRecordFilters(query: Readonly<Record<string, string>>): RecordFilters {
  const outcomes: readonly OutcomeFilter[] = ['done', 'refused', 'failed']
  const outcome = outcomes.find((each) => each === query.outcome) ?? 'all'
  const { actor, agent, kind, entity, q, since, until } = query
  return { outcome, actor, agent, kind, entity, q, since: parseMoment(since), until: parseMoment(until) }
}

function parseMoment(text: string | undefined): string | undefined {
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined
}

export function toRouteQuery({ outcome, ...filters }: RecordFilters): Record<string, string | undefined> {
  return { ...filters, outcome: outcome === 'all' ? undefined : outcome }
}

/** Represents a missing user agent in a route's query, whose values cannot be empty. */
export const NO_AGENT = 'none'

const statuses = { done: '2xx', refused: '4xx', failed: '5xx' } as const

/** The filters as a log query, without the program, because only the owner may filter by it. */
export function toLogQuery({ outcome, actor, kind, entity, q, since, until }: RecordFilters) {
  const search = q?.trim()
  return {
    ...(outcome !== 'all' && { status: statuses[outcome] }),
    ...(actor !== undefined && { actor_id: actor }),
    ...(kind !== undefined && { entity_type: kind }),
    ...(entity !== undefined && { entity_id: entity }),
    ...(search && { q: search }),
    ...(since !== undefined && { start_date: since }),
    ...(until !== undefined && { end_date: until }),
  }
}

/** The filters as the owner's log query, including the program. */
export function toOwnerLogQuery(filters: RecordFilters) {
  const { agent } = filters
  return {
    ...toLogQuery(filters),
    ...(agent !== undefined && { where: [toProgramCondition(agent)] }),
  }
}

function toProgramCondition(agent: string) {
  const field = 'program' as const
  return agent === NO_AGENT ? { field, value: '*', not: true as const } : { field, value: agent }
}

/** Why a caller was refused, or how access was granted, in one line. */
export function describeDecision({ errors, detail, note }: LogListRecord): string | undefined {
  const members = Object.entries(errors ?? {}).map(([member, messages]) => `${member} ${messages.join(', ')}`)
  if (members.length > 0) return members.join('; ')
  return detail ?? note
}

/** Whether an id was recorded in full. An id that may be a card number is masked and ends with a digest. */
export function isUnmaskedId(id: string): boolean {
  return !id.includes('#')
}
