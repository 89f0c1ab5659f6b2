import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type ConnectionBudget, Connections } from '../../electron/http/connections.ts'
import { connectThrough, startAsHosted } from '../as-hosted/start-as-hosted.ts'
import { startDestination } from '../outbound/destination.ts'
import { isThorough } from '../thorough.ts'
import type { HostileClient } from './hostile-clients.ts'
import { fetchRawStatus } from './raw-request.ts'
import { startConsole } from './start-console.ts'
import { captureRoutes, formatUnfinished, formatUnread } from './unfinished-requests.ts'

/** Twice the maximum number of connections of the listener. */
const CLIENTS = 4000
/** How many clients the other servers get, each. */
const OTHERS = 150
/** The defaults in a thorough run, and otherwise shorter times. */
const budget: Partial<ConnectionBudget> = isThorough
  ? {}
  : { headMs: 8000, requestMs: 8000, idleMs: 8000, anonymousBodyMs: 1500, anonymousMs: 8000 }
const LONGEST_MS = new Connections(budget).budget.requestMs
/** How long an answer may take, and how much processor time this process may use meanwhile. */
const MAX_ANSWER_MS = 30_000
const MAX_WORK_MS = 2000
const name = 'api.basistheory.com'

/** Starts a process for hostile clients. */
async function startClients() {
  const child = fork(path.join(import.meta.dirname, 'hostile-clients.ts'))
  onTestFinished(() => void child.kill('SIGKILL'))
  const [user] = await once(child, 'message')
  if (user !== 'another user')
    process.stdout.write('The clients run as the same user, because only root can start them as another.\n')
  return (clients: readonly HostileClient[], health: string): Promise<unknown> => {
    child.send({ clients, health })
    return once(child, 'message')
  }
}

/** Opens the listener, the console, and the servers of the hosted names, which also lead to a program of the owner. */
async function startServers() {
  const { url } = await startDestination((request, response) => {
    request.resume()
    response.setHeader('Connection', 'close')
    if (request.url === '/long') response.end(Buffer.alloc(32 * 1024 * 1024))
    else request.once('end', () => response.end())
  })
  const connections = new Connections(budget)
  const { opened, routes } = await captureRoutes(() =>
    startAsHosted({
      destinations: { allow: [], map: { 'https://files.test': url } },
      budget,
      connections,
    }),
  )
  const consoleConnections = new Connections(budget)
  const consoleServer = await startConsole(undefined, undefined, consoleConnections)
  const { owner } = opened.vault
  const { key } = await opened.vault.application({
    rules: [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] },
    ],
  })
  for (let count = 0; count < 5; count++)
    await owner.tokens.create({ type: 'token', data: 'x'.repeat(1_900_000) })
  const proxy = await owner.proxies.create({ name: 'long', destination_url: url, require_auth: false })
  const countHeld = () => connections.open + consoleConnections.open
  return {
    ...opened,
    routes,
    consoleServer,
    secret: `SVC-API-KEY: ${key}\r\n`,
    proxyKey: proxy.key,
    countHeld,
  }
}

type Servers = Awaited<ReturnType<typeof startServers>>

type ClientKind = Omit<HostileClient, 'port'>

function listListenerKinds({ port, routes, secret }: Servers): ClientKind[] {
  const lasting = [
    { bytes: '' },
    { bytes: 'GET /_coffer/health HTTP/1.1\r\nHos' },
    { bytes: 'GET /_coffer/health HTTP/1.1\r\nHos', drips: true },
    { bytes: formatUnfinished(port, 'POST', '/tokens', secret) },
  ]
  return [
    ...routes.map(([method, path]) => ({ bytes: formatUnfinished(port, method, path) })),
    { bytes: 'no HTTP at all\r\n\r\n' },
    { bytes: formatUnfinished(port, 'POST', '/3ds/acs/method'), drips: true },
    // As many as all of the above, because these stay longest.
    ...routes.map((_, at) => lasting[at % lasting.length] ?? { bytes: '' }),
  ]
}

const frontKinds: readonly ClientKind[] = [
  { bytes: '' },
  { bytes: '\x16\x03\x01' },
  { servername: name, bytes: '' },
  { servername: name, bytes: 'GET / HTTP/1.1\r\nHos', drips: true },
  { servername: name, bytes: formatUnfinished(name, 'POST', '/3ds/acs/method') },
  { servername: 'echo.basistheory.com', bytes: formatUnfinished('echo.basistheory.com', 'POST', '/post') },
  { servername: 'files.test', bytes: formatUnfinished('files.test', 'PUT', '/'), drips: true },
  { servername: 'files.test', bytes: 'GET /long HTTP/1.1\r\nHost: files.test\r\n\r\n' },
]

const formatConnect = (host: string) => `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`

const proxyKinds: readonly ClientKind[] = [
  { bytes: formatConnect(name).slice(0, -3) },
  { bytes: formatConnect('example.com') },
  { bytes: 'GET https://files.test/long HTTP/1.1\r\nHost: files.test\r\n\r\n' },
  ...frontKinds.map((each) => ({ ...each, connect: formatConnect(each.servername ?? name) })),
]

