import type { CofferError } from '../../../shared/errors.ts'
import type { Caller } from '../access/actor.ts'
import type { Answer } from './answer.ts'
import type { Operation } from './operation.ts'

/** How a call came in: trace id, dialect, and the idempotency key with what scopes it (rules ). */
export type CallInfo = {
  readonly trace_id?: string | undefined
  readonly dialect?: 'own' | 'sdk' | undefined
  readonly idempotency?: { readonly key: string; readonly method: string; readonly path: string } | undefined
  /** What else the log should say of the call. Never data. */
  readonly note?: string | undefined
}

/** One call of an operation, as it came to the engine. */
export type Call = {
  readonly operation: Operation
  readonly name: string
  readonly input: unknown
  readonly caller: Caller
  readonly info: CallInfo
}

/** How a call ended. */
export type Outcome = { readonly answer: Answer } | { readonly error: CofferError }
