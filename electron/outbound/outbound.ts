import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Readable } from 'node:stream'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import type { Destinations } from '../../shared/destinations.ts'
import { CofferError } from '../../shared/errors.ts'
import { has, kindOf, listOf } from './addresses.ts'
import { checkAddress, type Decided, decide, hostOf } from './decide.ts'
import { failureOf } from './failure.ts'

/** How long a destination may take to answer, and to send the next piece of its answer (rule G-04). */
const PATIENCE_MS = 25_000
const CONNECT_MS = 10_000
/** The most connections to one destination. */
const CONNECTIONS = 256
/** The most destinations with connections kept open. */
const AGENTS = 100

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
  readonly patience?: number
}

export type OutboundAnswer = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** Read it or destroy it: a connection waits for it. `failureOf` explains its errors. */
  readonly body: Readable
  /** The name of the host, for messages and records. */
  readonly host: string
}

type Options = {
  /** What the owner allows and maps at this moment. */
  readonly destinations: () => Destinations
  /** The ports of Coffer's own servers, which no call may reach. */
  readonly ownPorts: () => readonly number[]
  /** The resolver; the system's unless given. */
  readonly lookup?: typeof dns.lookup
}

/** The one way out to the network (rules G-02, G-03): every call is decided here, and checked where it connects. */
export class Outbound {
  readonly #options: Options
  readonly #agents = new Map<string, Agent>()
  #last: Destinations | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** Whether the owner allows or maps the host of this address now (rules G-02, G-03); its name is not resolved. */
  allows(url: string): boolean {
    try {
      decide(url, this.#options.destinations())
      return true
    } catch {
      // It says why, to a caller.
      return false
    }
  }

  /**
   * Sends a request, and returns the answer as it begins. Redirects are handed back, never followed. Throws `invalid`
   * and `forbidden` as `decide` and `checkAddress` do, and what `failureOf` names.
   */
  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    const { method, url, headers, body, patience = PATIENCE_MS } = request
    const destinations = this.#current()
    const decided = decide(url, destinations)
    // No resolver is asked about an address.
    const named = hostOf(decided.url)
    if (isIP(named)) this.#check(named, decided, destinations)
    const call = endingAfter(patience, decided.host, request.signal)
    try {
      const answer = await this.#agentOf(decided).request({
        origin: decided.url.origin,
        path: decided.url.pathname + decided.url.search,
        method: method as Dispatcher.HttpMethod,
        headers: headers.flat(),
        body,
        headersTimeout: patience,
        bodyTimeout: patience,
        responseHeaders: 'raw',
        signal: call.signal,
      })
      // A body that is destroyed unread fails too, and an error that nobody listens for would end the process.
      answer.body.on('error', () => {})
      if (answer.statusCode > 599) {
        answer.body.destroy()
        throw new CofferError(
          'bad_gateway',
          `${decided.host} answered with a status that HTTP does not have.`,
        )
      }
      return {
        status: answer.statusCode,
        headers: pairsOf(answer.headers as unknown as readonly (string | Buffer)[]),
        body: answer.body,
        host: decided.host,
      }
    } catch (error) {
      throw failureOf(error, decided.host)
    } finally {
      call.hasBegun()
    }
  }

  /** Ends every connection and every call that is under way. */
  close(): void {
    const agents = [...this.#agents.values()]
    this.#agents.clear()
    for (const agent of agents) void agent.destroy()
  }

  /** SECURITY: a connection made under earlier destinations is not used again. */
  #current(): Destinations {
    const destinations = this.#options.destinations()
    if (destinations !== this.#last) {
      this.#last = destinations
      const agents = [...this.#agents.values()]
      this.#agents.clear()
      // Calls that are under way end as they began.
      for (const agent of agents) void agent.close()
    }
    return destinations
  }

  #agentOf(decided: Decided): Agent {
    // A connection belongs to the address as the caller wrote it: what it may connect to depends on that.
    const key = `${decided.url.origin} ${decided.isMapped ? decided.host : ''}`
    const known = this.#agents.get(key)
    if (known) return known
    const [oldest] = this.#agents.keys()
    if (oldest !== undefined && this.#agents.size >= AGENTS) {
      void this.#agents.get(oldest)?.close()
      this.#agents.delete(oldest)
    }
    const agent = this.#newAgent(decided)
    this.#agents.set(key, agent)
    return agent
  }

  #newAgent(decided: Decided): Agent {
    const connect = buildConnector({
      allowH2: false,
      minVersion: 'TLSv1.2',
      timeout: CONNECT_MS,
      lookup: this.#checkedLookup(decided),
    })
    return new Agent({ connect, connections: CONNECTIONS, pipelining: 1, maxOrigins: 1 })
  }

  /** SECURITY: the addresses that were checked are those that are connected to; a name is resolved once. */
  #checkedLookup(decided: Decided): LookupFunction {
    const lookup = this.#options.lookup ?? dns.lookup
    return (hostname, options, done) => {
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error) return done(error, '')
        try {
          for (const { address } of found) this.#check(address, decided, this.#current())
        } catch (refused) {
          return done(refused as NodeJS.ErrnoException, '')
        }
        const [first] = found
        if (options.all) done(null, found)
        else done(null, first?.address ?? '', first?.family)
      })
    }
  }

  #check(address: string, decided: Decided, destinations: Destinations): void {
    checkAddress(address, decided, destinations)
    const { port, protocol } = decided.url
    const number = Number(port || (protocol === 'https:' ? 443 : 80))
    // SECURITY: a call to Coffer itself would act with somebody else's rights, or without end. Where it listens on
    // every address, it is found under each of this machine's.
    if (this.#options.ownPorts().includes(number) && (kindOf(address) === 'loopback' || isOwn(address))) {
      throw new CofferError('forbidden', `Port ${number} is Coffer's own. Nothing was sent.`)
    }
  }
}

/** Whether this machine has an address, on any of its networks. */
function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return has(listOf(own.map((each) => each.address.split('%')[0] ?? '')), address)
}

/** A signal that ends a call with its caller's, or if its answer has not begun in time: it may wait for a connection. */
function endingAfter(
  patience: number,
  host: string,
  outer: AbortSignal | undefined,
): { signal: AbortSignal; hasBegun(): void } {
  const call = new AbortController()
  const late = setTimeout(
    () => call.abort(new CofferError('timeout', `${host} did not answer in time.`)),
    patience,
  )
  if (outer?.aborted) call.abort()
  else outer?.addEventListener('abort', () => call.abort(), { once: true })
  return { signal: call.signal, hasBegun: () => clearTimeout(late) }
}

function pairsOf(raw: readonly (string | Buffer)[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([textOf(raw[at]), textOf(raw[at + 1])])
  return pairs
}

/** Header values are bytes; Latin-1 keeps each of them. */
function textOf(part: string | Buffer | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
}
