import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import { CofferError } from '../../shared/errors.ts'
import type { ConnectionOutcome } from '../../shared/host/as-hosted.ts'
import { type ConnectionBudget, Connections } from '../http/connections.ts'
import { createLimitedServer, listenOnLoopback } from '../http/listener.ts'
import type { ServedOrigins } from '../http/own-origin.ts'
import { type AnsweredNames, type AnsweredRole, toOrigin } from './answered-names.ts'
import type { RunCertificates } from './authority.ts'
import { findOwnPath } from './names.ts'
import { sendProblem } from './problem.ts'

/** Called with the host and port that a client asked for, and the outcome (rule H-06). */
export type ObserveConnection = (
  request: { readonly headers?: IncomingHttpHeaders; readonly socket: Socket },
  host: string,
  outcome: ConnectionOutcome,
) => void

/** Answers a request that came to this origin. */
export type AnswerRequest = (request: IncomingMessage, response: ServerResponse, origin: string) => void

export type FrontOptions = {
  readonly answered: AnsweredNames
  readonly certificates: RunCertificates
  /** 0 picks a free port. */
  readonly port: number
  /** Replaces default limits of the connections. */
  readonly budget?: Partial<ConnectionBudget> | undefined
  answer(request: IncomingMessage, response: ServerResponse, origins: ServedOrigins): void
  readonly echo: AnswerRequest
  readonly forward: AnswerRequest
  readonly observeConnection: ObserveConnection
}

export type Front = {
  readonly port: number
  /** Answers a request for this name that came without TLS, from the proxy. */
  answer(request: IncomingMessage, response: ServerResponse, name: string): void
  /** Takes over a connection that a client opened through the proxy. */
  takeOver(socket: Socket): void
  closeServer(): Promise<void>
}

const MAX_HANDSHAKES = 256

/** Opens the server that ends TLS for the names that Coffer answers (rule H-01). Rejects if the port cannot be opened. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { key, forAll, leaves } = options.certificates
  const contexts = new Map(
    Array.from(leaves, ([name, cert]) => [name, tls.createSecureContext({ key, cert })] as const),
  )
  const connections = new Connections(options.budget)
  const http = createLimitedServer(
    (request, response) => answerRequest(request, response, options),
    connections,
  )
  // Node enforces the time limits of a server, and can close all its connections, once it listens. This one is given its
  // connections instead.
  http.emit('listening')
  const server = tls.createServer({
    // Without this, a handshake waits some 40 ms for a delayed acknowledgement.
    noDelay: true,
    key,
    cert: forAll,
    // A client that asks for another name gets the certificate for all names, which it rejects by name.
    SNICallback: (name, done) => done(null, contexts.get(name.toLowerCase())),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // A handshake takes a few milliseconds. SECURITY: a client that never finishes it is disconnected (case X-66).
    handshakeTimeout: connections.budget.headMs,
  })
  const unfinished = limitHandshakes(server)
  server.on('secureConnection', (socket) => http.emit('connection', socket))
  server.on('tlsClientError', (error, socket) => {
    // Node reports a handshake that takes too long, but leaves its connection open.
    socket.destroy()
    if (isCertificateRejected(error) && typeof socket.servername === 'string')
      options.observeConnection({ socket }, socket.servername.toLowerCase(), 'untrusted')
  })
  return {
    port: await listenOnLoopback(server, options.port),
    answer: (request, response, name) => answerRequest(request, response, options, name),
    takeOver: (socket) => void server.emit('connection', socket),
    closeServer() {
      for (const socket of unfinished) socket.destroy()
      http.closeAllConnections()
      // Ends the check of the time limits.
      http.close()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Whether a client ended the handshake because it does not trust the certificate. */
function isCertificateRejected(error: NodeJS.ErrnoException): boolean {
  return /ALERT_(?:UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)$/.test(error.code ?? '')
}

/**
 * Closes the oldest unfinished handshake when there are too many, so that nobody can block the front (case X-66). Returns
 * the connections whose handshake is unfinished.
 */
function limitHandshakes(server: tls.Server): ReadonlySet<Socket> {
  const unfinished = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    unfinished.add(socket)
    socket.once('close', () => unfinished.delete(socket))
    const [oldest] = unfinished
    if (unfinished.size > MAX_HANDSHAKES) oldest?.destroy()
  })
  server.on('secureConnection', ({ localPort, remotePort }) => {
    for (const each of unfinished)
      if (each.localPort === localPort && each.remotePort === remotePort) unfinished.delete(each)
  })
  return unfinished
}

/**
 * SECURITY: the name in the certificate, the Host and the table must agree (case X-73). Pages reach the front only by
 * such a name, so a page that has rebound its own name to this machine gets nothing. `target` is the name in the URL of a
 * request without TLS.
 */
function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: FrontOptions,
  target?: string,
): void {
  const name = findAnsweredName(request, options.answered)
  const role = name === null || (target ?? name) !== name ? undefined : options.answered.get(name)
  if (name === null || role === undefined) {
    const names = [...options.answered.keys()].map((each) => each.replace(/:443$/, ''))
    const message = `Coffer does not answer this Host. It answers ${names.join(', ')}. To add one: --map-destination.`
    options.observeConnection(request, request.headers.host?.toLowerCase() ?? '', 'unknown_name')
    sendProblem(response, new CofferError('forbidden', message), 421)
  } else if (!request.url?.startsWith('/'))
    sendProblem(response, new CofferError('invalid', 'The request target must be a path.'))
  else {
    options.observeConnection(request, name, role === 'mapped' ? 'mapped' : 'answered')
    answerAs(role, name, request, response, options)
  }
}

function answerAs(
  role: AnsweredRole,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  { answered, answer, echo, forward }: FrontOptions,
): void {
  const origin = toOrigin(name)
  if (role === 'mapped') {
    forward(request, response, origin)
    return
  }
  if (role === 'echo') {
    echo(request, response, origin)
    return
  }
  const path = findOwnPath(role, request.url ?? '')
  if (path === null) {
    const message = `Coffer has nothing at this path of ${new URL(origin).host}.`
    sendProblem(response, new CofferError('not_found', message))
    return
  }
  request.url = path
  // Pages of 3D Secure frame each other and send forms to each other. SECURITY: not the name of the scripts, because a
  // page can make the data frame of Elements call any URL.
  const own = [...answered].filter(([, each]) => each === 'api' || each === 'three-ds')
  answer(request, response, { own: origin, all: own.map(([each]) => toOrigin(each)) })
}

/** Returns the name and port that a request is for; null unless its single Host is answered and matches the TLS name. */
function findAnsweredName(request: IncomingMessage, answered: AnsweredNames): string | null {
  const { headersDistinct, socket } = request
  const [host = '', ...others] = headersDistinct.host ?? []
  const name = host.toLowerCase().replace(/^([^:]+)$/, '$1:443')
  const servername = 'servername' in socket ? socket.servername : undefined
  const isOther = typeof servername === 'string' && servername.toLowerCase() !== name.replace(/:\d+$/, '')
  return others.length === 0 && !isOther && answered.has(name) ? name : null
}
