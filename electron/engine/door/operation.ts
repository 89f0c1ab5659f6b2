import type { z } from 'zod'
import type { ErrorCode } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { Context } from './context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the log files a record under (rule O-05). */
export type Entity =
  | 'token'
  | 'token_intent'
  | 'application'
  | 'application_key'
  | 'session'
  | 'tenant'
  | 'log'
  | 'vault'

/** One operation: its HTTP route, IPC method, OpenAPI entry and typed client method all come from this object. */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  readonly summary: string
  /** `POST /tokens`; null for what only the owner's window and command line may call. */
  readonly route: `${Method} /${string}` | null
  /** One of these is needed; `any-key`: any valid key; `owner`: the owner alone. */
  readonly permission: Permission | readonly Permission[] | 'any-key' | 'owner'
  readonly entity: Entity
  readonly effect: 'read' | 'write'
  /** Success status (rule A-07). */
  readonly status: 200 | 201 | 204
  /** Path of what was created, for `Location`. */
  location?(output: z.output<Output>): string
  /** The request body is one JSON value, handed over as `payload`, not an object of members. */
  readonly wholeBody?: true
  /** A POST that takes no body accepts any content type (rule A-09). */
  readonly bodyless?: true
  /** What it can refuse beside what every operation of its kind can, for the OpenAPI document (rule A-16). */
  readonly refusals?: readonly ErrorCode[]
  /** Removed: 410 is all that it answers (rule L-10). */
  readonly removed?: true
  /** Deprecated: when, shut down when, and the path that replaces it (rule L-06). */
  readonly deprecated?: { readonly since: string; readonly sunset: string; readonly successor: string }
  readonly input: Input
  readonly output: Output
  // A method, so that a catalogue can hold operations of every input.
  handler(context: Context, input: z.output<Input>): z.input<Output>
  /**
   * Answers a repeated request from what the handler kept (rule A-12): by what the caller may do and see now, with
   * what is there now. Throws 403, and `goneSince` where what was made is gone. Every POST, PUT and PATCH that writes
   * has it.
   */
  replay?(context: Context, kept: unknown): z.input<Output>
}

/** Defines an operation; the types of input and output follow from its schemas. */
export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition
}

/** The method and path of an operation's route. */
export function routeOf(route: `${Method} /${string}`): { method: Method; path: string } {
  const [method, path] = route.split(' ') as [Method, string]
  return { method, path }
}