/** Returns clients of all kinds, mixed. */
function listClients(servers: Servers): HostileClient[] {
  const { port, hosted, consoleServer, secret, proxyKey } = servers
  const { host, origin } = new URL(consoleServer.origin)
  const launch = formatUnfinished(host, 'POST', '/_coffer/console/launch', `Origin: ${origin}\r\n`)
  /** Few, because their responses take much memory. */
  const unread = [
    { bytes: formatUnread(port) },
    { bytes: `GET /v2/tokens?size=100 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${secret}\r\n` },
    { bytes: `GET /proxy/long?bt-proxy-key=${proxyKey} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n` },
  ]
  const repeatKinds = (port: number, kinds: readonly ClientKind[], count: number) =>
    Array.from({ length: count }, (_, at) => ({ port, bytes: '', ...kinds[at % kinds.length] }))
  const clients = [
    ...repeatKinds(port, listListenerKinds(servers), CLIENTS),
    ...repeatKinds(port, unread, 30),
    ...repeatKinds(Number(new URL(origin).port), [{ bytes: launch }, { bytes: 'POST /_cof' }], OTHERS),
    ...repeatKinds(hosted.port, frontKinds, OTHERS),
    ...repeatKinds(hosted.proxy.port, proxyKinds, OTHERS),
  ]
  // Each once, because the step has no divisor in common with the number of clients.
  return clients.flatMap((_, at) => clients[(at * 7919) % clients.length] ?? [])
}

/** Makes calls of every kind that must be answered, each on a new connection, and checks each response and its time. */
async function expectAnswered({
  port,
  hosted,
  consoleServer,
  secret,
  sendRequest,
  sendSecure,
}: Servers): Promise<void> {
  const head = `Host: 127.0.0.1:${port}\r\nConnection: close\r\n`
  const body = '{"type":"token","data":"kept"}'
  const calls: Record<string, () => Promise<string | number>> = {
    health: () => fetchRawStatus(port, `GET /_coffer/health HTTP/1.1\r\n${head}\r\n`),
    ready: () => fetchRawStatus(port, `GET /_coffer/ready HTTP/1.1\r\n${head}\r\n`),
    list: () => fetchRawStatus(port, `GET /v2/tokens?size=1 HTTP/1.1\r\n${head}${secret}\r\n`),
    create: () =>
      fetchRawStatus(
        port,
        `POST /tokens HTTP/1.1\r\n${head}${secret}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ).then((status) => (status === '201' ? '200' : status)),
    console: async () => {
      const token = consoleServer.getLaunchToken(consoleServer.console.launchLink())
      return String((await consoleServer.postToConsole('launch', { token }, { Connection: 'close' })).status)
    },
    front: async () =>
      (
        await sendSecure(
          `GET /v2/tokens?size=1 HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n${secret}\r\n`,
          name,
        )
      ).slice(9, 12),
    upload: async () => String((await sendRequest('files.test', '/', { method: 'PUT', body: 'a' })).status),
    proxy: async () => {
      const { username, password } = new URL(hosted.proxy.url)
      const { socket } = await connectThrough(hosted.proxy.port, `${name}:443`, `${username}:${password}`)
      const request = `GET /_coffer/ready HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`
      return (await sendSecure(request, name, socket)).slice(9, 12)
    },
  }
  for (const [kind, call] of Object.entries(calls)) {
    const started = performance.now()
    const before = process.cpuUsage()
    expect([kind, await call()]).toEqual([kind, '200'])
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000, kind).toBeLessThan(MAX_WORK_MS)
    expect(performance.now() - started, kind).toBeLessThan(MAX_ANSWER_MS)
  }
}

/** Returns how many sockets this process holds. Its other descriptors belong to the vault and to threads. */
function countSockets(): number {
  const isSocket = (descriptor: string) =>
    fs.statSync(`/proc/self/fd/${descriptor}`, { throwIfNoEntry: false })?.isSocket() === true
  return fs.readdirSync('/proc/self/fd').filter(isSocket).length
}

test.runIf(process.platform === 'linux')(
  'X-66 4,000 clients of another user that never finish, read or close do not block callers with a key',
  { timeout: 180_000 },
  async () => {
    const servers = await startServers()
    const openClients = await startClients()
    await expectAnswered(servers)
    const before = countSockets()
    let isOpen = false
    const opening = openClients(listClients(servers), `${servers.url}/_coffer/health`).then(() => {
      isOpen = true
    })
    while (!isOpen) await expectAnswered(servers)
    await opening
    const opened = performance.now()
    while (performance.now() - opened < LONGEST_MS) await expectAnswered(servers)
    await vi.waitFor(
      () => {
        expect(servers.countHeld()).toBe(0)
        expect(countSockets()).toBeLessThanOrEqual(before)
      },
      // A second, and more on a busy machine.
      { timeout: 10_000, interval: 50 },
    )
  },
)
