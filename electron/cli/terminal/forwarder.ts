import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import type { Destinations } from '../../../shared/destinations.ts'
import { CofferError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json.ts'
import { Outbound } from '../../outbound/outbound.ts'
import { toOutboundError } from '../../outbound/outbound-error.ts'

export type Forwarded = {
  readonly id: string
  readonly type: string
  /** Null if the program did not respond. */
  readonly status: number | null
  readonly duration_ms: number
  readonly failure: string | null
}

export type Forwarder = {
  /** The URL to which the vault delivers events. */
  readonly url: string
  /** Responds to pending deliveries, then stops. */
  close(): Promise<void>
}

/** Shorter than the timeout of a delivery, so that the vault gets a response. */
const FORWARD_TIMEOUT_MS = 9000
const MAX_BODY_BYTES = 4 * 1024 * 1024
/** The headers that a program needs to verify a delivery. */
const forwardedHeaders = ['content-type', 'user-agent', 'bt-signature', 'bt-signature-version'] as const

const PATH = '/coffer-webhooks-listen/'

/** Whether a URL belongs to a forwarder, which may no longer be running. */
export function isForwarders(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null
  return url?.hostname === '127.0.0.1' && url.pathname.startsWith(PATH)
}

/** Whether the forwarder at this URL is still running. Another program may use its port by now. */
export async function isRunning(address: string): Promise<boolean> {
  const outbound = newOutbound()
  try {
    const { body } = await outbound.send({
      method: 'GET',
      url: address,
      headers: [],
      body: null,
      timeout_ms: 2000,
    })
    return (await readBytes(body)).toString() === new URL(address).pathname
  } catch {
    return false
  } finally {
    outbound.close()
  }
}

/**
 * Receives deliveries on a free port of this machine and forwards each unchanged to `target`. The vault always gets a
 * 200: an event that the program refuses must not hold up the next ones.
 */
export async function openForwarder(
  target: string,
  onForwarded: (forwarded: Forwarded) => void,
): Promise<Forwarder> {
  // SECURITY: other programs on this machine cannot guess the path, and so cannot send events through it.
  const path = PATH + randomUUID()
  const outbound = newOutbound()
  const server = http.createServer(async (request, response) => {
    if (request.url !== path) return void response.writeHead(404).end()
    if (request.method === 'GET') return void response.end(path)
    try {
      const body = await readBytes(request)
      const forwarded = await forwardDelivery(outbound, target, request.headers, body)
      onForwarded(forwarded)
      response.end(formatResponse(forwarded, target))
    } catch {
      response.writeHead(400).end()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          outbound.close()
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

/** Every destination is allowed, because the owner has named the target. */
const anywhere: Destinations = { allow: ['*', '0.0.0.0/0', '::/0'], map: {} }

function newOutbound(): Outbound {
  return new Outbound({ destinations: () => anywhere, ownPorts: () => [] })
}

async function readBytes(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw new CofferError('too_large', 'This is not a delivery.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function forwardDelivery(
  outbound: Outbound,
  url: string,
  headers: http.IncomingHttpHeaders,
  body: Buffer,
): Promise<Forwarded> {
  const { id, type } = parseEvent(body)
  const started = performance.now()
  const getDuration = () => Math.round(performance.now() - started)
  try {
    const response = await outbound.send({
      method: 'POST',
      url,
      headers: forwardedHeaders.flatMap((name) => {
        const value = headers[name]
        return typeof value === 'string' ? [[name, value] as const] : []
      }),
      body,
      timeout_ms: FORWARD_TIMEOUT_MS,
    })
    response.body.destroy()
    return { id, type, status: response.status, duration_ms: getDuration(), failure: null }
  } catch (error) {
    const { message: failure } = toOutboundError(error, new URL(url).hostname)
    return { id, type, status: null, duration_ms: getDuration(), failure }
  }
}

function parseEvent(body: Buffer): { id: string; type: string } {
  const delivery: unknown = JSON.parse(body.toString())
  const event = isObject(delivery) ? delivery.event : null
  if (!isObject(event) || typeof event.id !== 'string' || typeof event.type !== 'string') {
    throw new CofferError('invalid', 'This is not a delivery.')
  }
  return { id: event.id, type: event.type }
}

/** Formats the response body, which the vault stores with the delivery. */
function formatResponse({ status, duration_ms, failure }: Forwarded, target: string): string {
  return failure ?? `${new URL(target).host} responded with ${status} after ${duration_ms} ms.`
}
