import type { IncomingHttpHeaders } from 'node:http'

/**
 * Headers that a browser would apply to the listener, and to everything else on its host, rather than to the
 * destination.
 */
const aboutTheListener = new Set([
  'activate-storage-access',
  'alt-svc',
  'clear-site-data',
  'content-security-policy-report-only',
  'expect-ct',
  'nel',
  'no-vary-search',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-login',
  'speculation-rules',
  'strict-transport-security',
  'timing-allow-origin',
  'use-as-dictionary',
  'x-content-type-options',
])

/** Prefixes of headers that only the proxy itself may set, such as the CORS headers. */
const ownPrefixes = /^(?:access-control|cross-origin|bt|svc|coffer)-/

/**
 * Whether a header of a destination's response is passed on to the caller; `name` is in lower case. SECURITY: the
 * headers in `aboutTheListener` are dropped, because a browser would apply them to the listener. Those with a prefix in
 * `ownPrefixes` are dropped, because only the proxy itself may set them. A browser also sends the cookies of one port
 * to every other port of this machine, so no cookie is passed on to a page; programs that are not browsers get the
 * destination's cookies.
 */
export function canPassHeader(name: string, { origin, ...requestHeaders }: IncomingHttpHeaders): boolean {
  if (aboutTheListener.has(name) || ownPrefixes.test(name)) return false
  return name !== 'set-cookie' || (origin === undefined && requestHeaders['sec-fetch-site'] === undefined)
}
