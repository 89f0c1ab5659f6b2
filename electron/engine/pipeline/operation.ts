import type { ErrorCode } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { z } from '../../../shared/zod.ts'
import type { Context } from './context.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The kind of entity a log record is filed under (rule O-05). */
export type Entity =
  | 'token'
  | 'token_intent'
  | 'application'
  | 'application_key'
  | 'session'
  | 'proxy'
  | 'document'
  | 'reactor'
  | 'webhook'
  | 'client_key'
  | 'three_ds_session'
  | 'tenant'
  | 'invitation'
  | 'log'
  | 'vault'

/** One operation. HTTP route, IPC method, OpenAPI entry and typed client method all come from this object. */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  readonly summary: string
  /** Such as `POST /tokens`; null for what only the owner calls, and for the later steps of a `passedOn` operation. */
  readonly route: `${HttpMethod} /${string}` | null
  /**
   * The caller needs one of these. `any-key`: any valid key will do, and so will a proxy that requires none; `owner`: only
   * the owner may call it; `cardholder`: so may whoever is at a page of 3D Secure.
   */
  readonly permission: Permission | readonly Permission[] | 'any-key' | 'owner' | 'cardholder'
  readonly entity: Entity
  readonly effect: 'read' | 'write'
  /** Success status (rule A-07). */
  readonly status: 200 | 201 | 202 | 204
  /** Returns the path of what was created, for `Location`. */
  location?(output: z.output<Output>): string
  /** The request body is any JSON value, passed as `payload`, instead of an object of members. */
  readonly wholeBody?: true
  /** A POST that takes no body accepts any content type (rule A-09). */
  readonly bodyless?: true
  /** A POST that clients send as `application/json-patch+json`, which counts as JSON. */
  readonly jsonPatch?: true
  /** What clients have encrypted in a request: each compact JWE, which is decrypted before the handler runs (rule C-02). */
  encrypted?(input: unknown): string[]
  /** The listener has a handler of its own for it, on every method and path below its route. */
  readonly passedOn?: true
  /** The listener has a handler of its own for it, because its body or its answer is a stream. */
  readonly streamed?: true
  /** A step around running code, whose output is for the host that runs it and for nobody else. */
  readonly runs?: true
  /** What a caller is answered, if not with the output. */
  readonly answers?: z.ZodType
  /** Its error codes beyond those of every such operation, for the OpenAPI document (rule A-16). */
  readonly refusals?: readonly ErrorCode[]
  /** It never succeeds, and answers this error to a request in which nothing else is wrong. */
  readonly always?: ErrorCode
  /** Deprecated: since when, until when, and the path that replaces it (rule L-06). */
  readonly deprecated?: { readonly since: string; readonly sunset: string; readonly successor: string }
  readonly input: Input
  readonly output: Output
  // A method, because parameters of methods are bivariant: a catalogue can hold operations with any input.
  handler(context: Context, input: z.output<Input>): z.input<Output>
  /**
   * Answers a repeated request from what the handler kept, by the caller's rights and the vault's contents at that
   * moment (rule A-12). Throws `forbidden`, and `goneSince` if what was created is gone. Every POST, PUT and PATCH that
   * writes has it, and so has `react`, whose code may write.
   */
  replay?(context: Context, replayData: unknown): z.input<Output>
}

/** Defines an operation; the types of input and output follow from its schemas. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition
}

/** Splits an operation's route into method and path. */
export function splitRoute(route: `${HttpMethod} /${string}`): { method: HttpMethod; path: string } {
  const [method, path] = route.split(' ') as [HttpMethod, string]
  return { method, path }
}
