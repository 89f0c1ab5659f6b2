import { isObject, type Json, type JsonObject, readJson } from '../../../shared/json.ts'
import type { Context } from '../pipeline/context.ts'
import { createNotDecryptedError, resolveData } from '../pipeline/encrypted.ts'
import { requireType, toStoredData, typeRules } from '../tokens/types/types.ts'
import { findHeader, type Headers } from './headers.ts'

/** The most token requests in one header. */
const MAX_TOKEN_REQUESTS = 20

/** What clients have encrypted in the header of a call (rule C-02): every compact JWE in it. Never throws. */
export function findEncryptedInCall(call: unknown): string[] {
  if (!isObject(call) || !areHeaders(call.headers)) return []
  const requests = readTokenRequests(call.headers)
  return Object.values(requests ?? {}).flatMap((request) =>
    isObject(request) && typeof request.encrypted === 'string' ? [request.encrypted] : [],
  )
}

/**
 * The variable `encrypted` of a call's expressions: the token request of its header BT-ENCRYPTED with its data, or a map
 * of them (rule C-02); undefined without the header. Throws `invalid`, the same for whatever is wrong with it.
 */
export function decryptHeader(context: Context, headers: Headers): Json | undefined {
  const requests = readTokenRequests(headers)
  if (requests === undefined) return undefined
  if (requests === null) throw createNotDecryptedError()
  // SECURITY: fromEntries defines members, so `__proto__` sets no prototype.
  const opened: JsonObject = Object.fromEntries(
    Object.entries(requests).map(([name, request]) => [name, decryptRequest(context, request)]),
  )
  return Object.hasOwn(opened, UNNAMED) ? opened[UNNAMED] : opened
}

/** The data in what `encryptedOf` gives, without the types. */
export function readEncryptedData(encrypted: Json | undefined): Json {
  if (!isObject(encrypted)) return null
  if (typeof encrypted.type === 'string') return encrypted.data ?? null
  return Object.values(encrypted).map(readEncryptedData)
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
const UNNAMED = ''

/** The requests of the header by their names; undefined without the header, null where it holds something else. */
function readTokenRequests(headers: Headers): JsonObject | null | undefined {
  const header = findHeader(headers, 'bt-encrypted') ?? findHeader(headers, 'svc-encrypted')
  if (header === undefined) return undefined
  try {
    const parsedHeader = readJson(Buffer.from(header, 'base64').toString())
    if (
      !isObject(parsedHeader) ||
      Object.keys(parsedHeader).length > MAX_TOKEN_REQUESTS ||
      Object.hasOwn(parsedHeader, UNNAMED)
    )
      return null
    return typeof parsedHeader.encrypted === 'string' ? { [UNNAMED]: parsedHeader } : parsedHeader
  } catch {
    // No JSON: the caller throws for it.
    return null
  }
}

function decryptRequest(context: Context, request: Json | undefined): Json {
  if (!isObject(request) || typeof request.type !== 'string' || typeof request.encrypted !== 'string')
    throw createNotDecryptedError()
  const data = resolveData(context, { type: request.type, encrypted: request.encrypted })
  const type = requireType(request.type)
  const storedData = toStoredData(type, data ?? null)
  typeRules[type].check(storedData, 'data')
  return { type, data: storedData }
}
