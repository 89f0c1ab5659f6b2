import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
import type { Destinations } from '../../shared/destinations.ts'
import { CofferError } from '../../shared/errors.ts'
import { classifyAddress, createBlockList, isInBlockList } from './addresses.ts'
import { checkAddress, type DecidedDestination, decideDestination, getHost } from './decide-destination.ts'
import { toOutboundError } from './outbound-error.ts'
import { Receiver } from './receiver.ts'

/** How long a destination may take to answer, and to send the next piece of its answer (rule G-04). */
const RESPONSE_TIMEOUT_MS = 25_000
const CONNECT_TIMEOUT_MS = 10_000
/** The most connections to one destination. */
const MAX_CONNECTIONS = 256
/** The most destinations with connections kept open. */
const MAX_POOLS = 100

export type OutboundRequest = {
  readonly method: string
  /** The real address, before maps. */
  readonly url: string
  /** Names and values in the order to send them. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | Readable | null
  /** Ends the call, for example when the caller hangs up. */
  readonly signal?: AbortSignal
  /** Milliseconds until the answer begins; 25,000 unless given. */
  readonly timeout_ms?: number
  /** Answers that announce at most so many bytes come whole, or not at all. */
  readonly max_buffered_bytes?: number
}

export type OutboundResponse<Body = Readable> = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** Read a stream or destroy it: a connection waits for it. `failureOf` explains its errors. */
  readonly body: Body
  /** The name of the host, for messages and records. */
  readonly host: string
}

type OutboundDeps = {
  /** What the owner allows and maps at this moment. */
  readonly destinations: () => Destinations
  /** The ports of Coffer's own servers, which no call may reach. */
  readonly ownPorts: () => readonly number[]
  /** The resolver; the system's unless given. */
  readonly lookup?: typeof dns.lookup
}

/** The one way out to the network (rules G-02, G-03): every call is decided here, and checked where it connects. */
export class Outbound {
  readonly #options: OutboundDeps
  readonly #pools = new Map<string, Pool>()
  #last: Destinations | null = null
  /** Loaded for the first call: most programs that start never make one. */
  #undici: typeof import('undici') | null = null

  constructor(options: OutboundDeps) {
    this.#options = options
  }

  /** Whether the owner allows or maps the host of this address now (rules G-02, G-03); its name is not resolved. */
  isAllowed(url: string): boolean {
    try {
      decideDestination(url, this.#options.destinations())
      return true
    } catch {
      // It says why, to a caller.
      return false
    }
  }

  /** The hosts and networks beyond this machine that the owner allows now. */
  get allowed(): readonly string[] {
    return this.#options.destinations().allow
  }

  /**
   * Sends a request, and returns the answer as it begins. Redirects are handed back, never followed. Throws `invalid`
   * and `forbidden` as `decide` and `checkAddress` do, and what `failureOf` names.
   */
  async send(request: OutboundRequest & { readonly max_buffered_bytes?: never }): Promise<OutboundResponse>
  async send(request: OutboundRequest): Promise<OutboundResponse<Readable | Buffer>>
  async send(request: OutboundRequest): Promise<OutboundResponse<Readable | Buffer>> {
    const { method, url, headers, body, timeout_ms = RESPONSE_TIMEOUT_MS } = request
    this.#undici ??= await import('undici')
    const destinations = this.#getDestinations()
    const decided = decideDestination(url, destinations)
    // No resolver is asked about an address.
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
        headers: headers.flat(),
        body,
        headersTimeout: timeout_ms,
        bodyTimeout: timeout_ms,
      },
      receiver,
    )
    const { status, ...answer } = await receiver.received.catch((error: unknown) => {
      throw toOutboundError(error, decided.host)
    })
    if (status <= 599) return { ...answer, status, host: decided.host }
    if (answer.body instanceof Readable) answer.body.destroy()
    throw new CofferError('bad_gateway', `${decided.host} answered with a status that HTTP does not have.`)
  }

  /** Ends every connection and every call that is under way. */
  close(): void {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    for (const pool of pools) void pool.destroy()
  }

  /** SECURITY: a connection made under earlier destinations is not used again. */
  #getDestinations(): Destinations {
    const destinations = this.#options.destinations()
    if (destinations !== this.#last) {
      this.#last = destinations
      const pools = [...this.#pools.values()]
      this.#pools.clear()
      // Calls that are under way end as they began.
      for (const pool of pools) void pool.close()
    }
    return destinations
  }

  #getPool(decided: DecidedDestination, undici: typeof import('undici')): Pool {
    // A connection belongs to the address as the caller wrote it: what it may connect to depends on that.
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
      lookup: this.#checkedLookup(decided),
    })
    return new Pool(decided.url.origin, { connect, connections: MAX_CONNECTIONS, pipelining: 1 })
  }

  /** SECURITY: the addresses that were checked are those that are connected to; a name is resolved once. */
  #checkedLookup(decided: DecidedDestination): LookupFunction {
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
    // SECURITY: a call to Coffer itself would act with somebody else's rights, or without end. Where it listens on
    // every address, it is found under each of this machine's.
    if (
      this.#options.ownPorts().includes(number) &&
      (classifyAddress(address) === 'loopback' || isOwnAddress(address))
    ) {
      throw new CofferError('forbidden', `Port ${number} is Coffer's own. Nothing was sent.`)
    }
  }
}

/** Whether this machine has an address, on any of its networks. */
function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return isInBlockList(createBlockList(own.map((each) => each.address.split('%')[0] ?? '')), address)
}
