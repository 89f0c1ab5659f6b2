import { isUtf8 } from 'node:buffer'
import { CofferError, createInvalidError } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import { MAX_MEMBERS, parseJson } from '../../shared/safe-json.ts'
import type { HttpMethod, Operation } from '../engine/index.ts'

/** The maximum size of a body in bytes (rule A-09). */
export const BODY_LIMIT = 2 * 1024 * 1024

type Body = {
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  readonly bytes: Buffer | undefined
}

/** Parses the JSON of a body. Returns undefined if there is no body and none is needed (rules A-09, T-12). */
export function readBody(
  operation: Pick<Operation, 'bodyless' | 'alsoAccepts'>,
  method: HttpMethod,
  body: Body,
): Json | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  const empty = body.bytes === undefined || body.bytes.length === 0
  if (operation.bodyless && empty) return undefined
  checkType(method, body.contentType, operation.alsoAccepts)
  if (body.encoding !== undefined && body.encoding !== 'identity') {
    throw new CofferError('unsupported_media_type', 'Send the body uncompressed.')
  }
  if (body.bytes === undefined || body.bytes.length === 0) {
    throw new CofferError('invalid', 'The request needs a JSON body.', { errors: { body: ['is required'] } })
  }
  return parseBytes(body.bytes, MAX_MEMBERS)
}

const acceptedTypes = {
  PATCH: ['application/merge-patch+json'],
  PUT: ['application/json', 'application/json-patch+json'],
  POST: ['application/json'],
}

/** Throws 415 unless a `Content-Type` is JSON in UTF-8, of a media type of the method or in `more` (rules A-09, T-12). */
export function checkType(
  method: keyof typeof acceptedTypes,
  contentType: string | undefined,
  more: readonly string[] = [],
): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  const accepted = [...acceptedTypes[method], ...more]
  // A trailing semicolon is allowed (RFC 9110, 5.6.6).
  const pairs = parameters
    .filter((parameter) => parameter !== '')
    .map(
      (parameter) =>
        /^(?<name>[\w!#$%&'*+.^`|~-]+)=(?:"(?<quoted>[^"]*)"|(?<plain>[^\s"=]+))$/.exec(parameter)?.groups,
    )
  if (!accepted.includes(type) || pairs.includes(undefined)) {
    throw new CofferError('unsupported_media_type', `Send the body with Content-Type: ${accepted[0]}.`)
  }
  const charsets = pairs.filter((pair) => pair?.name === 'charset').map((pair) => pair?.quoted ?? pair?.plain)
  if (charsets.every((charset) => charset === 'utf-8' || charset === 'utf8')) return
  throw new CofferError('unsupported_media_type', 'Send the body in UTF-8, the only charset of JSON.')
}

/**
 * Parses the JSON of a body and zeroes its bytes, because they may belong to a buffer that stays in use (X-70). Throws
 * `invalid` if the body is not UTF-8, and the errors of `parseJson`.
 */
export function parseBytes(bytes: Buffer, maxMembers?: number): Json {
  if (!isUtf8(bytes)) throw createInvalidError('body', 'must be UTF-8')
  // A byte order mark is dropped: it has no meaning in UTF-8, but some editors and spreadsheets write one (rule A-09).
  const text = bytes.toString().replace(/^\ufeff/, '')
  bytes.fill(0)
  return parseJson(text, maxMembers)
}
