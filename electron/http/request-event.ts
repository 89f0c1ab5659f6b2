import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '../../shared/json.ts'
import { maskText } from '../engine/pipeline/log-id.ts'

/** Headers that say nothing of anybody. */
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
/** Shorter values would show a good part of themselves. */
const SHORTEST = 12

/**
 * What webhooks are told of a request (rule W-01). SECURITY: without query and bodies; long numbers in the path are
 * masked, and of most headers two characters at each end are left (rule W-05).
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

/** A path with its long numbers masked. SECURITY: callers put card numbers into paths, also encoded. */
export function maskPath(path: string): string {
  try {
    const plain = decodeURIComponent(path)
    const maskedText = maskText(plain)
    return maskedText === plain ? maskText(path) : maskedText
  } catch {
    // A percent sign that encodes nothing.
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
  if (secret.test(name) || text.length < SHORTEST) return '*******'
  return `${text.slice(0, 2)}***${text.slice(-2)} (length ${text.length})`
}
