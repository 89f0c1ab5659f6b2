/**
 * A call of the window: an operation of the catalogue or a host command. With `as`, the id of an application, an
 * operation runs with that application's permissions. `trace_id` identifies the log record of the call.
 */
export type WindowCall = {
  readonly name: string
  readonly input: unknown
  readonly as?: string
  readonly trace_id?: string
}

/** The maximum size of a call from the window, in bytes of JSON: enough for a BIN file. */
export const MAX_CALL_BYTES = 16 * 1024 * 1024
