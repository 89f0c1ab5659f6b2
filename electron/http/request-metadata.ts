import type { FastifyRequest } from 'fastify'
import { tokenTypes } from '../../shared/token-types.ts'
import { maskText, type RequestMetadata } from '../engine/index.ts'

/** Headers that are stored with their values, because the values describe the request and not a person. */
const storedHeaders = ['accept', 'content-type', 'content-length', 'transfer-encoding', 'origin'] as const
/** Headers for which only their presence is stored, because their values may be anything. */
const presenceHeaders = ['idempotency-key', 'trace-id'] as const
const MAX_VALUE_LENGTH = 120
/** `runs` matches runs of the characters that secrets consist of; `program` matches a program name with its version. */
const runs = /[A-Za-z0-9_+/=~-]{20,}/g
const program = /^[A-Za-z+-]+(?:\/\d{0,4})?$/
const long = /[A-Za-z0-9_]{24}/

/**
 * SECURITY: truncates possible secrets to their first four characters: runs of at least 24 letters or digits, and runs
 * of at least 20 characters that contain digits, except program names with a version.
 */
function maskSecrets(text: string): string {
  return text.replace(runs, (run) => {
    const isHarmless = !long.test(run) && (!/\d/.test(run) || program.test(run))
    return isHarmless ? run : `${run.slice(0, 4)}…`
  })
}

/**
 * Returns a path as the log stores it. SECURITY: callers put card numbers into paths, sometimes percent-encoded, and
 * the paths of some destinations hold secrets.
 */
export function toRecordedPath(path: string): string {
  const plain = decodePath(path)
  const safePath = maskPath(plain)
  return plain !== path && safePath === plain ? maskPath(path) : safePath
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function maskPath(path: string): string {
  const segments = maskText(path).split('/')
  return segments.map((segment) => (uuid.test(segment) ? segment : maskSecrets(segment))).join('/')
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // The path contains invalid percent-encoding.
    return path
  }
}

/** SECURITY: hides possible card numbers and secrets in the value of any header. */
function maskValue(value: string): string {
  const safeValue = maskSecrets(maskText(value.slice(0, 4 * MAX_VALUE_LENGTH)))
  return safeValue.length > MAX_VALUE_LENGTH ? `${safeValue.slice(0, MAX_VALUE_LENGTH)}…` : safeValue
}

const MAX_CACHED_VALUES = 500
/** A cache, because programs keep sending the same few values. */
const maskedValues = new Map<string, string>()

function getMaskedValue(value: string): string {
  let maskedValue = maskedValues.get(value)
  if (maskedValue === undefined) {
    maskedValue = maskValue(value)
    if (maskedValues.size >= MAX_CACHED_VALUES) maskedValues.clear()
    if (value.length <= MAX_VALUE_LENGTH) maskedValues.set(value, maskedValue)
  }
  return maskedValue
}

const number = /^\d{1,6}$/
const moment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?$/
const never = /(?!)/
/**
 * The query parameters of the API, each with the values that may be stored. SECURITY: other values are left out, and
 * so are unknown names, which may themselves be data.
 */
const parameters: Readonly<Record<string, RegExp>> = {
  page: number,
  size: number,
  status: /^[1-5](?:xx|\d\d)$/,
  type: new RegExp(`^(?:${tokenTypes.join('|')})$`),
  start_date: moment,
  end_date: moment,
  id: never,
  bin: never,
  entity_type: never,
  entity_id: never,
  action: never,
  actor_id: never,
  trace_id: never,
  q: never,
  start: never,
  limit: number,
  cursor: never,
  enrollment_id: never,
  user_id: never,
  application_type: never,
  name: never,
  metadata: never,
  container: never,
  fingerprint: never,
  'bt-proxy-key': never,
}
const OTHER = '…'

/** Returns the parameters of a query by name. SECURITY: all unknown names are merged into one `…`. */
function maskQuery(url: string): Record<string, string | null> {
  const at = url.indexOf('?')
  if (at < 0) return {}
  const query: Record<string, string | null> = {}
  for (const [sentName, value] of new URLSearchParams(url.slice(at + 1))) {
    const name = /^metadata[.[]/.test(sentName) ? 'metadata' : sentName
    const safe = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (!safe) query[OTHER] = null
    else query[name] = safe.test(value) && !Object.hasOwn(query, name) ? value : null
  }
  return query
}

/** Returns what the log stores about a request besides method and path (rule O-05). */
export function getRequestMetadata({ raw, headers, body }: FastifyRequest): RequestMetadata {
  const agent = headers['user-agent']
  const storedValues: Record<string, string> = {}
  for (const name of storedHeaders) {
    const value = headers[name]
    if (typeof value === 'string') storedValues[name] = getMaskedValue(value)
  }
  for (const name of presenceHeaders) {
    if (headers[`svc-${name}`] !== undefined || headers[`bt-${name}`] !== undefined)
      storedValues[name] = 'sent'
  }
  const bytes_in = countBodyBytes(headers, body)
  return {
    agent: agent ? getMaskedValue(agent) : null,
    ...(bytes_in !== undefined && { bytes_in }),
    headers: storedValues,
    query: maskQuery(raw.url ?? ''),
  }
}

/** The size of a body in bytes; undefined for a stream without `Content-Length`. */
function countBodyBytes(headers: FastifyRequest['headers'], body: unknown): number | undefined {
  if (Buffer.isBuffer(body)) return body.length
  if (headers['transfer-encoding'] !== undefined) return undefined
  const announced = Number(headers['content-length'] ?? 0)
  return Number.isSafeInteger(announced) ? announced : undefined
}
