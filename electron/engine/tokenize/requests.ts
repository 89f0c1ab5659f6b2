import { isObject, type Json } from '../../../shared/json.ts'
import { mapPayload } from './payload.ts'

/** A place of a payload that becomes a token: what is asked for there, and whether the id alone takes its place. */
export type TokenRequest = { readonly path: string; readonly request: Json; readonly by_id: boolean }

/** What a value asks for (rule O-01): a token by an object that requests one, or of type `token` by a leaf. */
function requestAt(value: Json, path: string): TokenRequest | null {
  if (value === null || Array.isArray(value)) return null
  if (!isObject(value)) return { path, request: { type: 'token', data: value }, by_id: true }
  const asked =
    Object.hasOwn(value, 'token_intent_id') || (Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data'))
  return asked ? { path, request: value, by_id: false } : null
}

/** Every token a payload asks for, in its order (rule O-01). */
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

/** The payload with each token it asks for in its place; `tokens` are in the order of `requestsOf`. */
export function withTokens(payload: Json, tokens: readonly Json[]): Json {
  let next = 0
  return mapPayload(payload, (value, path) => (requestAt(value, path) ? (tokens[next++] ?? null) : undefined))
}
