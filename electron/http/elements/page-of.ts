import type { IncomingHttpHeaders } from 'node:http'
import type { Guard } from '../guard.ts'

/**
 * The origin of the page whose elements sent a request; null if no elements did. SECURITY: the header is only believed
 * from the listener's own frames, for a page that is allowed: browsers let no page send these headers in their name.
 */
export function pageOf(headers: IncomingHttpHeaders, { origins }: Guard): string | null {
  const page = headers['bt-elements-origin']
  if (typeof page !== 'string' || !origins.has(page)) return null
  const { host, origin } = headers
  const isOwn =
    origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : origin === `http://${host}`
  return isOwn ? page : null
}
