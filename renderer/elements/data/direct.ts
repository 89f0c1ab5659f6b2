import { type ApiResponse, fetchResponse } from './api.ts'
import { parseBody } from './body.ts'
import { createServiceError, ElementsServiceError } from './errors.ts'
import { isBranch } from './payload.ts'

/**
 * Calls a URL that the page chooses, without a key, and returns the response body. Throws HttpClientError.
 * SECURITY: never calls this vault, which would treat the call as one from its own pages.
 */
export async function callDirectly(
  base: string,
  method: string,
  address: unknown,
  payload: unknown,
  config: unknown,
): Promise<unknown> {
  const url = URL.canParse(String(address)) ? new URL(String(address)) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw createServiceError('client needs an absolute URL')
  if (isVault(url, new URL(base)))
    throw createServiceError('client cannot call the vault; use the other services')
  const headers = new Headers(isBranch(config) ? (config.headers as Record<string, string>) : undefined)
  if (payload !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
  const body = payload === undefined ? null : typeof payload === 'string' ? payload : JSON.stringify(payload)
  const createNoResponseError = () =>
    createHttpError(
      'No response. Check that Coffer allows the URL’s host as a destination, and that the host permits calls from this page (CORS).',
      -1,
    )
  const response = await fetchResponse(url.href, { method, headers, body }, createNoResponseError)
  const { status } = response
  if (status < 200 || status >= 300)
    throw createHttpError(`Request failed with status code ${status}`, status, response)
  return parseBody(response)
}

/** Whether a URL is the vault's, under any name of this machine. */
function isVault({ origin, port, hostname }: URL, base: URL): boolean {
  return (
    origin === base.origin || (port === base.port && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

function createHttpError(message: string, status: number, response?: ApiResponse): ElementsServiceError {
  const details = response && { data: parseBody(response), headers: Object.fromEntries(response.headers) }
  return new ElementsServiceError({ name: 'HttpClientError', message, status, ...details })
}
