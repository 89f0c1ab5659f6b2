import { type ErrorCode, errorCodes, statusOf } from '../../shared/errors.ts'
import type { JsonSchema } from './json-schema.ts'
import type { HttpRoute } from './routes.ts'

/** The description of each error in the OpenAPI document (rule A-16). */
const meanings: Partial<Record<ErrorCode, string>> = {
  invalid: 'A field or parameter is not valid; `errors` lists each',
  unauthenticated: 'No key, or one that is unknown, deleted or expired',
  forbidden: 'The key may not do this',
  not_found: 'The resource does not exist or was deleted',
  conflict:
    'The id or nonce is taken, or a request with this idempotency key is still being answered (`in_flight`)',
  gone: 'The operation has been shut down',
  too_large: 'The body is larger than 2 MiB, or a document is larger than 50 MiB',
  timeout: 'The body took too long to arrive',
  unsupported_media_type:
    'The content type of the body is not the documented one, or its charset is not UTF-8',
  unprocessable:
    'A limit is reached, such as 3 keys per application or 100 snapshots, or the owner would lose the owner role',
  apple_pay_refused: 'No key of the vault decrypts the payment data of Apple Pay',
  google_pay_refused: 'No key of the vault decrypts the payment data of Google Pay, or the data has expired',
  network_token_refused:
    'The card gets no network token; `title` says why, such as CARD_NOT_ELIGIBLE, as simulated by a test card',
  bad_gateway: 'The code of a reactor for node22 failed, or its response is not valid',
  locked: 'The vault is locked',
  rate_limited: 'Too many requests from this address',
  internal: 'Something went wrong inside the vault',
  unavailable: 'The vault file cannot be read or written at the moment',
  storage_full: 'The disk is full',
}
/** The errors of a proxy itself, some with a different meaning than for other operations (rule G-06). */
export const proxyErrors = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'timeout',
  'too_large',
  'unprocessable',
  'locked',
  'rate_limited',
  'internal',
  'bad_gateway',
  'unavailable',
  'storage_full',
] as const satisfies readonly ErrorCode[]

const meaningsOfProxy: Partial<Record<ErrorCode, string>> = {
  ...Object.fromEntries(proxyErrors.map((code) => [code, meanings[code]])),
  invalid: 'No destination, an expression that is not valid, or a token that does not exist',
  forbidden: 'The key may not do this, or the destination is not allowed; nothing was sent',
  not_found: 'There is no proxy with this key',
  timeout: 'The destination did not respond within 25 seconds',
  too_large: 'The body or the response is too large to be changed or forwarded',
  unprocessable: 'A transform takes too long',
  bad_gateway: 'The destination cannot be reached, or its response is not valid',
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

/** Returns the errors of an operation by status, as references to `errorResponses`. */
export function getErrorReferences(route: HttpRoute): Record<string, JsonSchema> {
  return toReferences(listErrorCodes(route))
}

/**
 * Returns errors by status, as references to `errorResponses`. `kind` is `Proxy` for the errors of a proxy itself,
 * otherwise empty.
 */
export function toReferences(
  codes: readonly ErrorCode[],
  kind: '' | 'Proxy' = '',
): Record<string, JsonSchema> {
  return Object.fromEntries(
    codes.map((code) => [statusOf[code], { $ref: `#/components/responses/${kind}${toPascalCase(code)}` }]),
  )
}

/** The responses of the OpenAPI document: one for each error. */
export const errorResponses: Record<string, JsonSchema> = {
  ...toResponses(meanings, '', 'Problem'),
  ...toResponses(meaningsOfProxy, 'Proxy', 'ProxyError'),
  ...toResponses(
    { three_ds_failed: 'A 3D Secure service failed, as simulated by a test card' },
    '',
    'ThreeDsError',
  ),
}

function toResponses(
  meanings: Partial<Record<ErrorCode, string>>,
  kind: '' | 'Proxy',
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
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
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
      description: 'Identifies the error for programs; codes never change',
    },
    type: { type: 'string', description: 'Names an error of agentic payments for programs' },
    detail: { type: 'string', description: 'Explains the error to people; the wording may change' },
    errors: {
      type: 'object',
      description: 'The error messages of each invalid field or parameter',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    retry_after: {
      type: 'integer',
      minimum: 1,
      description: 'Seconds to wait after too many requests, as in `Retry-After`',
    },
  },
}

/** An error of a proxy itself (rule G-06). */
export const proxyError: JsonSchema = {
  type: 'object',
  required: ['proxy_error'],
  properties: {
    proxy_error: problem,
  },
}

/** An error of a 3D Secure service (rule S-01). */
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

/** Converts `not_found` to `NotFound`. */
function toPascalCase(code: ErrorCode): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
