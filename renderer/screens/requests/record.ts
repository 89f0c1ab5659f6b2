import type { Log } from '../../../shared/schemas/log.ts'

/** A record of the log, as a list has it. */
export type LogRecord = Log

export type Outcome = 'all' | 'done' | 'refused' | 'failed'

/** How a status ended. */
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

/** The filters a place in the window names. */
export function recordFiltersOf(query: Readonly<Record<string, string>>): RecordFilters {
  const outcomes: readonly Outcome[] = ['done', 'refused', 'failed']
  const outcome = outcomes.find((each) => each === query.outcome) ?? 'all'
  return { outcome, actor: query.actor, kind: query.kind, entity: query.entity, q: query.q }
}

const statuses = { done: '2xx', refused: '4xx', failed: '5xx' } as const

/** Filters as the vault takes them: it alone decides what passes. */
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

/** Whether an id is kept as it came; one that could be a number is masked and ends in a digest. */
export function isWholeId(id: string): boolean {
  return !id.includes('#')
}
