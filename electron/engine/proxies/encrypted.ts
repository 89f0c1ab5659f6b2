import { isObject, type Json, type JsonObject, readJson } from '../../../shared/json.ts'
import type { Context } from '../door/context.ts'
import { dataOf, notDecrypted } from '../door/encrypted.ts'
import { keptData, requireType, rulesOf } from '../tokens/types/types.ts'
import { type Headers, headerOf } from './headers.ts'

/** The most token requests in one header. */
const MOST = 20

/** What clients have encrypted in the header of a call (rule C-02): every compact JWE in it. Never throws. */
export function encryptedInCall(call: unknown): string[] {
  if (!isObject(call) || !areHeaders(call.headers)) return []
  const requests = requestsIn(call.headers)
  return Object.values(requests ?? {}).flatMap((request) =>
    isObject(request) && typeof request.encrypted === 'string' ? [request.encrypted] : [],
  )
}

/**
 * The variable `encrypted` of a call's expressions: the token request of its header BT-ENCRYPTED with its data, or a map
 * of them (rule C-02); undefined without the header. Throws `invalid`, the same for whatever is wrong with it.
 */
export function encryptedOf(context: Context, headers: Headers): Json | undefined {
  const requests = requestsIn(headers)
  if (requests === undefined) return undefined
  if (requests === null) throw notDecrypted()
  // SECURITY: fromEntries defines members, so `__proto__` sets no prototype.
  const opened: JsonObject = Object.fromEntries(
    Object.entries(requests).map(([name, request]) => [name, decrypted(context, request)]),
  )
  return Object.hasOwn(opened, ONLY) ? opened[ONLY] : opened
}

/** The data in what `encryptedOf` gives, without the types. */
export function encryptedData(encrypted: Json | undefined): Json {
  if (!isObject(encrypted)) return null
  if (typeof encrypted.type === 'string') return encrypted.data ?? null
  return Object.values(encrypted).map(encryptedData)
}

/** Whether what nothing has parsed yet is a list of names and values. */
function areHeaders(value: unknown): value is Headers {
  return (
    Array.isArray(value) &&
    value.every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((each) => typeof each === 'string'),
    )
  )
}

/** Stands for the name of a request that has none. */
const ONLY = ''

/** The requests of the header by their names; undefined without the header, null where it holds something else. */
function requestsIn(headers: Headers): JsonObject | null | undefined {
  const header = headerOf(headers, 'bt-encrypted') ?? headerOf(headers, 'svc-encrypted')
  if (header === undefined) return undefined
  try {
    const given = readJson(Buffer.from(header, 'base64').toString())
    if (!isObject(given) || Object.keys(given).length > MOST || Object.hasOwn(given, ONLY)) return null
    return typeof given.encrypted === 'string' ? { [ONLY]: given } : given
  } catch {
    // No JSON: the caller throws for it.
    return null
  }
}

function decrypted(context: Context, request: Json | undefined): Json {
  if (!isObject(request) || typeof request.type !== 'string' || typeof request.encrypted !== 'string')
    throw notDecrypted()
  const data = dataOf(context, { type: request.type, encrypted: request.encrypted })
  const type = requireType(request.type)
  const kept = keptData(type, data ?? null)
  rulesOf[type].check(kept, 'data')
  return { type, data: kept }
}
