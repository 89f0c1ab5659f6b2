import { type Condition, groupConditions } from '../../../../shared/conditions.ts'
import type { LogField } from '../../../../shared/schemas/log.ts'

/** The filters of a list of log records; `since` is inclusive, `until` is not (rule O-05). */
export type LogFilter = {
  readonly entity_type?: string | undefined
  /** The entity's id in the form that the log stores. */
  readonly entity_id?: string | undefined
  /** The `seq` of the record of a bulk creation, which covers the entity but does not name its id. */
  readonly created_by?: number | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** A status such as `404`, or `4xx` for all statuses from 400 to 499. */
  readonly status?: string | undefined
  readonly action?: string | undefined
  /** The id of an application or session; `owner`, `vault` or `unknown` for records without one. */
  readonly actor_id?: string | undefined
  /** Set if the owner sends the query. A filter by actor then excludes the successful reads of the log. */
  readonly by_owner?: true
  /** The trace id in the form that the log stores. */
  readonly trace_id?: string | undefined
  /** The search text as entered, and its form in the log if it is an id. */
  readonly q?: { readonly typed: string; readonly id: string } | undefined
  /** The owner's conditions, with ids in the form that the log stores. */
  readonly where?: readonly Condition<LogField>[] | undefined
}

const readFields = ['method', 'path', 'key', 'decision', 'took', 'size'] as const
/** A field that has no terms, so that a search reads it from the records. */
export type ReadField = (typeof readFields)[number]

function isReadField(field: LogField): field is ReadField {
  return readFields.some((each) => each === field)
}

/** Returns the conditions on fields that a search must read from the records. */
export function getReadConditions({ where = [] }: LogFilter): readonly Condition<ReadField>[] {
  return where.flatMap(({ field, ...rest }) => (isReadField(field) ? [{ field, ...rest }] : []))
}

/** Returns the conditions on fields with terms, each with its alternatives. */
export function getTermConditions({ where = [] }: LogFilter) {
  return groupConditions(where).flatMap(({ field, ...rest }) =>
    isReadField(field) ? [] : [{ field, ...rest }],
  )
}

/** Whether a filter needs the index of terms. The other filters use other indexes. */
export function isSearch({
  entity_id,
  status,
  action,
  actor_id,
  trace_id,
  q,
  where = [],
}: LogFilter): boolean {
  return (
    where.length > 0 || [entity_id, status, action, actor_id, trace_id, q].some((each) => each !== undefined)
  )
}

/** The fields whose conditions show successful reads of the log. */
const namingFields: readonly LogField[] = ['about', 'id', 'action', 'trace']

/**
 * Whether successful reads of the log are included: only if the filter names an entity, an action, an actor, a trace
 * id or a search text.
 */
export function showsOwnReading({
  entity_type,
  entity_id,
  action,
  actor_id,
  by_owner,
  trace_id,
  q,
  where = [],
}: LogFilter): boolean {
  const actor = by_owner ? undefined : actor_id
  return (
    [entity_type, entity_id, action, actor, trace_id, q].some((each) => each !== undefined) ||
    where.some(({ field, not }) => !not && namingFields.includes(field))
  )
}
