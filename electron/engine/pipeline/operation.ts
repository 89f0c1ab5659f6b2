import type { Entity } from '../../../shared/entities.ts'
import type { ErrorCode, ProblemType } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { z } from '../../../shared/zod.ts'
import type { ReceivedCall } from './call.ts'
import type { Context } from './context.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Route = `${HttpMethod} /${string}`

/**
 * The permissions, of which the caller needs at least one. `any-key`: any valid key, or a proxy that requires none;
 * `owner`: only the owner; `cardholder`: the owner, or a visitor of a page for cardholders.
 */
type RequiredPermission = Permission | readonly Permission[] | 'any-key' | 'owner' | 'cardholder'

/** What `defineOperation` fills in from the rest of a definition. */
type OperationHeader = {
  /**
   * The route, such as `POST /tokens`; null for an operation that only the owner calls, and for the later steps of
   * a `passedOn` operation. null by default.
   */
  readonly route: Route | null
  /** `owner` by default, and only an operation without a route has this default. */
  readonly permission: RequiredPermission
  /** `read` by default for GET and for an operation without a route, otherwise `write`. */
  readonly effect: 'read' | 'write'
  /** The HTTP status of a successful call (rule A-07). By default 201 with a location, 204 for DELETE, otherwise 200. */
  readonly status: 200 | 201 | 202 | 204
}

type OperationBody<Input extends z.ZodType, Output extends z.ZodType> = {
  readonly summary: string
  readonly entity: Entity
  /** Returns the path of the created entity, for the `Location` header. */
  location?(output: z.output<Output>): string
  /**
   * Set if the request body may be any JSON value, which is passed as `payload`. Otherwise, the body is an object whose
   * members are the input.
   */
  readonly wholeBody?: true
  /** The input members of query parameters whose names are also those of path parameters. */
  readonly queryNames?: Readonly<Record<string, string>>
  /** A POST without a body, which accepts any content type (rule A-09). */
  readonly bodyless?: true
  /** Media types that count as JSON besides those of the method. The first one of a PATCH is documented. */
  readonly alsoAccepts?: readonly `application/${string}`[]
  /** Returns the compact JWEs in a request, which are decrypted before the handler runs (rule C-02). */
  listEncrypted?(input: unknown): string[]
  /** The listener handles the operation separately, for every method and path below its route. */
  readonly passedOn?: true
  /** The listener handles the operation separately, because its request or response body is a stream. */
  readonly streamed?: true
  /**
   * Set if the official SDKs declare the response as a string. They reject an object, so they get its JSON as a string.
   */
  readonly sdkText?: true
  /** The operation is a step before or after running code. Its output is only for the host that runs the code. */
  readonly runs?: true
  /** The schema of the response, if it differs from the output. */
  readonly answers?: z.ZodType
  /** The schema of its 202 response, if the operation sometimes ends later. */
  readonly accepted?: z.ZodType
  /** The error codes besides those of every operation of its kind, for the OpenAPI document (rule A-16). */
  readonly refusals?: readonly ErrorCode[]
  /** How the hosted service names its validation errors; unnamed by default. */
  readonly invalidAs?: ProblemType
  /** Set for an operation that never succeeds: the error of a request that is otherwise valid. */
  readonly always?: ErrorCode
  /** What `Coffer-Notice` of its response says, if it has that header. */
  readonly notice?: string
  /** Deprecation: since when, until when, and the path of the replacement (rule L-06). */
  readonly deprecated?: { readonly since: string; readonly sunset: string; readonly successor: string }
  readonly input: Input
  readonly output: Output
  // A method, because TypeScript checks the parameters of methods less strictly, so a catalogue can contain
  // operations with any input.
  handler(context: Context, input: z.output<Input>): z.input<Output>
  /**
   * Answers a repeated request from the stored replay data, according to the caller's current rights and the vault's
   * current contents (rule A-12). Throws `forbidden`, or `createDeletedSinceError()` if the created entity no longer
   * exists. Every POST, PUT and PATCH that writes has this method, and so does `react`, whose code may write.
   */
  replay?(context: Context, replayData: unknown): z.input<Output>
}

/** One operation. Its HTTP route, IPC method, OpenAPI entry and client method are all derived from this object. */
export type Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = OperationHeader & OperationBody<Input, Output>

type OperationDefinition<Input extends z.ZodType, Output extends z.ZodType> = OperationBody<Input, Output> &
  Partial<Pick<OperationHeader, 'effect' | 'status'>> &
  (
    | { readonly route: Route; readonly permission: RequiredPermission }
    | { readonly route?: never; readonly permission?: RequiredPermission }
  )

/** Defines an operation, typed by its schemas; what the header omits follows from its method. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  definition: OperationDefinition<Input, Output>,
): Operation<Input, Output> {
  const method = definition.route ? splitRoute(definition.route).method : undefined
  const isRead = method === undefined || method === 'GET'
  return {
    route: null,
    // SECURITY: an operation that names no permission is the owner's alone. The type demands one of every route.
    permission: 'owner',
    effect: isRead ? 'read' : 'write',
    status: definition.location ? 201 : method === 'DELETE' ? 204 : 200,
    ...definition,
  }
}

/** A call whose operation was found. */
export type EngineCall = ReceivedCall & { readonly operation: Operation }

/** Splits an operation's route into method and path. */
export function splitRoute(route: Route): { method: HttpMethod; path: string } {
  const [method, path] = route.split(' ') as [HttpMethod, string]
  return { method, path }
}
