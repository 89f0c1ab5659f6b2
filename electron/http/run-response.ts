import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyReply } from 'fastify'
import { readJson, writeReadableJson } from '../../shared/json.ts'
import { mayBeAdded, type RunResponse } from '../engine/index.ts'
import { isReadByPerson } from './for-people.ts'
import { canPassHeader } from './proxy/response-headers.ts'

/**
 * Sends the response of code. SECURITY: the response cannot act as a page of the listener, and has no headers that
 * would affect the listener.
 */
export function sendRun(reply: FastifyReply, result: RunResponse): FastifyReply {
  const { status, headers, body } = toOwnResponse(result)
  for (const [name, value] of Object.entries(headers)) {
    if (canPassHeader(name.toLowerCase(), reply.request.headers)) reply.header(name, value)
  }
  reply.header('Content-Security-Policy', 'sandbox')
  return reply.code(status).send(isReadByPerson(reply.request) ? formatBody(headers, body) : body)
}

function formatBody(headers: RunResponse['headers'], body: string): string {
  const isJson = Object.entries(headers).some(
    ([name, value]) =>
      name.toLowerCase() === 'content-type' && /^application\/(problem\+)?json\b/.test(value),
  )
  if (!isJson) return body
  try {
    return writeReadableJson(readJson(body))
  } catch {
    // Code may declare a body as JSON although it is not.
    return body
  }
}

/**
 * Makes the response of code safe to send. SECURITY: removes headers that determine where the response ends, and
 * headers that could start another response.
 */
export function toOwnResponse({ status, headers, body }: RunResponse): RunResponse {
  const sent = Object.entries(headers).filter(([name, value]) => isHeader(name, value))
  if (!sent.some(([name]) => name.toLowerCase() === 'content-type'))
    sent.push(['Content-Type', 'application/json; charset=utf-8'])
  return {
    // A status below 200 is not final: the caller would wait for another response.
    status: status < 200 ? 500 : status,
    headers: Object.fromEntries(sent),
    body: [204, 205, 304].includes(status) ? '' : body,
  }
}

function isHeader(name: string, value: string): boolean {
  // The body is sent unencoded, so a Content-Encoding header would be wrong.
  if (!mayBeAdded(name) || name.toLowerCase() === 'content-encoding') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    // The name or value has a character that headers cannot contain.
    return false
  }
}
