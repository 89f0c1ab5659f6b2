import { isObject, type Json } from '../../../shared/json.ts'
import { mapPayload } from './payload.ts'

/** A place in a payload that becomes a token: the request, and whether the token's id alone replaces it. */
export type TokenRequest = { readonly path: string; readonly request: Json; readonly by_id: boolean }

/** What a value requests (rule O-01): an object that describes a token requests it, a leaf one of type `token`. */
function requestAt(value: Json): Omit<TokenRequest, 'path'> | null {
  if (value === null || Array.isArray(value)) return null
  if (!isObject(value)) return { request: { type: 'token', data: value }, by_id: true }
  const has = (name: string) => Object.hasOwn(value, name)
  const asked = has('token_intent_id') || (has('type') && (has('data') || has('encrypted')))
  return asked ? { request: value, by_id: false } : null
}

/** Returns every token a payload requests, in order (rule O-01). */
export function requestsOf(payload: Json): TokenRequest[] {
  return firstRequestsOf(payload, Number.POSITIVE_INFINITY).requests
}

/** Returns the first tokens that a payload requests, at most so many, and how many it requests in all. */
export function firstRequestsOf(payload: Json, most: number): { requests: TokenRequest[]; count: number } {
  const requests: TokenRequest[] = []
  let count = 0
  mapPayload(payload, (value, path) => {
    const request = requestAt(value)
    if (!request) return undefined
    if (count++ < most) requests.push({ path: path(), ...request })
    return null
  })
  return { requests, count }
}

/** Returns the payload with its requests replaced by `tokens`, in the order of `requestsOf` (rule O-01). */
export function withTokens(payload: Json, tokens: readonly Json[]): Json {
  let next = 0
  return mapPayload(payload, (value) => (requestAt(value) ? (tokens[next++] ?? null) : undefined))
}
