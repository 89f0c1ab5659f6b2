import http from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { CofferError } from '../../shared/errors.ts'
import type { Engine, ReportIncident } from '../engine/index.ts'
import { buildApp } from './app.ts'
import { rejectBrokenRequest } from './broken-request.ts'
import { type CodeRunner, noCode } from './code.ts'
import { Connections, serverOptions } from './connections.ts'
import { type Guard, listAllowedHosts } from './guard.ts'
import { type ServedOrigins, setServedOrigins } from './own-origin.ts'
import { noProxies, type ProxyCaller } from './proxy/proxy-caller.ts'
import type { RequestSummary } from './response-observer.ts'
import type { TestControls } from './test-controls.ts'

export type ListenerOptions = {
  readonly engine: () => Engine | null
  /** 0 picks a free port. */
  readonly port: number
  readonly origins: readonly string[]
  readonly hosts: readonly string[]
  /** Whether unknown members and parameters are rejected (rule A-08). By default, they are ignored. */
  readonly strict?: boolean | undefined
  /** Makes the calls of proxies. Without this option, no proxy can be called. */
  readonly proxies?: ProxyCaller
  /** Runs the owner's code. Without this option, no code runs. */
  readonly code?: CodeRunner
  /** The test controls, served below `/_coffer/`. */
  readonly testControls?: TestControls
  /** The limits for connections; by default, those of `Connections`. */
  readonly connections?: Connections
  readonly report?: ReportIncident
  /** Called once per request, after its response or the end of its connection. */
  readonly onAnswered?: ((answered: RequestSummary) => void) | undefined
  /** Called with each request that came to the listener itself, before it is answered. */
  readonly onRequest?: ((request: http.IncomingMessage) => void) | undefined
}

export type HttpListener = {
  readonly port: number
  /** The base URL, such as `http://127.0.0.1:4747`. */
  readonly url: string
  /** Replaces what the listener accepts, from the next request on. */
  admit(allowed: Pick<ListenerOptions, 'origins' | 'hosts' | 'strict'>): void
  /** Answers a request that another server has received. That server must have checked the Host. */
  answerRequest(request: http.IncomingMessage, response: http.ServerResponse, origins: ServedOrigins): void
  close(): Promise<void>
}

/**
 * How long closing waits for active requests. Most responses are complete by then; a body that never ends is cut off.
 */
const LAST_RESPONSES_MS = 500

/**
 * Opens the listener on 127.0.0.1 and, if the machine has IPv6, on ::1. Rejects with a `conflict` that names the port
 * if another program uses the port or this user may not open it (case X-12).
 */
export async function openListener(options: ListenerOptions): Promise<HttpListener> {
  let guard: Guard = { hosts: new Set(), origins: new Set(), strict: true }
  const { engine, testControls, report } = options
  const app = buildApp({
    engine,
    guard: () => guard,
    testControls,
    proxies: options.proxies ?? noProxies,
    code: options.code ?? noCode,
    report,
    onAnswered: options.onAnswered,
  })
  await app.ready()
  handleEveryRequest(app.server, app.routing)
  // SECURITY: loopback only; no option changes this.
  try {
    await app.listen({ host: '127.0.0.1', port: options.port })
  } catch (error) {
    await app.close()
    throw toListenError(error, options.port)
  }
  const connections = options.connections ?? new Connections()
  connections.limitServer(app.server)
  const { port } = app.server.address() as AddressInfo
  const setAllowed: HttpListener['admit'] = ({ origins, hosts, strict = false }) => {
    guard = { hosts: listAllowedHosts(port, hosts), origins: new Set(origins), strict }
  }
  setAllowed(options)
  const ipv6 = createLimitedServer(app.routing, connections)
  if (options.onRequest) for (const server of [app.server, ipv6]) server.on('request', options.onRequest)
  const second = await listenOnIpv6(ipv6, port)
  // SECURITY: fail if another program uses this port on ::1, because a client that resolves localhost to ::1 would send
  // its key to that program.
  if (second === 'taken' && options.port !== 0) {
    await app.close()
    throw createPortTakenError(port)
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    admit: setAllowed,
    answerRequest(request, response, origins) {
      setServedOrigins(request, origins)
      app.routing(request, response)
    },
    close: () => closeApp(app, second instanceof http.Server ? [second] : []),
  }
}

/** Closes an app and other servers that pass their requests to it, once the open requests have ended. */
async function closeApp(app: ReturnType<typeof buildApp>, others: readonly http.Server[]): Promise<void> {
  const servers = [app.server, ...others]
  // Without this, a connection that was busy when closing started would stay open until its client closes it.
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections()
  }, 20)
  const cut = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, LAST_RESPONSES_MS)
  try {
    const closed = others.map((each) => new Promise((resolve) => each.close(resolve)))
    await app.close()
    await Promise.all(closed)
  } finally {
    clearInterval(idle)
    clearTimeout(cut)
  }
}

/** Handles a request to open a connection to another server. */
type ConnectHandler = (request: http.IncomingMessage, head: Buffer) => void

/** Creates a server with the limits of the listener for slow clients and for connections (cases ). */
export function createLimitedServer(
  handler: http.RequestListener,
  connections: Connections,
  connectHandler: ConnectHandler = rejectConnect,
): http.Server {
  const server = http.createServer(serverOptions, handler)
  connections.limitServer(server)
  handleEveryRequest(server, handler, connectHandler)
  server.on('clientError', (error, socket) => rejectBrokenRequest(error, socket as Socket))
  return server
}

/** Opens a server on 127.0.0.1; 0 picks a free port. Resolves to its port, or rejects like `openListener`. */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, port)))
    // SECURITY: loopback only; no option changes this.
    server.listen({ host: '127.0.0.1', port }, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/**
 * Opens a server on ::1. Resolves to `taken` if another program uses this port on ::1, and to null if the machine has no
 * IPv6.
 */
async function listenOnIpv6(server: http.Server, port: number): Promise<http.Server | 'taken' | null> {
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(isTaken(error) ? 'taken' : null))
    server.listen({ host: '::1', port, ipv6Only: true }, () => resolve(server))
  })
}

/** Handles requests to which Node would respond without a body or not at all. */
function handleEveryRequest(
  server: http.Server,
  handler: http.RequestListener,
  connectHandler: ConnectHandler = rejectConnect,
): void {
  // 100-continue is handled by Node; a server may ignore any other expectation.
  server.on('checkExpectation', handler)
  server.on('connect', (request, _socket, head) => connectHandler(request, head))
}

const rejectConnect: ConnectHandler = ({ socket }) => rejectBrokenRequest(new Error('CONNECT'), socket)

function isTaken(error: unknown): boolean {
  return (error as { code?: string }).code === 'EADDRINUSE'
}

function createPortTakenError(port: number): CofferError {
  return new CofferError(
    'conflict',
    `Port ${port} is taken. Close the program that listens there, or choose another port.`,
  )
}

function toListenError(error: unknown, port: number): CofferError {
  if (isTaken(error)) return createPortTakenError(port)
  if ((error as { code?: string }).code === 'EACCES') {
    return new CofferError(
      'conflict',
      `The system does not let this user open port ${port}. Choose another port, above 1023.`,
    )
  }
  return new CofferError('internal', 'The listener could not be opened.', { cause: error })
}
