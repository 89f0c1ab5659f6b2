import { type Json, readJson, writeReadableJson } from '../../../shared/json.ts'
import type { RedactedMessage } from '../../engine/index.ts'
import type { OutboundResponse } from '../../outbound/outbound.ts'

/** The host of a destination inside Coffer, which lets the owner try a proxy without another server (rule G-08). */
const HOST = 'echo.coffer.test'
export const ECHO_URL = `https://${HOST}`

export function isEcho(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && hostname === HOST
}

/** Creates the echo's response, which describes the call: method, path, query, headers and body. */
export function createEcho(
  method: string,
  url: string,
  { headers, body }: RedactedMessage,
): OutboundResponse<Buffer> {
  const { pathname, search } = new URL(url)
  const received = {
    method,
    path: pathname,
    query: search,
    headers: Object.fromEntries(headers),
    body: toJson(body),
  }
  const bytes = Buffer.from(writeReadableJson(received))
  return {
    status: 200,
    headers: [
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Content-Length', String(bytes.length)],
    ],
    body: bytes,
    host: HOST,
  }
}

function toJson(body: string | null): Json {
  if (body === null) return null
  try {
    return readJson(body)
  } catch {
    // The body is not JSON.
    return body
  }
}
