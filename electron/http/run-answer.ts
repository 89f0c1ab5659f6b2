import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyReply } from 'fastify'
import { mayBeAdded } from '../engine/proxies/headers.ts'
import type { RunAnswer } from '../engine/reactors/answer.ts'
import { mayPass } from './proxy/answer-headers.ts'

/**
 * Sends what code answered. SECURITY: without headers that a browser would hold against the listener, that say where a
 * message ends, or that would begin another one; and never as a page of the listener.
 */
export function sendRun(reply: FastifyReply, { status, headers, body }: RunAnswer): FastifyReply {
  for (const [name, value] of Object.entries(headers)) {
    if (isHeader(name, value) && mayPass(name.toLowerCase(), reply.request.headers)) reply.header(name, value)
  }
  if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8')
  reply.header('Content-Security-Policy', 'sandbox')
  // What is below 200 is no answer, and Node would wait for another one.
  reply.code(status < 200 ? 500 : status)
  return mayHaveBody(status) ? reply.send(body) : reply.send()
}

/** Whether code may answer with a header of this name and value. */
export function isHeader(name: string, value: string): boolean {
  if (!mayBeAdded(name)) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    // A character that no header can have.
    return false
  }
}

function mayHaveBody(status: number): boolean {
  return status !== 204 && status !== 304
}
