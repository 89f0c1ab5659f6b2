/** What a list of the log is narrowed to; `since` is included, `until` is not (rule O-05). */
export type LogFilter = {
  readonly entity_type?: string | undefined
  /** As the log keeps ids. */
  readonly entity_id?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** `404`, or `4xx` for all that begin so. */
  readonly status?: string | undefined
  readonly operation?: string | undefined
  /** The id of an application or session; `owner`, `vault` or `unknown` for records without one. */
  readonly actor_id?: string | undefined
  readonly trace_id?: string | undefined
  /** What was typed, and the same as the log would keep it if it is an id. */
  readonly q?: { readonly typed: string; readonly id: string } | undefined
}

/** Whether a filter needs the index of terms; the others have indexes of their own. */
export function isSearch({ status, operation, actor_id, trace_id, q }: LogFilter): boolean {
  return [status, operation, actor_id, trace_id, q].some((each) => each !== undefined)
}

/** Whether successful reading of the log itself is shown: only where something is asked for that it may be. */
export function showsOwnReading({
  entity_type,
  entity_id,
  operation,
  actor_id,
  trace_id,
  q,
}: LogFilter): boolean {
  return [entity_type, entity_id, operation, actor_id, trace_id, q].some((each) => each !== undefined)
}
