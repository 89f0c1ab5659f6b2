/** The filters of a list of log records; `since` is inclusive, `until` is not (rule O-05). */
export type LogFilter = {
  readonly entity_type?: string | undefined
  /** In the form that the log stores. */
  readonly entity_id?: string | undefined
  /** The `seq` of the record that created the entity without naming it. */
  readonly created_by?: number | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** `404`, or `4xx` for the class. */
  readonly status?: string | undefined
  readonly operation?: string | undefined
  /** The id of an application or session; `owner`, `vault` or `unknown` for records without one. */
  readonly actor_id?: string | undefined
  /** The program according to its user agent; empty for records without a user agent. */
  readonly agent?: string | undefined
  /** For the owner: a filter by caller does not include the caller's reads of the log itself. */
  readonly by_owner?: true
  /** In the form that the log stores. */
  readonly trace_id?: string | undefined
  /** The text as entered, and its form in the log if it is an id. */
  readonly q?: { readonly typed: string; readonly id: string } | undefined
}

/** Whether a filter needs the index of terms. Other filters have separate indexes. */
export function isSearch({ entity_id, status, operation, actor_id, agent, trace_id, q }: LogFilter): boolean {
  return [entity_id, status, operation, actor_id, agent, trace_id, q].some((each) => each !== undefined)
}

/** Whether successful reads of the log itself are included: only with a filter that they can match. */
export function showsOwnReading({
  entity_type,
  entity_id,
  operation,
  actor_id,
  by_owner,
  trace_id,
  q,
}: LogFilter): boolean {
  const actor = by_owner ? undefined : actor_id
  return [entity_type, entity_id, operation, actor, trace_id, q].some((each) => each !== undefined)
}
