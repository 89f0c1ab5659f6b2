/** One run of a reactor's code (rules F-02, F-03). */
export type CodeRun = {
  /** What the code belongs to, such as a reactor's id, so that it takes a part of the processes alone; null for none. */
  readonly owner: string | null
  /** Who asked for it, by an id; null where nobody knows. What one run leaves behind, a run of another never meets. */
  readonly caller: string | null
  readonly code: string
  /** What the code gets as `req.args`, as JSON text; null only compiles the code (rule F-01). */
  readonly args: string | null
  readonly configuration: Readonly<Record<string, string>>
  /** For `bt` and `applicationOptions`; null without an application. */
  readonly application: { readonly apiKey: string; readonly environment: string } | null
  readonly limit_ms: number
  /** Ends the run, for example when the caller hangs up. */
  readonly signal?: AbortSignal
}

export type FieldErrors = Readonly<Record<string, readonly string[]>>

/** How a run ended. */
export type RunOutcome =
  /** `value` is JSON text; code that returned nothing returned `null`. */
  | { readonly kind: 'returned'; readonly value: string }
  /** Follows the service's error classes (rule F-04); anything else that code throws has status 500. */
  | {
      readonly kind: 'thrown'
      readonly status: number
      readonly detail: string
      readonly errors: FieldErrors
      readonly at: SourceLocation | null
      /** Why the code cannot be compiled, where that is what is wrong with it (rule F-01). */
      readonly uncompiled?: string
    }
  /** `CustomHttpResponseError`: the answer is exactly this. `body` is text, JSON unless the code gave a string. */
  | {
      readonly kind: 'response'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string }

/** `busy`: too many runs wait already. `start`: no process could be started. */
export type FailureReason = 'time' | 'memory' | 'output' | 'exit' | 'cancelled' | 'busy' | 'start'

export type RunResult = {
  readonly ended: RunOutcome
  /** What the code printed, at most 64 KiB. */
  readonly console: string
  readonly duration_ms: number
}

/** A place in the code; lines and columns count from 1. */
export type SourceLocation = { readonly line: number; readonly column: number }
