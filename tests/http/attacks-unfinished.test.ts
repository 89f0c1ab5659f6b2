import type { RequestListener, ServerResponse } from 'node:http'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type ConnectionBudget, Connections, markIdentified } from '../../electron/http/connections.ts'
import { createLimitedServer, listenOnLoopback } from '../../electron/http/listener.ts'
import { startListener } from '../listener.ts'
import { isThorough } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { fetchRawStatus } from './raw-request.ts'
import { startConsole } from './start-console.ts'
import { captureRoutes, formatUnfinished, formatUnread } from './unfinished-requests.ts'

/** Limits low enough for a test to reach. */
const small = {
  connections: 30,
  anonymousBodies: 5,
  anonymousBodyMs: 1000,
  anonymousMs: 2000,
} satisfies Partial<ConnectionBudget>

/** Opens connections that each send some of these bytes, never read the response and never close. */
async function openDead(port: number, all: readonly string[]): Promise<void> {
  const sockets: net.Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let at = 0; at < all.length; at += 100) {
    const connected = all.slice(at, at + 100).map((bytes) => {
      const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      sockets.push(socket)
      socket.on('error', () => {})
      return new Promise<void>((resolve) => {
        socket.on('close', resolve)
        socket.on('connect', () => socket.write(bytes, () => resolve()))
      })
    })
    await Promise.all(connected)
  }
}

async function startLimited(connections: Connections) {
  const { opened, routes } = await captureRoutes(() => startListener({ fresh: true, connections }))
  const { port, vault } = opened
  const { key } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const head = `Host: 127.0.0.1:${port}\r\nConnection: close\r\n`
  const body = '{"type":"token","data":"kept"}'
  const requests = [
    `GET /_coffer/health HTTP/1.1\r\n${head}\r\n`,
    `GET /_coffer/ready HTTP/1.1\r\n${head}\r\n`,
    `GET /v2/tokens HTTP/1.1\r\n${head}SVC-API-KEY: ${key}\r\n\r\n`,
    `POST /tokens HTTP/1.1\r\n${head}SVC-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ]
  /** Returns the statuses of health requests and of requests with a key, each on a new connection. */
  const fetchStatuses = async () => {
    const statuses = []
    for (const bytes of requests) statuses.push(await fetchRawStatus(port, bytes))
    return statuses
  }
  return { port, key, routes, fetchStatuses }
}

const well = ['200', '200', '200', '201']

test('X-66 unfinished requests without a key on any route do not block other requests', async () => {
  const connections = new Connections(small)
  const { port, routes, fetchStatuses } = await startLimited(connections)
  expect(routes.length).toBeGreaterThan(50)
  expect(routes).toContainEqual(['POST', '/3ds/acs/method'])
  for (const [method, path] of routes) {
    await openDead(port, Array(8).fill(formatUnfinished(port, method, path)))
    if (isThorough) expect([path, ...(await fetchStatuses())]).toEqual([path, ...well])
  }
  expect(await fetchStatuses()).toEqual(well)
  await openDead(port, Array(40).fill(formatUnread(port)))
  expect(await fetchStatuses()).toEqual(well)
  expect(connections.open).toBeLessThanOrEqual(small.connections)
  await waitFor(() => expect(connections.open).toBe(0))
})

test('X-66 a body that a handler stops reading does not end the checks of the others', async () => {
  const readStart: RequestListener = async (request, response) => {
    try {
      for await (const _chunk of request) break
      response.writeHead(413).end()
    } catch {
      // The second request ends before its body does.
    }
  }
  const server = createLimitedServer(readStart, new Connections({ ...small, anonymousBodyMs: 100 }))
  const port = await listenOnLoopback(server, 0)
  onTestFinished(() => void server.close())
  expect(await fetchRawStatus(port, formatUnfinished(port, 'POST', '/'))).toBe('413')
  const unsent = formatUnfinished(port, 'POST', '/').slice(0, -1)
  expect(await fetchRawStatus(port, unsent)).toBe('408')
})

test('X-66 a caller with a key that reads nothing is disconnected, and one that waits is not', async () => {
  const waiting = Promise.withResolvers<ServerResponse>()
  const answerRequest: RequestListener = (request, response) => {
    markIdentified(request)
    if (request.url === '/long') response.end(Buffer.alloc(16 * 1024 * 1024))
    else waiting.resolve(response)
  }
  const connections = new Connections({ idleMs: 300 })
  const server = createLimitedServer(answerRequest, connections)
  const port = await listenOnLoopback(server, 0)
  onTestFinished(() => void server.close())
  const head = 'HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n'
  const answered = fetchRawStatus(port, `GET /late ${head}`)
  const response = await waiting.promise
  await openDead(port, [`GET /long ${head}`])
  expect(connections.open).toBe(2)
  await waitFor(() => expect(connections.open).toBe(1))
  response.end()
  expect(await answered).toBe('200')
})

test('X-66 a body with a key takes its time while it arrives steadily, and no longer', async () => {
  const requestMs = 500
  const connections = new Connections({
    headMs: requestMs,
    requestMs,
    anonymousBodyMs: 100,
    anonymousMs: 100,
  })
  const countBytes: RequestListener = (request, response) => {
    markIdentified(request)
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => response.end(`${bytes} bytes`))
  }
  const server = createLimitedServer(countBytes, connections)
  const port = await listenOnLoopback(server, 0)
  onTestFinished(() => void server.close())
  const part = 200_000
  const sendUpload = async (length: number, count: number) => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    let answer = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${part * 10}\r\n\r\n`)
    for (let sent = 0; sent < count && answer === ''; sent++) {
      socket.write(Buffer.alloc(length))
      await delay(requestMs / 5)
    }
    await waitFor(() => expect(answer).not.toBe(''))
    return answer
  }
  const [steady, slow] = await Promise.all([sendUpload(part, 10), sendUpload(1, 200)])
  expect(steady).toContain(`${part * 10} bytes`)
  expect(slow).toContain('The request took too long to arrive.')
})

