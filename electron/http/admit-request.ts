import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isCardholderPage } from './cardholder-pages/paths.ts'
import { rejectFormerPage } from './elements/page-of.ts'
import { type Guard, guardRequest } from './guard.ts'
import { findPrefixedHeader } from './keys.ts'
import { getRateScopes, type RateLimiter } from './rate-limit.ts'

/** Runs the first steps of every request: response headers, trace id, guard, rate limits. */
export function admitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  guard: Guard,
  limiter: RateLimiter,
): void {
  reply.header('Cache-Control', 'no-store')
  reply.header('X-Content-Type-Options', 'nosniff')
  const { headers } = request
  request.trace_id = getTraceId(request)
  reply.header('SVC-TRACE-ID', request.trace_id)
  if (headers['bt-api-key'] !== undefined || headers['bt-trace-id'] !== undefined) {
    reply.header('BT-TRACE-ID', request.trace_id)
  }
  // SECURITY: requests that the guard rejects are not recorded, so that no foreign page can fill the disk with
  // records.
  const { url, config } = request.routeOptions
  guardRequest(
    request.raw,
    guard,
    config.anyPage ? 'elements' : isCardholderPage(url) ? 'cardholder page' : 'interface',
  )
  rejectFormerPage(request.raw, guard)
  request.unrecorded = true
  // Only the documented API is rate-limited.
  if (isOwn(url) || config.anyPage || url?.startsWith('/elements')) return
  const method = request.method === 'HEAD' ? 'GET' : request.method
  limiter.countRequest(request.raw.socket.remoteAddress ?? '', getRateScopes(method, url))
}

/** Returns whether a route is Coffer's own and not part of the hosted API. */
export function isOwn(url: string | undefined): boolean {
  return url?.startsWith('/_coffer/') === true
}

/**
 * Returns the request's trace id if it is printable and at most 200 characters long, otherwise a new one (rule A-11).
 */
function getTraceId({ headers }: FastifyRequest): string {
  const requestedId = findPrefixedHeader(headers, 'trace-id')
  return requestedId !== undefined && /^[\x21-\x7e]{1,200}$/.test(requestedId) ? requestedId : randomUUID()
}
