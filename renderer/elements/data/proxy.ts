import type { Api, Received, RequestOptions } from './api.ts'
import { bodyOf } from './body.ts'
import { failed } from './errors.ts'
import { readExactly } from './exact-json.ts'
import { isBranch } from './payload.ts'
import type { References } from './references.ts'

type ProxyOptions = RequestOptions & {
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly includeResponseHeaders?: boolean
}

/**
 * Calls a proxy, and gives references to its answer. The page has the answer itself only where the tenant's setting
 * `expose_raw_proxy_response` is on. Throws BasisTheoryApiError.
 */
export async function callProxy(
  { api, references, base }: { readonly api: Api; readonly references: References; readonly base: string },
  method: string,
  given: unknown,
  body: unknown,
): Promise<unknown> {
  const options: ProxyOptions = isBranch(given) ? given : {}
  const { headers: own } = options
  const opening = await api.opening()
  const answer = await api.send({ method, path: pathOf(base, options), body, headers: own }, options)
  const { status, headers } = answer
  if (status < 200 || status >= 300) throw api.errorOf(answer, ownProblem(answer))
  const data =
    headers.get('BT-EXPOSE-RAW-PROXY-RESPONSE') === 'true'
      ? bodyOf(answer)
      : references.keep(bodyOf(answer, readExactly), opening)
  if (options.includeResponseHeaders !== true) return api.shown(data, answer)
  return api.shown({ data, headers: Object.fromEntries(headers) }, answer)
}

function pathOf(base: string, { path = '', query = {} }: ProxyOptions): string {
  const below = path === '' || path.startsWith('/') ? path : `/${path}`
  const url = new URL(`${base}/proxy${below}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
  // SECURITY: a path with dot segments would lead out of the proxy, and its answer would be no one's.
  if (url.origin !== base || !/^\/proxy(\/|$)/.test(url.pathname))
    throw failed('The path of a proxy is not valid')
  return `${url.pathname}${url.search}`
}

/**
 * What the vault itself says of a call that failed. SECURITY: what a destination or code says instead may hold values,
 * and is not shown.
 */
function ownProblem(answer: Received): unknown {
  if (answer.headers.has('BT-PROXY-DESTINATION-STATUS')) return undefined
  const body = bodyOf(answer)
  if (!isBranch(body) || !isBranch(body.proxy_error) || Object.keys(body).length !== 1) return undefined
  const { errors, title, status, code, detail } = body.proxy_error
  return { proxy_error: { errors, title, status, code, detail } }
}
