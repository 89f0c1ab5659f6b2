import { isUtf8 } from 'node:buffer'
import { CofferError, invalid } from '../../shared/errors.ts'
import { isObject, type Json, readJson } from '../../shared/json.ts'
import type { Method, Operation } from '../engine/door/operation.ts'

/** The most bytes a body may have (rule A-09). */
export const bodyLimit = 2 * 1024 * 1024
const DEEPEST = 64
/** Reading and writing one takes far longer than a double. */
const MOST_WRITTEN_NUMBERS = 100_000

type Body = {
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  readonly bytes: Buffer | undefined
}

/** The JSON of a body, or undefined if there is none and none is needed (rules A-09, T-12). */
export function readBody(
  operation: Pick<Operation, 'bodyless'>,
  method: Method,
  body: Body,
): Json | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  const empty = body.bytes === undefined || body.bytes.length === 0
  if (operation.bodyless && empty) return undefined
  checkType(method, body.contentType)
  if (body.encoding !== undefined && body.encoding !== 'identity') {
    throw new CofferError('unsupported_media_type', 'Send the body uncompressed.')
  }
  if (body.bytes === undefined || body.bytes.length === 0) {
    throw new CofferError('invalid', 'The request needs a JSON body.', { errors: { body: ['is required'] } })
  }
  return parseJson(body.bytes)
}

const acceptedTypes = {
  PATCH: ['application/merge-patch+json'],
  PUT: ['application/json', 'application/json-patch+json'],
  POST: ['application/json'],
}

/** Throws 415 unless a `Content-Type` is JSON in UTF-8, in a form the method accepts (rules A-09, T-12). */
export function checkType(method: keyof typeof acceptedTypes, contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  const accepted = acceptedTypes[method]
  const pairs = parameters.map(
    (parameter) =>
      /^(?<name>[\w!#$%&'*+.^`|~-]+)=(?:"(?<quoted>[^"]*)"|(?<plain>[^\s"=]+))$/.exec(parameter)?.groups,
  )
  if (!accepted.includes(type) || pairs.includes(undefined)) {
    throw new CofferError('unsupported_media_type', `Send the body with Content-Type: ${accepted[0]}.`)
  }
  const charsets = pairs.filter((pair) => pair?.name === 'charset').map((pair) => pair?.quoted ?? pair?.plain)
  if (charsets.every((charset) => charset === 'utf-8' || charset === 'utf8')) return
  throw new CofferError('unsupported_media_type', 'Send the body in UTF-8, the one charset of JSON.')
}

/** Parses JSON, keeping every number as written; refuses what cannot be kept unchanged (rule A-14, case X-08). */
export function parseJson(bytes: Buffer): Json {
  if (!isUtf8(bytes)) throw invalid('body', 'must be UTF-8')
  // A byte order mark says nothing in UTF-8; some editors and spreadsheets write one (rule A-09).
  return parseText(bytes.toString().replace(/^\ufeff/, ''))
}

/** `parseJson` for a string. */
export function parseText(text: string): Json {
  const value = read(text)
  checkValue(value)
  return value
}

function read(text: string): Json {
  try {
    return readJson(text, MOST_WRITTEN_NUMBERS)
  } catch (error) {
    if (error instanceof CofferError) throw invalid('body', error.message)
    throw error instanceof RangeError ? tooDeep() : invalid('body', 'must be valid JSON')
  }
}

function tooDeep(): CofferError {
  return invalid('body', `must not be nested deeper than ${DEEPEST} levels`)
}

/**
 * Throws `invalid` if JSON is too deep or holds what cannot be kept unchanged. Walks level by level, so that depth
 * cannot exhaust the stack.
 */
export function checkValue(root: Json): void {
  let level: Json[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw tooDeep()
    const next: Json[] = []
    for (const value of level) {
      if (Array.isArray(value)) for (const each of iterate(value)) next.push(each)
      else if (isObject(value)) {
        // SECURITY: a member of this name would change prototypes further in.
        if (Object.hasOwn(value, '__proto__')) throw invalid('body', 'must not have a member named __proto__')
        for (const each of iterate(Object.values(value))) next.push(each)
      }
    }
    level = next
  }
}

function* iterate(values: readonly Json[]): Generator<Json> {
  for (const value of values) if (typeof value === 'object') yield value
}
