import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CofferError, toProblem } from '../../../shared/errors.ts'

/** What an error says in the words of the hosted service. Official clients compare the detail of a call without a key. */
function getProxyWords({ headers, url }: FastifyRequest, { code, thrown_status }: CofferError) {
  const isBranded =
    url.includes('bt-proxy-key=') || Object.keys(headers).some((name) => name.startsWith('bt-'))
  const isSdk = headers['svc-api-key'] === undefined && isBranded
  if (code === 'unauthenticated' && isSdk)
    return { title: 'Unauthorized proxy request', detail: 'The BT-API-KEY header is required' }
  return thrown_status === undefined ? { title: 'Invalid proxy request' } : {}
}

/** Sends an error of the proxy itself, in the proxy's error format (rule G-06). */
export function sendProxyError(reply: FastifyReply, error: CofferError): FastifyReply {
  if (error.headers) reply.headers(error.headers)
  if (error.retry_after !== undefined) reply.header('Retry-After', String(error.retry_after))
  const {
    errors = {},
    code,
    status,
    detail,
    title,
  } = { ...toProblem(error), ...getProxyWords(reply.request, error) }
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ proxy_error: { errors, title, status, code, detail } }))
}
