import type { IncomingHttpHeaders } from 'node:http'

/** What a browser would hold against the listener, and against everything else on its host, not the destination. */
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

/** Beginnings of names: which pages may read answers, and what the proxy itself says. */
const ownPrefixes = /^(?:access-control|cross-origin|bt|svc|coffer)-/

/**
 * Whether a header of a destination's answer goes back to the caller, by its name in lower case. SECURITY: a browser
 * takes them for the listener's own. A cookie of one port is sent to every other port of this machine, so a page is
 * given none; a program keeps those of its provider.
 */
export function canPassHeader(name: string, { origin, ...requestHeaders }: IncomingHttpHeaders): boolean {
  if (aboutTheListener.has(name) || ownPrefixes.test(name)) return false
  return name !== 'set-cookie' || (origin === undefined && requestHeaders['sec-fetch-site'] === undefined)
}
