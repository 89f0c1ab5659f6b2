import type { LogEntry } from '../../shared/host.ts'
import type { Log } from '../../shared/schemas/log.ts'

/** A record of the log as this screen shows it, wherever it came from. */
export type LogRecord = LogEntry

/** A record of a list as one that comes live. */
export function recordOf(log: Log): LogRecord {
  const { id, operation, entity_type, status, trace_id, duration_ms, created_at, message } = log
  const at = message.indexOf(': ')
  return {
    ...{ id, operation, entity_type, status, trace_id, duration_ms, created_at },
    actor_type: log.actor_type ?? 'unknown',
    actor_id: log.actor_id ?? null,
    entity_id: log.entity_id ?? null,
    note: at < 0 ? null : message.slice(at + 2),
  }
}

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

/** Whether a record passes the filters. */
export function passes(record: LogRecord, { outcome, actor, kind, entity, q }: RecordFilters): boolean {
  if (outcome !== 'all' && outcomeOf(record.status) !== outcome) return false
  if (actor !== undefined && (record.actor_id ?? record.actor_type) !== actor) return false
  if (kind !== undefined && record.entity_type !== kind) return false
  if (entity !== undefined && record.entity_id !== entity) return false
  if (q === undefined) return true
  const text = `${record.operation} ${record.entity_id ?? ''} ${record.trace_id}`.toLowerCase()
  return text.includes(q.toLowerCase())
}
