import type { FastifyReply } from 'fastify'
import { type CofferError, toProblem } from '../../../shared/errors.ts'

/** Sends an error of the proxy itself, in the proxy's error format (rule G-06). */
export function sendProxyError(reply: FastifyReply, error: CofferError): FastifyReply {
  if (error.headers) reply.headers(error.headers)
  if (error.retry_after !== undefined) reply.header('Retry-After', String(error.retry_after))
  const { errors = {}, code, status, detail, ...problem } = toProblem(error)
  const title = error.thrown_status === undefined ? 'Invalid proxy request' : problem.title
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ proxy_error: { errors, title, status, code, detail } }))
}
