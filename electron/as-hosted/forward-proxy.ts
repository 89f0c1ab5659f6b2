import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CofferError } from '../../shared/errors.ts'
import type { ConnectionOutcome } from '../../shared/host/as-hosted.ts'
import { toCofferError } from '../engine/index.ts'
import { rejectConnection } from '../http/broken-request.ts'
import { type ConnectionBudget, Connections, markIdentified } from '../http/connections.ts'
import { createLimitedServer, listenOnLoopback } from '../http/listener.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { type AnsweredNames, listHostNames } from './answered-names.ts'
import type { AnswerRequest, Front, ObserveConnection } from './front.ts'
import { sendProblem } from './problem.ts'

type ForwardProxyOptions = {
  readonly answered: AnsweredNames
  readonly front: Front
  readonly outbound: Outbound
  readonly budget?: Partial<ConnectionBudget> | undefined
  /** Sends a request to its destination outside. */
  readonly forward: AnswerRequest
  readonly observeConnection: ObserveConnection
}

export type ForwardProxy = {
  readonly port: number
  /** The address with its user name and password, which only the program and its children know. */
  readonly url: string
  closeServer(): Promise<void>
}

/**
 * Opens the proxy for programs whose clients connect through `HTTPS_PROXY` (rule H-03). Rejects if no port can be
 * opened. SECURITY: a program without the password gets what the front answers, as it would at the front itself. All
 * else needs the password and an allowed destination (case X-73).
 */
export async function openForwardProxy(options: ForwardProxyOptions): Promise<ForwardProxy> {
  const credentials = `coffer:${randomBytes(24).toString('base64url')}`
  const connected = new Set<Socket>()
  const server = createLimitedServer(
    (request, response) => answerAbsolute(request, response, credentials, options),
    new Connections(options.budget),
    (request, head) => {
      const { socket } = request
      // Without a listener, an error of the connection would end the process.
      socket.on('error', () => {})
      connected.add(socket)
      socket.once('close', () => connected.delete(socket))
      if (head.length > 0) socket.unshift(head)
      void answerConnect(request, credentials, options)
    },
  )
  const port = await listenOnLoopback(server, 0)
  return {
    port,
    url: `http://${credentials}@127.0.0.1:${port}`,
    closeServer() {
      for (const socket of connected) socket.destroy()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Lets the front answer on the connection, or connects it to an allowed destination. */
async function answerConnect(
  request: IncomingMessage,
  credentials: string,
  { answered, front, outbound, observeConnection }: ForwardProxyOptions,
): Promise<void> {
  const { socket } = request
  const name = request.url?.toLowerCase().replace(/\.(?=:\d+$)/, '') ?? ''
  // SECURITY: a program with the password keeps its connection when there are too many (case X-66).
  if (hasPassword(request, credentials)) markIdentified(request)
  if (answered.has(name)) {
    acceptConnection(socket)
    front.takeOver(socket)
    return
  }
  try {
    const { host } = outbound.decideTunnel(name)
    requirePassword(request, credentials, host)
    const target = await outbound.openTunnel(name)
    // The program may have hung up meanwhile.
    if (socket.destroyed) return void target.destroy()
    observeConnection(request, name, 'connected')
    acceptConnection(socket)
    joinConnections(socket, target)
  } catch (error) {
    const rejection = explainRefusal(error, answered)
    if (rejection.code !== 'invalid') observeConnection(request, name, getOutcome(rejection))
    // Many clients show only the reason.
    const reason = rejection.message.replaceAll('→', '>').replace(/[^\x20-\x7e]/g, ' ')
    const needsPassword = rejection.code === 'unauthenticated'
    const line = needsPassword ? { status: 407, header: 'Proxy-Authenticate: Basic realm="Coffer"\r\n' } : {}
    rejectConnection(socket, rejection, { ...line, reason })
  }
}

function acceptConnection(socket: Socket): void {
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
}

function joinConnections(socket: Socket, target: Socket): void {
  target.on('error', () => {})
  socket.once('close', () => target.destroy())
  target.once('close', () => socket.destroySoon())
  socket.pipe(target).pipe(socket)
}

/**
 * Answers a request with a complete URL: some clients send `https:` requests to their proxy so, instead of connecting
 * through it. A page cannot send such a request.
 */
function answerAbsolute(
  request: IncomingMessage,
  response: ServerResponse,
  credentials: string,
  { answered, front, outbound, forward, observeConnection }: ForwardProxyOptions,
): void {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null
  const name = `${url?.hostname}:${url?.port || '443'}`
  try {
    if (url?.protocol !== 'https:') {
      if (url?.protocol === 'http:') observeConnection(request, url.host, 'plain')
      throw createPlainError()
    }
    request.url = url.pathname + url.search
    if (answered.has(name)) {
      front.answer(request, response, name)
      return
    }
    const { host } = outbound.decideTunnel(name)
    requirePassword(request, credentials, host)
    observeConnection(request, name, 'connected')
    forward(request, response, url.origin)
  } catch (error) {
    const rejection = explainRefusal(error, answered)
    if (url?.protocol === 'https:' && rejection.code !== 'invalid')
      observeConnection(request, name, getOutcome(rejection))
    sendProblem(response, rejection, rejection.code === 'unauthenticated' ? 407 : rejection.status)
  }
}

function createPlainError(): CofferError {
  return new CofferError(
    'forbidden',
    'This proxy forwards no http: requests. Add the hosts of this machine to NO_PROXY to call them without it.',
  )
}

function getOutcome({ code }: CofferError): ConnectionOutcome {
  if (code === 'forbidden') return 'refused'
  return code === 'unauthenticated' ? 'without_password' : 'failed'
}

/** Adds to a refused destination what is answered, and how to answer it too. */
function explainRefusal(error: unknown, answered: AnsweredNames): CofferError {
  const rejection = toCofferError(error)
  if (rejection.code !== 'forbidden') return rejection
  return new CofferError(
    rejection.code,
    `${rejection.message.replace(/\.?$/, '.')} To answer it with a local stand-in: --map-destination. Coffer answers ${listHostNames(answered).join(', ')}.`,
  )
}

function hasPassword({ headers }: IncomingMessage, credentials: string): boolean {
  const [, encoded = ''] = /^Basic +(\S+)$/i.exec(headers['proxy-authorization'] ?? '') ?? []
  // Hashes have the same length, which the comparison needs.
  const hashText = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hashText(credentials), hashText(Buffer.from(encoded, 'base64').toString()))
}

function requirePassword(request: IncomingMessage, credentials: string, host: string): void {
  if (hasPassword(request, credentials)) return
  throw new CofferError(
    'unauthenticated',
    `Only programs that have the address of this proxy with its password may connect to ${host}.`,
  )
}
