import type { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { IgnoredMember } from '../../../shared/validation.ts'
import type { Actor } from '../access/actor.ts'

/** Who makes a call, before anything is authorized. The pipeline turns a caller into an actor when the call runs. */
export type Caller =
  | { readonly kind: 'owner' }
  /** The owner, viewing as an application. */
  | { readonly kind: 'as'; readonly application_id: string }
  | { readonly kind: 'key'; readonly key: string }
  | IdentifiedCaller
  /** A program that calls a pre-configured proxy without a key, because the proxy requires none (rule G-04). */
  | { readonly kind: 'proxy'; readonly proxy_key: string }
  /** A visitor of a 3D Secure session's page, without a key (rule S-01). */
  | { readonly kind: 'cardholder' }

/** A program whose key was looked up, made only by the engine. `epoch` tells whether that is still valid. */
export type IdentifiedCaller = {
  readonly kind: 'key'
  readonly key: string
  readonly actor: Actor
  readonly epoch: object
}

export const owner: Caller = { kind: 'owner' }

/** What the log stores about a call's HTTP request besides method and path. SECURITY: never data (rule O-05). */
export type RequestMetadata = {
  /** The name of the program according to its user agent; null if none was sent. */
  readonly agent: string | null
  /** The size of the body in bytes; absent if it is not known yet, as for a stream. */
  readonly bytes_in?: number
  readonly headers: Readonly<Record<string, string>>
  /** The query parameters by name; null for a value that is not stored. */
  readonly query: Readonly<Record<string, string | null>>
}

/** The request behind a call: trace id, dialect, and the idempotency key with its scope (rules ). */
export type CallInfo = {
  readonly trace_id?: string | undefined
  readonly dialect?: 'own' | 'sdk' | undefined
  readonly idempotency?: { readonly key: string; readonly method: string; readonly path: string } | undefined
  /** The base URL of the listener that received the request; the response may contain URLs of the listener's pages. */
  readonly base_url?: string | undefined
  /** Method and path for the log, if the operation has no route. */
  readonly request?: string | undefined
  /** A note that is added to the log record. Never data. */
  readonly note?: string | undefined
  /** What the log stores about the HTTP request. */
  readonly http?: RequestMetadata | undefined
  /**
   * Whether the response is sent only as JSON. If so, the result includes the JSON text, whose size the log stores.
   * `readable` formats the text for a person at a terminal.
   */
  readonly wants_text?: boolean | 'readable' | undefined
  /** Collects the unknown members that the call ignores. Without it, unknown members are errors (rule A-08). */
  readonly ignored?: IgnoredMember[] | undefined
}

/** The content of a JWE: its text, and that text parsed as JSON, or the text itself if it is not JSON. */
export type Decrypted = { readonly text: string; readonly value: Json }

/** One call, as the engine received it. */
export type ReceivedCall = {
  readonly name: string
  readonly input: unknown
  readonly caller: Caller
  readonly info: CallInfo
  /** The decrypted content of each JWE in the input. A JWE that cannot be decrypted is missing (rule C-02). */
  readonly decrypted?: ReadonlyMap<string, Decrypted>
}

/** The result of a call that succeeded: status, output, extra headers. */
export type CallResult = {
  readonly status: 200 | 201 | 202 | 204
  readonly output: unknown
  /** The output as JSON text, if the call asked for it and has an output. */
  readonly text?: string
  readonly headers: Readonly<Record<string, string>>
}

export type CallOutcome = { readonly answer: CallResult } | { readonly error: CofferError }
