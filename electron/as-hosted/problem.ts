import type { ServerResponse } from 'node:http'
import { type CofferError, toProblem } from '../../shared/errors.ts'

/** Responds with an error of the front itself, in the form of the listener's errors (rule A-05). */
export function sendProblem(response: ServerResponse, error: CofferError, status = error.status): void {
  const body = JSON.stringify({ ...toProblem(error), status })
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(body)
}
