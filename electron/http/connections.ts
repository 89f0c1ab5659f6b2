import fs from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CofferError } from '../../shared/errors.ts'
import { rejectConnection } from './broken-request.ts'

/** How Node's server reads requests. `Connections` adds the time limits. */
export const serverOptions = {
  maxHeaderSize: 16 * 1024,
  // Short, so that the time limits are enforced on time.
  connectionsCheckingInterval: 250,
  // Node does not reject a request without Host, because the guard does, with a problem document.
  requireHostHeader: false,
} as const

/**
 * Limits for connections and for anonymous requests. The caller of an anonymous request is not identified by a key or
 * session. SECURITY: slow clients are disconnected (case X-08).
 */
export type ConnectionBudget = {
  readonly connections: number
  /** How long the head of a request may take to arrive, in ms. */
  readonly headMs: number
  /** How long a request of an identified caller may take to arrive, in ms, besides the time for its body. */
  readonly requestMs: number
  /** How long a connection may be idle, and how long its client may read nothing of a response, in ms. */
  readonly idleMs: number
  /** The maximum number of anonymous requests whose body is received at the same time. */
  readonly anonymousBodies: number
  /** How long the body of an anonymous request may take to arrive, in ms. */
  readonly anonymousBodyMs: number
  /** How long an anonymous request may take in total, until its response has been read, in ms. */
  readonly anonymousMs: number
}

const MAX_CONNECTIONS = 2000
const MAX_CHECK_INTERVAL_MS = 250
/** Slower bodies of identified callers are rejected: a document of 50 MiB takes less than 14 minutes. */
const MIN_BYTES_PER_MS = 64

const defaultBudget: ConnectionBudget = {
  connections: MAX_CONNECTIONS,
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 30_000,
  anonymousBodies: 50,
  // Enough for the largest anonymous body, which is a form of 16 KiB.
  anonymousBodyMs: 5000,
  anonymousMs: 30_000,
}

/** Requests whose caller is identified by a valid key or session. */
const identified = new WeakSet<IncomingMessage>()

/**
 * Marks the caller of a request as identified: the request gets more time, and anonymous requests are closed before it
 * (case X-66).
 */
export function markIdentified(request: IncomingMessage): void {
  identified.add(request)
}

/** Anonymous requests that have as much time as an identified one. */
const forwarded = new WeakSet<IncomingMessage>()

/**
 * Marks a request as one that goes on to another program, unread: it may take its time, but remains anonymous when there
 * are too many connections.
 */
export function markForwarded(request: IncomingMessage): void {
  forwarded.add(request)
}

function hasFullTime(request: IncomingMessage): boolean {
  return identified.has(request) || forwarded.has(request)
}

type ActiveRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Kept here, because a request loses its own when a handler stops reading its body. */
  readonly socket: Socket
  readonly since: number
  /** The bytes the connection had received when the request started; 0 for a request without a body. */
  readonly received: number
}

/**
 * Limits the connections of a listener, so that nobody can block it (cases ). If there are too many, closes
 * the one that has been idle longest or, if all are busy, one with an anonymous request. SECURITY: any program on this
 * machine can connect, so callers without a key get few slots and little time.
 */
export class Connections {
  readonly budget: ConnectionBudget
  readonly #open = new Map<Socket, number>()
  /** Connections without an active request, idle longest first. */
  readonly #idle = new Set<Socket>()
  /** Requests whose connection was taken over, oldest first. */
  readonly #tunnels = new Set<IncomingMessage>()
  /** Requests whose response or body is incomplete, oldest first. */
  readonly #active = new Set<ActiveRequest>()
  /** Active requests with a body whose caller was anonymous at the last check. */
  readonly #bodies = new Set<ActiveRequest>()
  #checkTimer: NodeJS.Timeout | null = null

  constructor(budget: Partial<ConnectionBudget> = {}) {
    this.budget = { ...defaultBudget, connections: Math.min(MAX_CONNECTIONS, getFileShare()), ...budget }
  }

  get open(): number {
    return this.#open.size
  }

