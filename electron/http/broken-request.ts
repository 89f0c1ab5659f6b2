import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { CofferError, toProblem } from '../../shared/errors.ts'

/**
 * How long a connection stays open after its last response, in ms. If it were closed at once, a client that is still
 * sending could lose the response to a reset.
 */
const LINGER_MS = 500

/** Responds to a request that Node could not parse or that timed out, before there is a reply object (rule A-05). */
export function rejectBrokenRequest(error: Error, socket: Socket): void {
  rejectConnection(socket, toConnectionError((error as { code?: string }).code))
}

/** What a rejection says besides its problem document. */
type RejectionLine = { readonly status?: number; readonly reason?: string; readonly header?: string }

/** Sends an error on the socket and closes the connection, even if the client never closes its side (case X-66). */
export function rejectConnection(socket: Socket, rejection: CofferError, line: RejectionLine = {}): void {
  // An error was already sent, and the connection is about to close.
  if (socket.writableEnded && !socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status = rejection.status, reason = STATUS_CODES[status], header = '' } = line
  const problem = { ...toProblem(rejection), status }
  const body = JSON.stringify(problem)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroySoon())
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\n${header}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Skips the handler of a request that timed out, even if its body arrives before the connection closes. */
export function skipRejected(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (request.raw.socket.writableEnded) reply.hijack()
    else done()
  })
}

function toConnectionError(code: string | undefined): CofferError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new CofferError('headers_too_large', 'The headers of the request are larger than 16 KiB.')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new CofferError('timeout', 'The request took too long to arrive.')
  }
  return new CofferError('invalid', 'The request is not valid HTTP.')
}
