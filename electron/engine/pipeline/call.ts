import type { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { Actor } from '../access/actor.ts'
import type { Operation } from './operation.ts'
import type { RequestMetadata } from './request-metadata.ts'

/** Who makes a call, before anything is authorised. The door turns a caller into an actor when the call runs. */
export type Caller =
  | { readonly kind: 'owner' }
  /** The owner, acting through an application's key. */
  | { readonly kind: 'as'; readonly application_id: string }
  | { readonly kind: 'key'; readonly key: string }
  | IdentifiedCaller
  /** A program without a key, at a pre-configured proxy that asks for none (rule G-04). */
  | { readonly kind: 'proxy'; readonly proxy_key: string }
  /** Whoever is at a page of a 3D Secure session, without a key (rule S-01). */
  | { readonly kind: 'cardholder' }

/** A program whose key has been looked up; `epoch` tells whether that is still valid. Only the engine creates these. */
export type IdentifiedCaller = {
  readonly kind: 'key'
  readonly key: string
  readonly actor: Actor
  readonly epoch: object
}

/** The owner as a caller. */
export const owner: Caller = { kind: 'owner' }

/** The request behind a call: trace id, dialect, and the idempotency key with its scope (rules ). */
export type CallInfo = {
  readonly trace_id?: string | undefined
  readonly dialect?: 'own' | 'sdk' | undefined
  readonly idempotency?: { readonly key: string; readonly method: string; readonly path: string } | undefined
  /** The address of the listener that the request came to; its answer may hold addresses of pages. */
  readonly base_url?: string | undefined
  /** Method and path for the log, for an operation that has no route of its own. */
  readonly request?: string | undefined
  /** An extra note for the log. Never data. */
  readonly note?: string | undefined
  /** What the log keeps of the HTTP request. */
  readonly http?: RequestMetadata | undefined
  /**
   * The answer is sent as JSON and nothing else: it brings its text, so that its size is known to the log. A readable one
   * is for a person at a terminal.
   */
  readonly wants_text?: boolean | 'readable' | undefined
}

/** What a client has encrypted: its text, and the JSON that this is, or the text itself. */
export type Decrypted = { readonly text: string; readonly value: Json }

/** One call of an operation, as the engine received it. */
export type EngineCall = {
  readonly operation: Operation
  readonly name: string
  readonly input: unknown
  readonly caller: Caller
  readonly info: CallInfo
  /** What clients have encrypted in it, by its JWE; without those that do not open (rule C-02). */
  readonly decrypted?: ReadonlyMap<string, Decrypted>
}

/** The answer to a call that succeeded: status, output, extra headers. */
export type CallResult = {
  readonly status: 200 | 201 | 202 | 204
  readonly output: unknown
  /** The output as JSON, if the call asked for it and there is one. */
  readonly text?: string
  readonly headers: Readonly<Record<string, string>>
}

/** How a call ended. */
export type CallOutcome = { readonly answer: CallResult } | { readonly error: CofferError }
