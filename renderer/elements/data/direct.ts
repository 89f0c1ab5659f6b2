import { fetched, type Received } from './api.ts'
import { bodyOf } from './body.ts'
import { Failed, failed } from './errors.ts'
import { isBranch } from './payload.ts'

/**
 * Calls an address of the page's choice, with no key, and gives the body of its answer. Throws HttpClientError.
 * SECURITY: never this vault itself: it would take the call for one of its own pages.
 */
export async function callDirectly(
  base: string,
  method: string,
  address: unknown,
  payload: unknown,
  config: unknown,
): Promise<unknown> {
  const url = URL.canParse(String(address)) ? new URL(String(address)) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw failed('client takes an absolute URL')
  if (isVault(url, new URL(base))) throw failed('client does not call the vault; use its services')
  const headers = new Headers(isBranch(config) ? (config.headers as Record<string, string>) : undefined)
  if (payload !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
  const body = payload === undefined ? null : typeof payload === 'string' ? payload : JSON.stringify(payload)
  const unanswered = () =>
    httpError('There was no answer. The address may not be allowed, or may not answer this page.', -1)
  const answer = await fetched(url.href, { method, headers, body }, unanswered)
  const { status } = answer
  if (status < 200 || status >= 300)
    throw httpError(`Request failed with status code ${status}`, status, answer)
  return bodyOf(answer)
}

/** Whether an address is the vault's, by any name of this machine. */
function isVault({ origin, port, hostname }: URL, base: URL): boolean {
  return (
    origin === base.origin || (port === base.port && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

function httpError(message: string, status: number, answer?: Received): Failed {
  const shown = answer && { data: bodyOf(answer), headers: Object.fromEntries(answer.headers) }
  return new Failed({ name: 'HttpClientError', message, status, ...shown })
}
