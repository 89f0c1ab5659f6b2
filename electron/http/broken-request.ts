import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { CofferError, toProblem } from '../../shared/errors.ts'

/** Answers a request that Node could not parse or would not wait for; there is no reply object yet (rule A-05). */
export function answerBrokenRequest(error: Error, socket: Socket): void {
  if (!socket.writable) return
  const problem = toProblem(refusalOf((error as { code?: string }).code))
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  )
}

function refusalOf(code: string | undefined): CofferError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new CofferError('headers_too_large', 'The headers of the request are larger than 16 KiB.')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new CofferError('timeout', 'The request took too long to arrive.')
  }
  return new CofferError('invalid', 'The request is not valid HTTP.')
}