  limitServer(server: Server): void {
    server.headersTimeout = this.budget.headMs
    // Not Node's, which would reject a large body that arrives slowly but steadily.
    server.requestTimeout = 0
    server.keepAliveTimeout = this.budget.idleMs
    // Half, because Node waits a second time if a part of the last write was read.
    server.setTimeout(this.budget.idleMs / 2, (socket) => {
      // A request that is still being handled has time.
      if (this.#open.get(socket) === 0 || socket.writableLength > 0) socket.destroy()
    })
    server.on('connection', (socket: Socket) => this.#onConnection(socket))
    const onRequest = (request: IncomingMessage, response: ServerResponse) =>
      this.#onRequest(request, response)
    server.on('request', onRequest)
    server.on('checkExpectation', onRequest)
    server.on('connect', (request) => this.#onTunnel(request))
  }

  #onConnection(socket: Socket): void {
    this.#open.set(socket, 0)
    socket.on('close', () => {
      this.#open.delete(socket)
      this.#idle.delete(socket)
    })
    // Checked before the new connection counts as idle, so that it is closed last: it may be about to send a key.
    if (this.#open.size > this.budget.connections) this.#closeOne(socket)
    if (!socket.destroyed) this.#idle.add(socket)
  }

  /** Whoever takes over a connection limits its time. */
  #onTunnel(request: IncomingMessage): void {
    const { socket } = request
    socket.setTimeout(0)
    this.#idle.delete(socket)
    this.#tunnels.add(request)
    socket.on('close', () => this.#tunnels.delete(request))
  }

  #closeOne(newcomer: Socket): void {
    const [idle] = this.#idle
    const cut = idle ?? this.#findOldestAnonymous() ?? findSlowestUpload(this.#active)?.socket ?? newcomer
    this.#idle.delete(cut)
    this.#open.delete(cut)
    cut.destroy()
  }

  #findOldestAnonymous(): Socket | undefined {
    for (const { request, socket } of this.#active) {
      if (!identified.has(request) && !socket.destroyed) return socket
    }
    for (const request of this.#tunnels) {
      if (!identified.has(request) && !request.socket.destroyed) return request.socket
    }
    return undefined
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const activeCount = this.#open.get(socket)
    if (activeCount === undefined) return
    this.#open.set(socket, activeCount + 1)
    this.#idle.delete(socket)
    const sends = hasBody(request)
    const received = sends ? socket.bytesRead : 0
    const active = { request, response, socket, since: performance.now(), received }
    this.#active.add(active)
    if (sends) {
      this.#bodies.add(active)
      this.#limitAnonymousBodies(active)
    }
    this.#checkTimer ??= setInterval(
      () => this.#rejectSlow(),
      Math.min(MAX_CHECK_INTERVAL_MS, this.budget.anonymousBodyMs / 4),
    ).unref()
    response.on('close', () => {
      const remaining = (this.#open.get(socket) ?? 0) - 1
      if (remaining >= 0) this.#open.set(socket, remaining)
      if (remaining === 0 && !socket.destroyed) this.#idle.add(socket)
      // An anonymous request whose body is incomplete stays active, so that the time limit of the body still applies.
      if (request.complete || socket.destroyed || identified.has(request)) this.#removeRequest(active)
    })
  }

  #removeRequest(active: ActiveRequest): void {
    this.#active.delete(active)
    this.#bodies.delete(active)
  }

  /**
   * Limits the number of anonymous bodies. If there are too many, rejects the slowest, but never the newest, which may
   * be complete in a moment.
   */
  #limitAnonymousBodies(newest: ActiveRequest): void {
    if (this.#bodies.size <= this.budget.anonymousBodies) return
    for (const each of this.#bodies) {
      if (each.request.complete || hasFullTime(each.request)) this.#bodies.delete(each)
    }
    if (this.#bodies.size <= this.budget.anonymousBodies) return
    const others = [...this.#bodies].filter((each) => each !== newest)
    const cut = findSlowestUpload(others)
    if (cut) this.#rejectRequest(cut)
  }

  #rejectSlow(): void {
    const now = performance.now()
    for (const each of this.#active) {
      const elapsedMs = now - each.since
      if (elapsedMs < this.budget.anonymousBodyMs) break
      this.#checkTime(each, elapsedMs)
    }
    if (this.#active.size > 0 || !this.#checkTimer) return
    clearInterval(this.#checkTimer)
    this.#checkTimer = null
  }

  #checkTime(active: ActiveRequest, elapsedMs: number): void {
    const { request, response, socket } = active
    if (socket.destroyed || (request.complete && response.closed)) this.#removeRequest(active)
    else if (!request.complete) {
      if (elapsedMs >= this.#getBodyTime(active)) this.#rejectRequest(active)
    } else if (!hasFullTime(request) && elapsedMs >= this.budget.anonymousMs) socket.destroy()
  }

  #getBodyTime({ request, socket, received }: ActiveRequest): number {
    const { anonymousBodyMs, requestMs } = this.budget
    if (!hasFullTime(request)) return anonymousBodyMs
    return requestMs + (socket.bytesRead - received) / MIN_BYTES_PER_MS
  }

  #rejectRequest(active: ActiveRequest): void {
    const { response, socket } = active
    this.#bodies.delete(active)
    // A rejected request stays active until its connection is closed.
    if (socket.writableEnded) return
    if (response.headersSent) socket.destroy()
    else rejectConnection(socket, new CofferError('timeout', 'The request took too long to arrive.'))
  }
}

/** Returns the request whose body has received the fewest bytes since it started; the oldest of several. */
function findSlowestUpload(all: Iterable<ActiveRequest>): ActiveRequest | null {
  let slowest: ActiveRequest | null = null
  let bytes = Number.POSITIVE_INFINITY
  for (const each of all) {
    const { request, socket, received } = each
    if (request.complete || socket.destroyed) continue
    const progress = socket.bytesRead - received
    if (progress >= bytes) continue
    bytes = progress
    slowest = each
  }
  return slowest
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Returns how many connections the limit of open files allows: an eighth of the limit, so that listener, console, front
 * and proxy together leave half of it to the vault. Node has already raised the limit as far as the system allows. Returns
 * `MAX_CONNECTIONS` where the limit cannot be read: only Linux reports it.
 */
function getFileShare(): number {
  try {
    const [, openFileLimit] =
      /^Max open files +(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8')) ?? []
    return openFileLimit === undefined ? MAX_CONNECTIONS : Math.max(1, Math.floor(Number(openFileLimit) / 8))
  } catch {
    return MAX_CONNECTIONS
  }
}
