import fs from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CofferError } from '../../shared/errors.ts'
import { rejectConnection } from './broken-request.ts'

/** How long Node lets a client take. */
export const connectionLimits = {
  maxHeaderSize: 16 * 1024,
  // SECURITY: slow clients are cut off (case X-08), and checked often enough for the limits to hold.
  headersTimeout: 10_000,
  connectionsCheckingInterval: 250,
  // The guard refuses a request without Host itself, with a problem document.
  requireHostHeader: false,
} as const

/** What connections may take, and how long anonymous requests may: those whose sender is not known by a key or session. */
export type ConnectionBudget = {
  /** Connections that are open at the same time. */
  readonly connections: number
  /** Bodies of anonymous requests that are on their way at the same time. */
  readonly anonymousBodies: number
  /** How long such a body may take, in ms. */
  readonly anonymousBodyMs: number
  /** How long an anonymous request may take in all, until its answer has been read, in ms. */
  readonly anonymousMs: number
}

const MAX_CONNECTIONS = 2000
const MAX_CHECK_INTERVAL_MS = 250

const defaultBudget: ConnectionBudget = {
  connections: MAX_CONNECTIONS,
  anonymousBodies: 50,
  // The longest is a form of 16 KiB.
  anonymousBodyMs: 5000,
  anonymousMs: 30_000,
}

/** Requests whose sender is known by a valid key or session. */
const identified = new WeakSet<IncomingMessage>()

/** Notes that the sender of a request is known: it has more time, and gives its place to nobody (case X-66). */
export function markIdentified(request: IncomingMessage): void {
  identified.add(request)
}

type ActiveRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly since: number
  /** What the connection had received when the request began; 0 for one without a body. */
  readonly received: number
}

/**
 * Bounds what the connections of a listener take, so that nobody shuts it (cases ). With too many of them, the
 * one that has been idle longest is closed; where all have requests under way, an anonymous one. SECURITY: any program
 * of this machine can connect, so whoever shows no key gets few places and little time.
 */
export class Connections {
  readonly #budget: ConnectionBudget
  /** With the number of requests under way on each. */
  readonly #open = new Map<Socket, number>()
  /** Those without a request under way, idle longest first. */
  readonly #idle = new Set<Socket>()
  /** Requests that are not answered, or whose body has not come to its end; the oldest first. */
  readonly #active = new Set<ActiveRequest>()
  /** Of these, the ones with a body whose sender was not known when they were last looked at. */
  readonly #bodies = new Set<ActiveRequest>()
  #checkTimer: NodeJS.Timeout | null = null

  constructor(budget: Partial<ConnectionBudget> = {}) {
    this.#budget = { ...defaultBudget, connections: Math.min(MAX_CONNECTIONS, getFileShare()), ...budget }
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size
  }

  /** Bounds the connections of a server, together with those of servers given before. */
  limitServer(server: Server): void {
    server.on('connection', (socket: Socket) => this.#onConnection(socket))
    const onRequest = (request: IncomingMessage, response: ServerResponse) =>
      this.#onRequest(request, response)
    server.on('request', onRequest)
    server.on('checkExpectation', onRequest)
  }

  #onConnection(socket: Socket): void {
    this.#open.set(socket, 0)
    socket.on('close', () => {
      this.#open.delete(socket)
      this.#idle.delete(socket)
    })
    // Before it is one of the idle: the newcomer is cut last, because it may be about to show a key.
    if (this.#open.size > this.#budget.connections) this.#closeOne(socket)
    if (!socket.destroyed) this.#idle.add(socket)
  }

  #closeOne(newcomer: Socket): void {
    const [idle] = this.#idle
    const cut =
      idle ?? this.#findOldestAnonymous() ?? findLeastProgress(this.#active)?.request.socket ?? newcomer
    this.#idle.delete(cut)
    this.#open.delete(cut)
    cut.destroy()
  }

  #findOldestAnonymous(): Socket | undefined {
    for (const { request } of this.#active) {
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
    const active = { request, response, since: performance.now(), received }
    this.#active.add(active)
    if (sends) {
      this.#bodies.add(active)
      this.#limitAnonymousBodies(active)
    }
    this.#checkTimer ??= setInterval(
      () => this.#rejectSlow(),
      Math.min(MAX_CHECK_INTERVAL_MS, this.#budget.anonymousBodyMs / 4),
    ).unref()
    response.on('close', () => {
      const left = (this.#open.get(socket) ?? 0) - 1
      if (left >= 0) this.#open.set(socket, left)
      if (left === 0 && !socket.destroyed) this.#idle.add(socket)
      // The rest of an anonymous body is waited for no longer than the body was.
      if (request.complete || socket.destroyed || identified.has(request)) this.#removeRequest(active)
    })
  }

  #removeRequest(active: ActiveRequest): void {
    this.#active.delete(active)
    this.#bodies.delete(active)
  }

  /** Keeps the number of anonymous bodies; the newest gives way to none, because it may be whole in a moment. */
  #limitAnonymousBodies(newest: ActiveRequest): void {
    if (this.#bodies.size <= this.#budget.anonymousBodies) return
    for (const each of this.#bodies) {
      if (each.request.complete || identified.has(each.request)) this.#bodies.delete(each)
    }
    if (this.#bodies.size <= this.#budget.anonymousBodies) return
    const others = [...this.#bodies].filter((each) => each !== newest)
    const cut = findLeastProgress(others)
    if (cut) this.#rejectRequest(cut)
  }

  /** Cuts anonymous requests that take too long. */
  #rejectSlow(): void {
    const { anonymousBodyMs, anonymousMs } = this.#budget
    const now = performance.now()
    for (const each of this.#active) {
      const { request, response, since } = each
      if (now - since < anonymousBodyMs) break
      if (request.socket.destroyed || (request.complete && response.closed)) this.#removeRequest(each)
      else if (identified.has(request)) continue
      else if (!request.complete) this.#rejectRequest(each)
      else if (now - since >= anonymousMs) request.socket.destroy()
    }
    if (this.#active.size > 0 || !this.#checkTimer) return
    clearInterval(this.#checkTimer)
    this.#checkTimer = null
  }

  #rejectRequest(active: ActiveRequest): void {
    const { request, response } = active
    this.#bodies.delete(active)
    // One that has been refused already lingers for a moment.
    if (request.socket.writableEnded) return
    if (response.headersSent) request.socket.destroy()
    else rejectConnection(request.socket, new CofferError('timeout', 'The request took too long to arrive.'))
  }
}

/** The request whose body has gone on the least since it began, and of those the oldest. */
function findLeastProgress(all: Iterable<ActiveRequest>): ActiveRequest | null {
  let least: ActiveRequest | null = null
  let bytes = Number.POSITIVE_INFINITY
  for (const each of all) {
    const { request, received } = each
    if (request.complete || request.socket.destroyed) continue
    const more = request.socket.bytesRead - received
    if (more >= bytes) continue
    bytes = more
    least = each
  }
  return least
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * How many files this process may open for connections: a quarter, so that listener and console together leave half to
 * the vault. Node has raised the limit as far as the system lets it; only Linux tells how far that is.
 */
function getFileShare(): number {
  try {
    const [, openFileLimit] =
      /^Max open files +(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8')) ?? []
    return openFileLimit === undefined ? MAX_CONNECTIONS : Math.max(1, Math.floor(Number(openFileLimit) / 4))
  } catch {
    return MAX_CONNECTIONS
  }
}
