import type { IncomingMessage } from 'node:http'
import { CofferError } from '../../shared/errors.ts'
import { getOwnOrigin, hasCheckedHost, listOwnOrigins } from './own-origin.ts'

/** What the listener accepts: hosts, origins and members. */
export type Guard = {
  /** Values of `Host`, with port, in lower case. */
  readonly hosts: ReadonlySet<string>
  /** Origins of web pages that may call the listener, besides its own. */
  readonly origins: ReadonlySet<string>
  /** Whether unknown members and parameters are rejected, rather than ignored (rule A-08). */
  readonly strict: boolean
}

/**
 * Rejects requests that foreign web pages in the owner's browser could send (cases ). SECURITY: a
 * localhost port is open to every page in every browser on this machine; `Host` stops DNS rebinding, `Origin` and
 * `Sec-Fetch-Site` stop foreign pages. All three are checked before anything else happens. Pages of every origin may
 * load the scripts and documents of Elements, which hold no vault data. Pages of every origin may also open a page for
 * cardholders, and the forms of that page may be sent from any host name of this listener.
 */
export function guardRequest(
  request: IncomingMessage,
  guard: Guard,
  target: 'interface' | 'elements' | 'cardholder page' = 'interface',
): void {
  const { headers, url = '' } = request
  if (!url.startsWith('/')) throw new CofferError('invalid', 'The request target must be a path.')
  if (headers.host === undefined && request.httpVersion === '1.1')
    throw new CofferError('invalid', 'The request has no Host header, which HTTP/1.1 requires.')
  const host = headers.host?.toLowerCase() ?? ''
  const isOwnHost = guard.hosts.has(host) || hasCheckedHost(request)
  if (!isOwnHost || countHeader(request.rawHeaders, 'host') !== 1) {
    throw new CofferError(
      'forbidden',
      'This Host is not allowed. Use the base URL that Coffer shows, or add the host with --allow-host.',
    )
  }
  if (target !== 'elements') guardPage(request, guard, target === 'cardholder page')
}

function guardPage(request: IncomingMessage, guard: Guard, isCardholderPage: boolean): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined) {
    const isAllowed = origin === getOwnOrigin(request) || guard.origins.has(origin)
    if (isAllowed || (isCardholderPage && listOwnOrigins(request, guard).includes(origin))) return
    throw new CofferError(
      'forbidden',
      'Pages of this origin may not call the vault. Add the origin in the settings or with --cors-origin.',
    )
  }
  const isForeign = site === 'cross-site' || site === 'same-site'
  if (isForeign && !(isCardholderPage && isNavigation(request)))
    throw new CofferError('forbidden', 'Pages of other origins may not call the vault.')
}

/** Returns whether a browser sent the request to open a page in a tab or a frame. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  const dest = headers['sec-fetch-dest']
  return (
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && (dest === 'document' || dest === 'iframe')
  )
}

function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]
    if (header && header.length === name.length && header.toLowerCase() === name) count++
  }
  return count
}

/** The hosts that the listener accepts: its loopback names with its port, and those that the owner allows. */
export function listAllowedHosts(port: number, more: readonly string[]): Set<string> {
  const own = ['127.0.0.1', 'localhost', '[::1]']
  const withDefaultPort = more.map((host) => (/:\d+$/.test(host) ? host : `${host}:${port}`))
  const withPort = [...own.map((host) => `${host}:${port}`), ...withDefaultPort]
  // Browsers omit port 80, so the names without a port are accepted too.
  const without = port === 80 ? own : []
  return new Set([...withPort, ...without].map((host) => host.toLowerCase()))
}
