import { isObject, type Json } from '../../../shared/json.ts'
import { mapPayload } from './payload.ts'

/** A place in a payload that becomes a token: the request, and whether the token's id alone replaces it. */
export type TokenRequest = { readonly path: string; readonly request: Json; readonly by_id: boolean }

/** What a value requests (rule O-01): an object that describes a token requests it, a leaf one of type `token`. */
function requestAt(value: Json, path: string): TokenRequest | null {
  if (value === null || Array.isArray(value)) return null
  if (!isObject(value)) return { path, request: { type: 'token', data: value }, by_id: true }
  const has = (name: string) => Object.hasOwn(value, name)
  const asked = has('token_intent_id') || (has('type') && (has('data') || has('encrypted')))
  return asked ? { path, request: value, by_id: false } : null
}

/** Returns every token a payload requests, in order (rule O-01). */
export function requestsOf(payload: Json): TokenRequest[] {
  const requests: TokenRequest[] = []
  mapPayload(payload, (value, path) => {
    const request = requestAt(value, path)
    if (!request) return undefined
    requests.push(request)
    return null
  })
  return requests
}

/** Returns the payload with its requests replaced by `tokens`, in the order of `requestsOf` (rule O-01). */
export function withTokens(payload: Json, tokens: readonly Json[]): Json {
  let next = 0
  return mapPayload(payload, (value, path) => (requestAt(value, path) ? (tokens[next++] ?? null) : undefined))
}
