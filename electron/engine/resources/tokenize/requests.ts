import { type CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json, type JsonObject } from '../../../../shared/json.ts'
import { formatSettingHint } from '../../../../shared/settings.ts'
import { mapPayload, visitObjects, visitPayload } from './payload.ts'

/** A value in a payload that becomes a token. If `by_id` is true, only the token's id replaces the value. */
export type TokenRequest = { readonly path: string; readonly request: Json; readonly by_id: boolean }

/** The number at which counting stops. No tenant allows that many tokens. */
const MAX_COUNTED_REQUESTS = 100_000

/** Whether an object describes a token (rule O-01). */
function isTokenDescription(value: JsonObject): boolean {
  const hasMember = (name: string) => Object.hasOwn(value, name)
  return hasMember('token_intent_id') || (hasMember('type') && (hasMember('data') || hasMember('encrypted')))
}

/**
 * Whether a value requests a token (rule O-01): an object that describes one, or a string, number or boolean, whose
 * token gets the type `token`.
 */
function isRequest(value: Json): boolean {
  return value !== null && !Array.isArray(value) && (!isObject(value) || isTokenDescription(value))
}

/**
 * Returns every token that a payload requests, in order (rule O-01). Throws `invalid` if there are more than `max`;
 * the others are then only counted (case X-65).
 */
export function findTokenRequests(payload: Json, max: number): TokenRequest[] {
  const requests: TokenRequest[] = []
  let count = 0
  visitPayload(payload, (value, path) => {
    if (!isRequest(value)) return false
    if (++count > MAX_COUNTED_REQUESTS)
      throw createTooManyTokensError(`more than ${MAX_COUNTED_REQUESTS}`, max)
    if (count > max) return true
    const by_id = !isObject(value)
    requests.push({ path: path(), request: by_id ? { type: 'token', data: value } : value, by_id })
    return true
  })
  if (count > max) {
    throw createTooManyTokensError(String(count), max)
  }
  return requests
}

function createTooManyTokensError(count: string, max: number): CofferError {
  const hint = formatSettingHint('tokens_per_tokenize')
  return createInvalidError(
    'body',
    `requests ${count} tokens; the tenant allows ${max} in one request. ${hint}`,
  )
}

/** Returns all objects of a payload that describe tokens, however many there are. */
export function findTokenDescriptions(payload: Json): JsonObject[] {
  const descriptions: JsonObject[] = []
  visitObjects(payload, (value) => {
    const isDescription = isTokenDescription(value)
    if (isDescription) descriptions.push(value)
    return isDescription
  })
  return descriptions
}

/** Returns the payload with each requested token replaced, in the order of `findTokenRequests` (rule O-01). */
export function replaceTokenRequests(payload: Json, tokens: readonly Json[]): Json {
  let next = 0
  return mapPayload(payload, (value) => (isRequest(value) ? (tokens[next++] ?? null) : undefined))
}