test('X-66 idle tunnels without a password do not block a proxy', async () => {
  const answerRequest: RequestListener = (_request, response) => void response.end()
  const server = createLimitedServer(answerRequest, new Connections(small), (request) => {
    request.socket.on('error', () => {})
    if (request.headers['proxy-authorization'] !== undefined) markIdentified(request)
    request.socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  })
  const port = await listenOnLoopback(server, 0)
  const tunnels: net.Socket[] = []
  onTestFinished(() => {
    for (const tunnel of tunnels) tunnel.destroy()
    server.close()
  })
  /** Resolves once the proxy has accepted or closed the tunnel. */
  const openTunnel = async (more = '') => {
    const tunnel = net.connect(port, '127.0.0.1').on('error', () => {})
    tunnels.push(tunnel)
    tunnel.write(`CONNECT api.test:443 HTTP/1.1\r\nHost: api.test\r\n${more}\r\n`)
    await Promise.race(
      ['data', 'close'].map((event) => new Promise((resolve) => tunnel.once(event, resolve))),
    )
    return tunnel
  }
  const known = await openTunnel('Proxy-Authorization: Basic eA==\r\n')
  for (let count = 0; count < 2 * small.connections; count++) await openTunnel()
  expect(await fetchRawStatus(port, 'GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n')).toBe(
    '200',
  )
  expect(known.closed).toBe(false)
  expect((await openTunnel()).closed).toBe(false)
})

test('X-66 unfinished launch requests do not block the console', async () => {
  const connections = new Connections(small)
  const { opened, routes } = await captureRoutes(() => startConsole(undefined, undefined, connections))
  const { port: at } = new URL(opened.console.url)
  const port = Number(at)
  expect(routes.map(([, path]) => path)).toContain('/_coffer/console/launch')
  for (const [method, path] of routes) {
    await openDead(port, Array(40).fill(formatUnfinished(port, method, path, `Origin: ${opened.origin}\r\n`)))
    const page = `GET /console/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
    expect([path, await fetchRawStatus(port, page)]).toEqual([path, '200'])
    expect(await opened.launchConsole()).toMatch(/^coffer_console_/)
  }
})

test('X-66 a slow request gets a complete 408 response and is never executed', async () => {
  const connections = new Connections({ ...small, anonymousBodyMs: 500 })
  const {
    console: opened,
    getLaunchToken,
    postToConsole,
  } = await startConsole(undefined, undefined, connections)
  const { port, host, origin } = new URL(opened.url)
  const token = getLaunchToken(opened.launchLink())
  const body = JSON.stringify({ token })
  const socket = net.connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  let response = ''
  const closed = new Promise((resolve) => socket.once('end', resolve))
  socket.on('data', (chunk) => {
    response += chunk
    if (response.endsWith('}')) socket.write(body.slice(1))
  })
  socket.write(
    `POST /_coffer/console/launch HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
  )
  await closed
  expect(response).toMatch(/^HTTP\/1\.1 408 .*\r\n\r\n\{[^}]*\}$/s)
  await waitFor(() => expect(connections.open).toBe(0))
  // A link works only once, so the slow request has not used it.
  expect((await postToConsole('launch', { token })).status).toBe(200)
})

test('X-66 X-08 only the slowest anonymous request is rejected', async () => {
  const connections = new Connections({ ...small, anonymousBodyMs: 60_000, anonymousMs: 60_000 })
  const { port, key } = await startLimited(connections)
  const openSocket = (bytes: string) => {
    const socket = net.connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const came = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    socket.write(bytes)
    return { socket, came }
  }
  const idle = openSocket(`GET /_coffer/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  expect(await idle.came).toMatch(/^HTTP\/1\.1 200 /)
  const keyed = openSocket(
    formatUnfinished(port, 'POST', '/tokens', `SVC-API-KEY: ${key}\r\nExpect: 100-continue\r\n`),
  )
  expect(await keyed.came).toMatch(/^HTTP\/1\.1 100 /)
  // Of requests with equal progress, the oldest one is rejected.
  const slow = openSocket(formatUnfinished(port, 'POST', '/3ds/acs/method', 'Expect: 100-continue\r\n'))
  expect(await slow.came).toMatch(/^HTTP\/1\.1 100 /)
  const rejected = new Promise<string>((resolve) => slow.socket.once('data', (data) => resolve(String(data))))
  await openDead(port, Array(small.anonymousBodies).fill(formatUnfinished(port, 'POST', '/3ds/acs/method')))
  expect(await rejected).toMatch(/^HTTP\/1\.1 408 /)
  const responses = [idle, keyed].map(
    ({ socket }) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data)))),
  )
  idle.socket.write(`GET /_coffer/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  keyed.socket.write('b'.repeat(999))
  const [health = '', form = ''] = await Promise.all(responses)
  expect(health).toMatch(/^HTTP\/1\.1 200 /)
  expect(form).toMatch(/^HTTP\/1\.1 415 /)
})
