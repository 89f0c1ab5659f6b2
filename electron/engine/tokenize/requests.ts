import { type CofferError, invalid } from '../../../shared/errors.ts'
import { isObject, type Json, type JsonObject } from '../../../shared/json.ts'
import { mapPayload } from './payload.ts'

/** A place in a payload that becomes a token: the request, and whether the token's id alone replaces it. */
export type TokenRequest = { readonly path: string; readonly request: Json; readonly by_id: boolean }

/** Requests beyond these are not counted: no tenant allows as many. */
const MAX_COUNTED = 100_000

/** Whether an object describes a token (rule O-01). */
function describesToken(value: JsonObject): boolean {
  const has = (name: string) => Object.hasOwn(value, name)
  return has('token_intent_id') || (has('type') && (has('data') || has('encrypted')))
}

/** Whether a value requests a token (rule O-01): an object that describes one requests it, a leaf one of type `token`. */
function isRequest(value: Json): boolean {
  return value !== null && !Array.isArray(value) && (!isObject(value) || describesToken(value))
}

/**
 * Returns every token a payload requests, in order (rule O-01). Throws `invalid` where there are more than `most`, of
 * which the others are only counted (case X-65).
 */
export function requestsOf(payload: Json, most: number): TokenRequest[] {
  const requests: TokenRequest[] = []
  let count = 0
  mapPayload(payload, (value, path) => {
    if (!isRequest(value)) return undefined
    if (++count > MAX_COUNTED) throw tooMany(`more than ${MAX_COUNTED}`, most)
    if (count > most) return null
    const by_id = !isObject(value)
    requests.push({ path: path(), request: by_id ? { type: 'token', data: value } : value, by_id })
    return null
  })
  if (count > most) {
    throw tooMany(String(count), most)
  }
  return requests
}

function tooMany(count: string, most: number): CofferError {
  return invalid('body', `asks for ${count} tokens; the tenant allows ${most} in one request`)
}

/** Returns the objects of a payload that describe tokens, however many there are. */
export function descriptionsOf(payload: Json): JsonObject[] {
  const found: JsonObject[] = []
  mapPayload(payload, (value) => {
    if (!isRequest(value)) return undefined
    if (isObject(value)) found.push(value)
    return null
  })
  return found
}

/** Returns the payload with its requests replaced by `tokens`, in the order of `requestsOf` (rule O-01). */
export function withTokens(payload: Json, tokens: readonly Json[]): Json {
  let next = 0
  return mapPayload(payload, (value) => (isRequest(value) ? (tokens[next++] ?? null) : undefined))
}
