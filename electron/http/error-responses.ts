import { type ErrorCode, errorCodes, statusOf } from '../../shared/errors.ts'
import type { HttpRoute } from './routes.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** What each refusal means, for the OpenAPI document (rule A-16). */
const meanings: Partial<Record<ErrorCode, string>> = {
  invalid: 'A member or a parameter is not valid; `errors` names each',
  unauthenticated: 'No key, or one that is unknown, deleted or expired',
  forbidden: 'The key may not do this',
  not_found: 'It does not exist, or no longer does',
  conflict:
    'The id or nonce is taken, or a request with this idempotency key is still being answered (`in_flight`)',
  gone: 'The operation has been shut down',
  too_large: 'The body is larger than 2 MiB, or a document than 50 MiB',
  timeout: 'The body took too long to arrive',
  unsupported_media_type: 'The body does not have the content type named here, in UTF-8',
  unprocessable:
    'A limit is reached, such as three keys for an application or 100 snapshots; or the owner would no longer be one',
  google_pay_refused: 'The Google Pay token cannot be opened here',
  locked: 'The vault is locked',
  rate_limited: 'Too many requests from this address',
  internal: 'Something went wrong inside the vault',
  unavailable: 'The vault file cannot be read or written at the moment',
  storage_full: 'The disk is full',
}
/** The same for what a proxy itself reports, where it is another refusal or means something else (rule G-06). */
const meaningsOfProxy: Partial<Record<ErrorCode, string>> = {
  ...meanings,
  invalid: 'No destination, an expression that is not valid, or a token that does not exist',
  forbidden: 'The key may not do this, or the destination is not allowed; nothing was sent',
  not_found: 'There is no proxy with this key',
  timeout: 'The destination did not answer within 25 seconds',
  too_large: 'The body or the answer is larger than may be changed or passed on',
  unprocessable: 'A transform takes too long',
  bad_gateway: 'The destination cannot be reached, or its answer is not valid',
}

const always: readonly ErrorCode[] = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'locked',
  'rate_limited',
  'internal',
  'unavailable',
  'storage_full',
]

function listErrorCodes({ operation, method, params }: HttpRoute): ErrorCode[] {
  const takesBody = method !== 'GET' && method !== 'DELETE'
  return [
    ...always,
    ...(takesBody ? (['too_large', 'unsupported_media_type'] as const) : []),
    ...(takesBody && operation.effect === 'write' ? (['conflict'] as const) : []),
    ...(operation.always ? [operation.always] : params.length > 0 ? (['not_found'] as const) : []),
    ...(operation.refusals ?? []),
  ]
}

/** The refusals an operation can answer with, by status, as references to `refusalResponses`. */
export function getErrorReferences(route: HttpRoute): Record<string, JsonSchema> {
  return toReferences(listErrorCodes(route))
}

/** The same for a list of codes. `kind` is empty, or `Proxy` for what a proxy itself reports. */
export function toReferences(
  codes: readonly ErrorCode[],
  kind: '' | 'Proxy' = '',
): Record<string, JsonSchema> {
  return Object.fromEntries(
    codes.map((code) => [statusOf[code], { $ref: `#/components/responses/${kind}${toPascalCase(code)}` }]),
  )
}

/** Every refusal as a response of the OpenAPI document. */
export const errorResponses: Record<string, JsonSchema> = {
  ...toResponses(meanings, '', 'application/problem+json', 'Problem'),
  ...toResponses(meaningsOfProxy, 'Proxy', 'application/json', 'ProxyError'),
  ...toResponses(
    { three_ds_failed: 'A service of 3D Secure failed, which a test card stands for' },
    '',
    'application/json',
    'ThreeDsError',
  ),
}

function toResponses(
  meanings: Partial<Record<ErrorCode, string>>,
  kind: '' | 'Proxy',
  type: string,
  schema: string,
): Record<string, JsonSchema> {
  const entries = Object.entries(meanings) as [ErrorCode, string][]
  return Object.fromEntries(
    entries.map(([code, description]) => [
      `${kind}${toPascalCase(code)}`,
      {
        description,
        ...(code === 'rate_limited' && {
          headers: {
            'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
          },
        }),
        content: { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } },
      },
    ]),
  )
}

/** A problem document (rule A-05). */
export const problem: JsonSchema = {
  type: 'object',
  required: ['title', 'status', 'code', 'detail'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: {
      type: 'string',
      enum: errorCodes,
      description: 'Names the error for programs; a code never changes',
    },
    detail: { type: 'string', description: 'Says what is wrong, for people to read; the wording may change' },
    errors: {
      type: 'object',
      description: 'What is wrong with each member or parameter of an invalid request',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    retry_after: {
      type: 'integer',
      minimum: 1,
      description: 'Seconds to wait, as `Retry-After` says, where there are too many requests',
    },
  },
}

/** What a proxy itself reports (rule G-06). */
export const proxyError: JsonSchema = {
  type: 'object',
  required: ['proxy_error'],
  properties: {
    proxy_error: problem,
  },
}

/** What a service of 3D Secure has to report (rule S-01). */
export const threeDsError: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['title', 'detail', 'status', 'code', 'error'],
      properties: {
        title: { type: 'string' },
        detail: { type: 'string' },
        status: { const: 424 },
        code: { const: 'three_ds_failed' },
        error: {
          type: 'object',
          properties: Object.fromEntries(
            ['service_status', 'session_id', 'error_source', 'message', 'detail'].map((name) => [
              name,
              { type: 'string' },
            ]),
          ),
        },
      },
    },
  },
}

/** `not_found` as `NotFound`. */
function toPascalCase(code: ErrorCode): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
