import { CofferError } from '../../shared/errors.ts'
import { formatCount } from '../../shared/format-count.ts'
import { formatSettingHint, type TenantSettings } from '../../shared/settings.ts'
import type { Engine } from '../engine/index.ts'

const WINDOW_MS = 10_000
const MINUTE_MS = 60_000
/** The maximum number of document uploads per application and minute. Downloads have the same limit (rule D-01). */
const MAX_DOCUMENTS = 10
const BLOCK_DURATION_MS = 10_000
/** The maximum number of counters. All are cleared when it is reached; honest clients need far fewer. */
const MAX_COUNTERS = 10_000

/** The maximum number of requests per client address and window, by scope (rule R-01). */
const legacy = { all: 1000, console: 600, search: 50, list: 100, create: 200 } as const
export type RateScope = keyof typeof legacy

const scopeOfRoute: Partial<Record<string, RateScope>> = {
  'POST /tokens/search': 'search',
  'GET /tokens': 'list',
  'POST /tokens': 'create',
  'POST /tokenize': 'create',
}

/** The scopes that a request counts towards: `all`, and for some routes a second one. */
export function getRateScopes(method: string, path: string | undefined): RateScope[] {
  const own = scopeOfRoute[`${method} ${path}`]
  return own ? ['all', own] : ['all']
}

function getLimit(scope: RateScope, { rate_limits, rate_limit_requests }: TenantSettings): number {
  if (rate_limits === 'legacy') return legacy[scope]
  return rate_limits === 'custom' && scope === 'all' ? rate_limit_requests : Infinity
}

type Counter = { readonly since: number; count: number; blocked_until: number }

/** Limits the requests of each client address, according to the tenant's settings and the vault's clock (rule R-01). */
export class RateLimiter {
  readonly #engine: () => Engine | null
  readonly #counters = new Map<string, Counter>()

  constructor(engine: () => Engine | null) {
    this.#engine = engine
  }

  /**
   * Counts a request. Throws 429 with `Retry-After` when one of its counters exceeds its limit, and for ten seconds
   * after that. SECURITY: `address` must be the socket's own, never one from a header (case X-07).
   */
  countRequest(address: string, scopes: readonly RateScope[]): void {
    const engine = this.#engine()
    if (!engine) return
    const now = engine.now()
    const { settings } = engine
    if (settings.rate_limits === 'off') return
    const limited = scopes
      .map((scope) => ({ scope, limit: getLimit(scope, settings) }))
      .filter(({ limit }) => limit < Infinity)
      .map(({ scope, limit }) => ({ counter: this.#getCounter(`${scope} ${address}`, now), limit }))
    if (limited.every(({ counter }) => counter.blocked_until <= now)) {
      for (const { counter, limit } of limited) {
        counter.count++
        if (counter.count > limit) counter.blocked_until = now + BLOCK_DURATION_MS
      }
    }
    const wait = Math.max(0, ...limited.map(({ counter }) => counter.blocked_until - now))
    if (wait === 0) return
    const seconds = Math.ceil(wait / 1000)
    throw new CofferError(
      'rate_limited',
      `Too many requests from this address. Wait ${formatCount(seconds, 'second')}. ${formatSettingHint(settings.rate_limits === 'custom' ? 'rate_limit_requests' : 'rate_limits')}`,
      {
        retry_after: seconds,
      },
    )
  }

  /**
   * Counts an upload or a download of a document. Under legacy limits, throws 429 with `Retry-After` for the rest of
   * the minute once an application has made ten (rule D-01).
   */
  takeDocument(application_id: string, what: 'uploads' | 'downloads'): void {
    const engine = this.#engine()
    if (engine?.settings.rate_limits !== 'legacy') return
    const now = engine.now()
    const counter = this.#getCounter(`${what} ${application_id}`, now, MINUTE_MS)
    if (++counter.count <= MAX_DOCUMENTS) return
    const seconds = Math.ceil((counter.since + MINUTE_MS - now) / 1000)
    throw new CofferError(
      'rate_limited',
      `An application may make ${MAX_DOCUMENTS} document ${what} per minute. Wait ${formatCount(seconds, 'second')}. ${formatSettingHint('rate_limits')}`,
      { retry_after: seconds },
    )
  }

  /**
   * Returns the counter of a key. Creates a new one if there is none, if the window and the block of the old one have
   * ended, or if the old one starts in the future because the clock was set back.
   */
  #getCounter(key: string, now: number, window = WINDOW_MS): Counter {
    const known = this.#counters.get(key)
    if (known && known.since <= now && now < Math.max(known.since + window, known.blocked_until)) return known
    if (this.#counters.size >= MAX_COUNTERS) this.#counters.clear()
    const counter = { since: now, count: 0, blocked_until: 0 }
    this.#counters.set(key, counter)
    return counter
  }
}
