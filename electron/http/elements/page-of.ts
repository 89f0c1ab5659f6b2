import type { IncomingMessage } from 'node:http'
import { CofferError } from '../../../shared/errors.ts'
import type { Guard } from '../guard.ts'
import { getOwnOrigin } from '../own-origin.ts'

/**
 * Returns the origin of the page whose elements sent a request; null if no elements sent it. SECURITY: the header is
 * trusted only from the listener's own frames and for an allowed page, because browsers do not let other pages forge
 * the frames' headers.
 */
export function findElementsPage(request: IncomingMessage, { origins }: Guard): string | null {
  const page = request.headers['bt-elements-origin']
  return typeof page === 'string' && origins.has(page) && isOwnFrame(request) ? page : null
}

/** Rejects a frame whose page was allowed when the frame was opened, but no longer is. */
export function rejectFormerPage(request: IncomingMessage, guard: Guard): void {
  if (request.headers['bt-elements-origin'] === undefined || !isOwnFrame(request)) return
  if (findElementsPage(request, guard) !== null) return
  throw new CofferError(
    'forbidden',
    'Elements of this origin may no longer call the vault. Add the origin in the settings or with --cors-origin.',
  )
}

function isOwnFrame(request: IncomingMessage): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  return origin === undefined ? site === 'same-origin' : origin === getOwnOrigin(request)
}
