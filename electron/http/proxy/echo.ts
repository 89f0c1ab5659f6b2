import { type Json, readJson, writeReadableJson } from '../../../shared/json.ts'
import type { RedactedMessage } from '../../engine/proxies/message.ts'
import type { OutboundResponse } from '../../outbound/outbound.ts'

/** A destination inside Coffer, to try a proxy with nothing else running (rule G-08). */
const HOST = 'echo.coffer.test'

/** Whether an address is that of the echo. */
export function isEcho(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && hostname === HOST
}

/** Responds with the call itself: method, path, query, headers and body. */
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
    // The body is text other than JSON.
    return body
  }
}
