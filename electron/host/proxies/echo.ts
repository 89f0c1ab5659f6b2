import { type Json, writeReadableJson } from '../../../shared/json.ts'
import type { RedactedMessage } from '../../engine/index.ts'
import type { OutboundResponse } from '../../outbound/outbound.ts'
import { createHttpbinEcho, isHttpbin, tryReadJson } from './httpbin.ts'

/** The host of a destination inside Coffer, which lets the owner try a proxy without another server (rule G-08). */
const HOST = 'echo.coffer.test'
export const ECHO_URL = `https://${HOST}`

/** Whether Coffer itself answers calls to this URL. The owner may map the services that the echo replaces. */
export function isEcho(address: string, isMapped: (address: string) => boolean): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (url.protocol !== 'https:') return false
  return url.hostname === HOST || (isHttpbin(url) && !isMapped(address))
}

/**
 * Creates the echo's response, which describes the call: method, path, query, headers and body. For the services that
 * it replaces, the description has their form.
 */
export async function createEcho(
  method: string,
  address: string,
  message: RedactedMessage,
): Promise<OutboundResponse<Buffer>> {
  const url = new URL(address)
  const received = isHttpbin(url)
    ? await createHttpbinEcho(method, url, message)
    : createOwnEcho(method, url, message)
  const bytes = Buffer.from(writeReadableJson(received))
  return {
    status: 200,
    headers: [
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Content-Length', String(bytes.length)],
    ],
    body: bytes,
    host: url.hostname,
  }
}

function createOwnEcho(method: string, { pathname, search }: URL, { headers, body }: RedactedMessage): Json {
  return {
    method,
    path: pathname,
    query: search,
    headers: Object.fromEntries(headers),
    body: body === null ? null : (tryReadJson(body) ?? body),
  }
}
