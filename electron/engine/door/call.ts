import type { CofferError } from '../../../shared/errors.ts'
import type { Actor } from '../access/actor.ts'
import type { Operation } from './operation.ts'

/** Who calls, before it is known whether they may: the door turns this into an actor when the call runs. */
export type Caller =
  | { readonly kind: 'owner' }
  /** The owner looking through an application's key. */
  | { readonly kind: 'as'; readonly application_id: string }
  | { readonly kind: 'key'; readonly key: string }
  | IdentifiedCaller

/** A program whose key was looked up already; `epoch` says whether that still holds. Made by the engine alone. */
export type IdentifiedCaller = {
  readonly kind: 'key'
  readonly key: string
  readonly actor: Actor
  readonly epoch: object
}

/** The caller that the owner is. */
export const owner: Caller = { kind: 'owner' }

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

/** What the door answers: success status, output, extra headers. */
export type Answer = {
  readonly status: 200 | 201 | 204
  readonly output: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** How a call ended. */
export type Outcome = { readonly answer: Answer } | { readonly error: CofferError }
