import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyReply } from 'fastify'
import { readJson, writeReadableJson } from '../../shared/json.ts'
import { mayBeAdded } from '../engine/proxies/headers.ts'
import type { RunResponse } from '../engine/reactors/run-response.ts'
import { isReadByPerson } from './for-people.ts'
import { canPassHeader } from './proxy/response-headers.ts'

/** Sends what code answered. SECURITY: not as a page of the listener, nor with headers that a browser takes for its own. */
export function sendRun(reply: FastifyReply, answer: RunResponse): FastifyReply {
  const { status, headers, body } = toOwnResponse(answer)
  for (const [name, value] of Object.entries(headers)) {
    if (canPassHeader(name.toLowerCase(), reply.request.headers)) reply.header(name, value)
  }
  reply.header('Content-Security-Policy', 'sandbox')
  return reply.code(status).send(isReadByPerson(reply.request) ? laidOut(headers, body) : body)
}

/** JSON for a person to read; anything else as it is. */
function laidOut(headers: RunResponse['headers'], body: string): string {
  const isJson = Object.entries(headers).some(
    ([name, value]) =>
      name.toLowerCase() === 'content-type' && /^application\/(problem\+)?json\b/.test(value),
  )
  if (!isJson) return body
  try {
    return writeReadableJson(readJson(body))
  } catch {
    // Code may call anything JSON.
    return body
  }
}

/**
 * What code answered, as it can be sent. SECURITY: without headers that say where a message ends, or that would begin
 * another one.
 */
export function toOwnResponse({ status, headers, body }: RunResponse): RunResponse {
  const sent = Object.entries(headers).filter(([name, value]) => isHeader(name, value))
  if (!sent.some(([name]) => name.toLowerCase() === 'content-type'))
    sent.push(['Content-Type', 'application/json; charset=utf-8'])
  return {
    // Below 200 is no answer: the caller would wait for another one.
    status: status < 200 ? 500 : status,
    headers: Object.fromEntries(sent),
    body: [204, 205, 304].includes(status) ? '' : body,
  }
}

function isHeader(name: string, value: string): boolean {
  // The body is sent as the text it is, encoded in no way.
  if (!mayBeAdded(name) || name.toLowerCase() === 'content-encoding') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    // A character that no header can have.
    return false
  }
}
