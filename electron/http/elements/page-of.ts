import type { IncomingHttpHeaders } from 'node:http'
import { CofferError } from '../../../shared/errors.ts'
import type { Guard } from '../guard.ts'

/**
 * Returns the origin of the page whose elements sent a request; null if no elements sent it. SECURITY: the header is
 * trusted only from the listener's own frames and for an allowed page, because browsers do not let other pages forge
 * the frames' headers.
 */
export function findElementsPage(headers: IncomingHttpHeaders, { origins }: Guard): string | null {
  const page = headers['bt-elements-origin']
  return typeof page === 'string' && origins.has(page) && isOwnFrame(headers) ? page : null
}

/** Rejects a frame whose page was allowed when the frame was opened, but no longer is. */
export function rejectFormerPage(headers: IncomingHttpHeaders, guard: Guard): void {
  if (headers['bt-elements-origin'] === undefined || !isOwnFrame(headers)) return
  if (findElementsPage(headers, guard) !== null) return
  throw new CofferError(
    'forbidden',
    'Elements of this origin may no longer call the vault. Add the origin in the settings or with --cors-origin.',
  )
}

function isOwnFrame({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return origin === undefined ? site === 'same-origin' : origin === `http://${host}`
}
