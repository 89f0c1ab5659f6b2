import { subscribe } from 'node:diagnostics_channel'
import dns from 'node:dns'
import net, { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
import type { Destinations } from '../../shared/destinations.ts'
import { CofferError } from '../../shared/errors.ts'
import { classifyAddress, createBlockList, isInBlockList } from './addresses.ts'
import {
  checkAddress,
  type DecidedDestination,
  decideDestination,
  decideTunnel,
  getHost,
} from './decide-destination.ts'
import { toOutboundError } from './outbound-error.ts'
import { Receiver } from './receiver.ts'

/** How long a destination may take to start its response, and then to send each further chunk (rule G-04). */
const RESPONSE_TIMEOUT_MS = 25_000
const CONNECT_TIMEOUT_MS = 10_000
const MAX_CONNECTIONS = 256
/** The maximum number of destinations with open connections. */
const MAX_POOLS = 100

/** The name under which `Keep-Alive` passes undici, which rejects that header but sends it once a request exists. */
const KEEP_ALIVE = 'bt-keep-alive'

subscribe('undici:request:create', (message) => {
  const { headers } = (message as { readonly request: { readonly headers: string[] } }).request
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === KEEP_ALIVE) headers[at] = 'Keep-Alive'
})

export type OutboundRequest = {
  readonly method: string
  /** The requested URL, before it is mapped. */
  readonly url: string
  /** Names and values, in the order they are sent. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | Readable | null
  /** Ends the call, for example when the caller disconnects. */
  readonly signal?: AbortSignal
  /** Milliseconds until the response must start; 25,000 by default. */
  readonly timeout_ms?: number
  /** A response whose Content-Length is at most this many bytes is buffered, so it is returned complete or not at all. */
  readonly max_buffered_bytes?: number
}

export type OutboundResponse<Body = Readable> = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** Blocks a connection until it is read or destroyed. `toOutboundError` converts its errors. */
  readonly body: Body
  /** The host as the caller named it, for messages and records. */
  readonly host: string
}

type OutboundDeps = {
  readonly destinations: () => Destinations
  /** Returns the ports of Coffer's own servers, which no call may reach. */
  readonly ownPorts: () => readonly number[]
  readonly lookup?: typeof dns.lookup
}

/** Makes every outgoing call (rules G-02, G-03). Checks the host before a call, and the IP address when connecting. */
export class Outbound {
  readonly #options: OutboundDeps
  readonly #pools = new Map<string, Pool>()
  #last: Destinations | null = null
  /** Loaded on the first call: most programs never make one. */
  #undici: typeof import('undici') | null = null

  constructor(options: OutboundDeps) {
    this.#options = options
  }

  /** Whether the owner allows or maps the host of this URL now (rules G-02, G-03), without resolving its name. */
  isAllowed(url: string): boolean {
    return this.#findDestination(url) !== undefined
  }

  /** Whether the owner maps the origin of this URL to another one now (rule G-03). */
  isMapped(url: string): boolean {
    return this.#findDestination(url)?.isMapped === true
  }

  #findDestination(url: string): DecidedDestination | undefined {
    try {
      return decideDestination(url, this.#options.destinations())
    } catch {
      // The error explains the reason to a caller; here, it is enough that there is none.
      return undefined
    }
  }

  /** The hosts and networks that the owner allows now, besides this machine. */
  get allowed(): readonly string[] {
    return this.#options.destinations().allow
  }

