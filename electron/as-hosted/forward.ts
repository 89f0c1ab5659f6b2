import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { CofferError } from '../../shared/errors.ts'
import { filterResponseHeaders, toCofferError } from '../engine/index.ts'
import { markForwarded } from '../http/connections.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { sendProblem } from './problem.ts'

type ForwardDeps = {
  readonly outbound: Outbound
  /** Whether pages of this origin may call what is mapped. */
  isAllowedPage(origin: string): boolean
}

/** Sends a request to the destination to which the owner maps its origin, and its response back (rule H-04). */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  { outbound, isAllowedPage }: ForwardDeps,
): Promise<void> {
  markForwarded(request)
  const hangUp = new AbortController()
  response.once('close', () => hangUp.abort())
  const { method = 'GET', headers, rawHeaders } = request
  try {
    requireAllowedPage(headers, origin, isAllowedPage)
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    const { status, body, ...received } = await outbound.send({
      method,
      url: origin + request.url,
      headers: filterResponseHeaders(toPairs(rawHeaders)),
      body: hasBody ? request : null,
      signal: hangUp.signal,
    })
    response.writeHead(status, filterResponseHeaders(received.headers).flat())
    await pipeline(body, response)
  } catch (error) {
    if (response.headersSent) response.destroy()
    else sendProblem(response, toCofferError(error))
  }
}

/** SECURITY: a page of another site must not reach what the owner has mapped for a program (case X-73). */
function requireAllowedPage(
  { origin, referer = '', 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders,
  own: string,
  isAllowedPage: (origin: string) => boolean,
): void {
  if (origin === undefined && (site === 'none' || site === 'same-origin')) return
  // A script tag sends no Origin. A page can leave out its referrer, but it cannot send another one.
  const page = origin ?? (URL.canParse(referer) ? new URL(referer).origin : 'null')
  if (page === own || isAllowedPage(page)) return
  throw new CofferError(
    'forbidden',
    'Pages of this origin may not call a mapped destination. Add the origin in the settings or with --cors-origin.',
  )
}

function toPairs(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return pairs
}
