import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '../../shared/json.ts'
import { maskText } from '../engine/index.ts'

/** Headers that are safe to show, because they identify nobody. */
const harmless = new Set([
  'host',
  'content-type',
  'content-length',
  'bt-trace-id',
  'svc-trace-id',
  'date',
  'connection',
])
const secret = /authorization|cookie|encrypted|signature|password|secret/
/** Shorter header values are hidden completely, because four of their characters would reveal too much. */
const MIN_MASKED_LENGTH = 12

/**
 * The data of an `http.request` event (rule W-01). SECURITY: the event has no query and no bodies. Long numbers in the
 * path are masked, and most headers show only two characters at each end (rule W-05).
 */
export function toRequestEvent(
  request: FastifyRequest,
  reply: FastifyReply,
): { readonly [name: string]: Json } {
  const [path = ''] = request.url.split('?', 1)
  return {
    request: { method: request.method, path: maskPath(path), headers: maskHeaders(request.headers) },
    response: { status: reply.statusCode, headers: maskHeaders(reply.getHeaders()) },
  }
}

/** Masks the long numbers in a path. SECURITY: callers put card numbers into paths, sometimes percent-encoded. */
export function maskPath(path: string): string {
  try {
    const plain = decodeURIComponent(path)
    const maskedText = maskText(plain)
    return maskedText === plain ? maskText(path) : maskedText
  } catch {
    // The path contains invalid percent-encoding.
    return maskText(path)
  }
}

function maskHeaders(
  headers: Readonly<Record<string, string | number | string[] | undefined>>,
): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      [value ?? ''].flat().map((each) => maskHeader(name, each)),
    ]),
  )
}

function maskHeader(name: string, value: string | number): string {
  const text = String(value)
  if (harmless.has(name)) return maskText(text)
  if (secret.test(name) || text.length < MIN_MASKED_LENGTH) return '*******'
  return `${text.slice(0, 2)}***${text.slice(-2)} (length ${text.length})`
}
