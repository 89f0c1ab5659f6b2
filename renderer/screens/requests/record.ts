import type { Log } from '../../../shared/schemas/log.ts'

/** A log record as it appears in a list. */
export type LogRecord = Log

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
  readonly kind?: string | undefined
  readonly entity?: string | undefined
  readonly q?: string | undefined
}

/** The filters in a place's query. */
export function recordFiltersOf(query: Readonly<Record<string, string>>): RecordFilters {
  const outcomes: readonly Outcome[] = ['done', 'refused', 'failed']
  const outcome = outcomes.find((each) => each === query.outcome) ?? 'all'
  return { outcome, actor: query.actor, kind: query.kind, entity: query.entity, q: query.q }
}

const statuses = { done: '2xx', refused: '4xx', failed: '5xx' } as const

/** The filters as a query to the vault, which alone decides what matches. */
export function logQueryOf({ outcome, actor, kind, entity, q }: RecordFilters) {
  const typed = q?.trim()
  return {
    ...(outcome !== 'all' && { status: statuses[outcome] }),
    ...(actor !== undefined && { actor_id: actor }),
    ...(kind !== undefined && { entity_type: kind }),
    ...(entity !== undefined && { entity_id: entity }),
    ...(typed && { q: typed }),
  }
}

/** Whether an id was recorded in full; one that could be a card number is masked and ends in a digest. */
export function isWholeId(id: string): boolean {
  return !id.includes('#')
}
