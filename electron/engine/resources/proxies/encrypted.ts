import { isObject, type Json, type JsonObject, readJson } from '../../../../shared/json.ts'
import type { Context } from '../../pipeline/context.ts'
import { createNotDecryptedError, resolveData } from '../../pipeline/encrypted.ts'
import { requireType, toStoredData, typeRules } from '../tokens/types/types.ts'
import { findHeader, type Headers } from './headers.ts'

/** The maximum number of token requests in one header. */
const MAX_TOKEN_REQUESTS = 20

/** Finds every compact JWE in the BT-ENCRYPTED header of a call (rule C-02). Never throws. */
export function findEncryptedInCall(call: unknown): string[] {
  if (!isObject(call) || !areHeaders(call.headers)) return []
  const requests = readTokenRequests(call.headers)
  return Object.values(requests ?? {}).flatMap((request) =>
    isObject(request) && typeof request.encrypted === 'string' ? [request.encrypted] : [],
  )
}

/**
 * Returns the variable `encrypted` for the expressions of a call: the token request of its BT-ENCRYPTED header with
 * the decrypted data, or a map of several (rule C-02); undefined without the header. Throws `invalid`. SECURITY:
 * the message is the same for every problem, so it reveals nothing.
 */
export function decryptHeader(context: Context, headers: Headers): Json | undefined {
  const requests = readTokenRequests(headers)
  if (requests === undefined) return undefined
  if (requests === null) throw createNotDecryptedError()
  // SECURITY: fromEntries defines properties, so `__proto__` sets no prototype.
  const opened: JsonObject = Object.fromEntries(
    Object.entries(requests).map(([name, request]) => [name, decryptRequest(context, request)]),
  )
  return Object.hasOwn(opened, UNNAMED) ? opened[UNNAMED] : opened
}

/** Returns only the data in the result of `decryptHeader`, without the types. */
export function readEncryptedData(encrypted: Json | undefined): Json {
  if (!isObject(encrypted)) return null
  if (typeof encrypted.type === 'string') return encrypted.data ?? null
  return Object.values(encrypted).map(readEncryptedData)
}

/** Whether an unvalidated value is a list of header names and values. */
function areHeaders(value: unknown): value is Headers {
  return (
    Array.isArray(value) &&
    value.every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((each) => typeof each === 'string'),
    )
  )
}

const UNNAMED = ''

/** Returns the token requests of the header by name; undefined without the header, null if its content is invalid. */
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
    // The content is not JSON. The caller throws the error.
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
