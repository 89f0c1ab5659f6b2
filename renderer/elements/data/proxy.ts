import type { Api, ApiResponse, RequestOptions } from './api.ts'
import { parseBody } from './body.ts'
import { createServiceError } from './errors.ts'
import { parseExactly } from './exact-json.ts'
import { isBranch } from './payload.ts'
import type { References } from './references.ts'

type ProxyOptions = RequestOptions & {
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly includeResponseHeaders?: boolean
}

/**
 * Calls a proxy and returns references to its response. The page gets the response itself only if the tenant
 * setting `expose_raw_proxy_response` is on. Throws BasisTheoryApiError.
 */
export async function callProxy(
  { api, references, base }: { readonly api: Api; readonly references: References; readonly base: string },
  method: string,
  rawOptions: unknown,
  body: unknown,
): Promise<unknown> {
  const options: ProxyOptions = isBranch(rawOptions) ? rawOptions : {}
  const { headers: own } = options
  const opening = await api.fetchOpening()
  const response = await api.sendRequest(
    { method, path: toProxyPath(base, options), body, headers: own },
    options,
  )
  const { status, headers } = response
  if (status < 200 || status >= 300) throw api.toApiError(response, readVaultProblem(response))
  const data =
    headers.get('BT-EXPOSE-RAW-PROXY-RESPONSE') === 'true'
      ? parseBody(response)
      : references.storeResponse(parseBody(response, parseExactly), opening)
  if (options.includeResponseHeaders !== true) return api.withDebugInfo(data, response)
  return api.withDebugInfo({ data, headers: Object.fromEntries(headers) }, response)
}

function toProxyPath(base: string, { path = '', query = {} }: ProxyOptions): string {
  const below = path === '' || path.startsWith('/') ? path : `/${path}`
  const url = new URL(`${base}/proxy${below}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
  // SECURITY: dot segments would lead out of the proxy to another route of the vault.
  if (url.origin !== base || !/^\/proxy(\/|$)/.test(url.pathname))
    throw createServiceError('The path of a proxy is not valid')
  return `${url.pathname}${url.search}`
}

/**
 * The vault's own error for a failed call. SECURITY: an error body from a destination or from code may hold
 * values, and is not returned.
 */
function readVaultProblem(response: ApiResponse): unknown {
  if (response.headers.has('BT-PROXY-DESTINATION-STATUS')) return undefined
  const body = parseBody(response)
  if (!isBranch(body) || !isBranch(body.proxy_error) || Object.keys(body).length !== 1) return undefined
  const { errors, title, status, code, detail } = body.proxy_error
  return { proxy_error: { errors, title, status, code, detail } }
}
