import type { RuntimeImage } from '../../shared/runtime-images.ts'

/** What code gets and may return (rule F-03): its runtime, and whether it is a reactor or a side of a proxy. */
export type Contract = {
  readonly image: RuntimeImage
  readonly role: 'reactor' | 'request' | 'response'
}

/** One run of code, such as a reactor's (rules F-02, F-03). */
export type CodeRun = {
  /** Identifies the code, for example by the id of a reactor, to limit its concurrent runs; null for no limit. */
  readonly owner: string | null
  /** Who started the run, as an id; null if unknown. Runs of different callers never share a process. */
  readonly caller: string | null
  readonly code: string
  readonly contract: Contract
  /** The JSON text of `req.args`, or of `event.req` in node22; if null, the code is only compiled (rule F-01). */
  readonly args: string | null
  readonly configuration: Readonly<Record<string, string>>
  /** For `bt` and `applicationOptions`; null without a key. */
  readonly application: { readonly apiKey: string; readonly environment: string } | null
  readonly limit_ms: number
  /** Ends the run, for example when the caller disconnects. */
  readonly signal?: AbortSignal
}

export type ThrownErrors = Readonly<Record<string, readonly string[]>>

/** How a run ended. */
export type RunOutcome =
  /** `value` is JSON text in the form of node-bt; `null` if the code returned nothing. */
  | { readonly kind: 'returned'; readonly value: string }
  /** The code threw a value. Only the service's error classes have a status other than 500 (rule F-04). */
  | {
      readonly kind: 'thrown'
      readonly status: number
      readonly detail: string
      readonly errors: ThrownErrors
      readonly at: SourceLocation | null
      /** The compiler's message, if the code could not be compiled (rule F-01). */
      readonly uncompiled?: string
    }
  /** `CustomHttpResponseError`, or `res`: the exact response. `body` is text: JSON, unless the code set a string. */
  | {
      readonly kind: 'response'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string }

/** `busy`: too many runs are queued, or no process became free in time. `start`: no process could be started. */
export type FailureReason = 'time' | 'memory' | 'output' | 'exit' | 'cancelled' | 'busy' | 'start'

export type RunResult = {
  readonly ended: RunOutcome
  /** The console output of the code, at most 64 KiB. */
  readonly console: string
  readonly duration_ms: number
}

/** A position in the code; lines and columns start at 1. */
export type SourceLocation = { readonly line: number; readonly column: number }
