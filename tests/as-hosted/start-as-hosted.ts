import fs from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import { onTestFinished } from 'vitest'
import { openAsHosted } from '../../electron/as-hosted/as-hosted.ts'
import type { ConnectionBudget, Connections } from '../../electron/http/connections.ts'
import { Outbound } from '../../electron/outbound/outbound.ts'
import { noDestinations } from '../../shared/destinations.ts'
import { startListener } from '../listener.ts'
import { createLookup } from '../outbound/destination.ts'

/** Answers the service's names with a new vault until the test ends. Other names resolve to `address`. */
export async function startAsHosted({
  destinations = noDestinations,
  origins = [] as string[],
  address = '127.0.0.1',
  budget = {} as Partial<ConnectionBudget>,
  connections = undefined as Connections | undefined,
} = {}) {
  const listener = await startListener({ origins, fresh: connections !== undefined, connections })
  const outbound = new Outbound({
    destinations: () => destinations,
    ownPorts: () => [listener.port],
    ...createLookup(address),
  })
  const hosted = await openAsHosted({
    destinations,
    outbound,
    port: 0,
    budget,
    origins: () => origins,
    answer: listener.answerRequest,
    echo: (_request, response, origin) => response.end(`echo of ${origin}`),
  })
  onTestFinished(async () => {
    await hosted.closeServers()
    outbound.close()
  })
  const environment = hosted.createEnvironment({})
  const ca = fs.readFileSync(environment.NODE_EXTRA_CA_CERTS ?? '', 'utf8')
  /** Sends bytes by TLS, with this name in the handshake, and returns what is received until the connection ends. */
  const sendSecure = (bytes: string, servername?: string, socket?: net.Socket) =>
    receiveAll(
      tls.connect({
        ...(socket ? { socket } : { host: '127.0.0.1', port: hosted.port }),
        ca,
        ...(servername === undefined ? { checkServerIdentity: () => undefined } : { servername }),
      }),
      bytes,
    )
  /** Sends a request by TLS to a name, and returns its status and body. */
  const sendRequest = async (
    name: string,
    path: string,
    { method = 'GET', headers = {}, body = '' } = {},
  ) => {
    const lines = Object.entries({
      Host: name,
      Connection: 'close',
      'Content-Length': body.length,
      ...headers,
    })
    const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([key, value]) => `${key}: ${value}`)]
    return parseResponse(await sendSecure(`${head.join('\r\n')}\r\n\r\n${body}`, name.replace(/:\d+$/, '')))
  }
  return { ...listener, hosted, environment, ca, sendRequest, sendSecure }
}

/** Opens a connection through the proxy; returns it, with the first lines that the proxy sent. */
export function connectThrough(
  port: number,
  target: string,
  credentials?: string,
): Promise<{ socket: net.Socket; head: string }> {
  const socket = net.connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const authorization =
    credentials === undefined
      ? ''
      : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', (chunk) => resolve({ socket, head: chunk.toString('latin1') }))
  })
}

function receiveAll(socket: net.Socket, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(received))
    socket.write(bytes)
  })
}

export function parseResponse(text: string) {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
  return { status: Number(head.slice(9, 12)), head, body }
}