  /**
   * Sends a request and returns the response as soon as it starts. Redirects are returned, never followed. Throws
   * `invalid` and `forbidden` like `decideDestination` and `checkAddress`, and the errors of `toOutboundError`.
   */
  async send(request: OutboundRequest & { readonly max_buffered_bytes?: never }): Promise<OutboundResponse>
  async send(request: OutboundRequest): Promise<OutboundResponse<Readable | Buffer>>
  async send(request: OutboundRequest): Promise<OutboundResponse<Readable | Buffer>> {
    const { method, url, headers, body, timeout_ms = RESPONSE_TIMEOUT_MS } = request
    this.#undici ??= await import('undici')
    const destinations = this.#getDestinations()
    const decided = decideDestination(url, destinations)
    // An IP address is never resolved, so it is checked here.
    const hostName = getHost(decided.url)
    if (isIP(hostName)) this.#checkTarget(hostName, decided, destinations)
    const receiver = new Receiver({
      host: decided.host,
      max_buffered_bytes: request.max_buffered_bytes ?? 0,
      timeout_ms,
      signal: request.signal,
      sent: body,
    })
    this.#getPool(decided, this.#undici).dispatch(
      {
        path: decided.url.pathname + decided.url.search,
        method: method as Dispatcher.HttpMethod,
        headers: headers.flatMap(([name, value]) => [/^keep-alive$/i.test(name) ? KEEP_ALIVE : name, value]),
        body,
        headersTimeout: timeout_ms,
        bodyTimeout: timeout_ms,
      },
      receiver,
    )
    const { status, ...response } = await receiver.received.catch((error: unknown) => {
      throw toOutboundError(error, decided.host)
    })
    if (status <= 599) return { ...response, status, host: decided.host }
    if (response.body instanceof Readable) response.body.destroy()
    throw new CofferError('bad_gateway', `${decided.host} responded with an invalid HTTP status.`)
  }

  /** Decides whether a program may connect to a host and port, such as `api.example.com:443`. Throws like `decideTunnel`. */
  decideTunnel(authority: string): DecidedDestination {
    return decideTunnel(authority, this.#getDestinations())
  }

  /**
   * Opens a connection for a program that encrypts its traffic itself. Rejects like `decideTunnel` and `send`. The caller
   * closes it.
   */
  async openTunnel(authority: string): Promise<net.Socket> {
    const decided = this.decideTunnel(authority)
    const host = getHost(decided.url)
    if (isIP(host)) this.#checkTarget(host, decided, this.#getDestinations())
    const port = Number(decided.url.port || 443)
    const socket = net.connect({ host, port, lookup: this.#lookUpChecked(decided) })
    return new Promise((resolve, reject) => {
      socket.setTimeout(CONNECT_TIMEOUT_MS, () =>
        socket.destroy(new CofferError('timeout', `${decided.host} did not accept a connection in time.`)),
      )
      socket.once('error', (error) => reject(toOutboundError(error, decided.host)))
      socket.once('connect', () => resolve(socket.setTimeout(0)))
    })
  }

  /** Closes every connection and ends every active call. */
  close(): void {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    for (const pool of pools) void pool.destroy()
  }

  /** SECURITY: when the destinations change, connections opened under the old ones are not reused. */
  #getDestinations(): Destinations {
    const destinations = this.#options.destinations()
    if (destinations !== this.#last) {
      this.#last = destinations
      const pools = [...this.#pools.values()]
      this.#pools.clear()
      // `close` lets active calls finish.
      for (const pool of pools) void pool.close()
    }
    return destinations
  }

  #getPool(decided: DecidedDestination, undici: typeof import('undici')): Pool {
    // Each requested origin has its own connections, because the origin determines which IP addresses may be called.
    const key = `${decided.url.origin} ${decided.isMapped ? decided.host : ''}`
    const existing = this.#pools.get(key)
    if (existing) return existing
    const [oldest] = this.#pools.keys()
    if (oldest !== undefined && this.#pools.size >= MAX_POOLS) {
      void this.#pools.get(oldest)?.close()
      this.#pools.delete(oldest)
    }
    const pool = this.#createPool(decided, undici)
    this.#pools.set(key, pool)
    return pool
  }

  #createPool(decided: DecidedDestination, { Pool, buildConnector }: typeof import('undici')): Pool {
    const connect = buildConnector({
      allowH2: false,
      minVersion: 'TLSv1.2',
      timeout: CONNECT_TIMEOUT_MS,
      lookup: this.#lookUpChecked(decided),
    })
    return new Pool(decided.url.origin, { connect, connections: MAX_CONNECTIONS, pipelining: 1 })
  }

  /** SECURITY: a name is resolved once, so the call connects to the address that was checked. */
  #lookUpChecked(decided: DecidedDestination): LookupFunction {
    const lookup = this.#options.lookup ?? dns.lookup
    return (hostname, options, done) => {
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, '')
        try {
          for (const { address } of addresses) this.#checkTarget(address, decided, this.#getDestinations())
        } catch (rejection) {
          return done(rejection as NodeJS.ErrnoException, '')
        }
        const [first] = addresses
        if (options.all) done(null, addresses)
        else done(null, first?.address ?? '', first?.family)
      })
    }
  }

  #checkTarget(address: string, decided: DecidedDestination, destinations: Destinations): void {
    checkAddress(address, decided, destinations)
    const { port, protocol } = decided.url
    const number = Number(port || (protocol === 'https:' ? 443 : 80))
    // SECURITY: a call to Coffer itself could act with the rights of another caller, or loop forever. If Coffer
    // listens on every address, each address of this machine leads to it.
    if (
      this.#options.ownPorts().includes(number) &&
      (classifyAddress(address) === 'loopback' || isOwnAddress(address))
    ) {
      throw new CofferError('forbidden', `Port ${number} belongs to Coffer itself. Nothing was sent.`)
    }
  }
}

function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return isInBlockList(createBlockList(own.map((each) => each.address.split('%')[0] ?? '')), address)
}
