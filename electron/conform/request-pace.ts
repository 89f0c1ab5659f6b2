import { setTimeout as delay } from 'node:timers/promises'

/** A management key of a hosted test tenant may send 200 requests a minute, and any other 50 in ten seconds. */
const MANAGEMENT_INTERVAL_MS = 310
const INTERVAL_MS = 210
/** A server that asks for a longer pause is not waited for. */
export const MAX_PAUSE_MS = 70_000
const FIRST_PAUSE_MS = 500

type Headers = Readonly<Record<string, string>>

/** Spaces the requests of each key, so that a run stays within the limits of a tenant. A server on this machine has none. */
export class RequestPace {
  readonly #isLocal: boolean
  /** When the next request of a key may be sent. */
  readonly #next = new Map<string, number>()

  constructor({ isLocal }: { readonly isLocal: boolean }) {
    this.#isLocal = isLocal
  }

  /** Waits until a request with this key may be sent. Rejects when `signal` aborts. */
  async waitForTurn(key: string, isManagement: boolean, signal: AbortSignal | undefined): Promise<void> {
    const interval = isManagement ? MANAGEMENT_INTERVAL_MS : INTERVAL_MS
    for (;;) {
      const now = Date.now()
      const next = this.#next.get(key) ?? 0
      if (next <= now) {
        if (!this.#isLocal) this.#next.set(key, now + interval)
        return
      }
      await delay(next - now, undefined, signal && { signal })
    }
  }

  /** Delays the next request of a key, if the headers of an answer, or its status 429, say so. Returns the delay in milliseconds. */
  applyAnswer(
    key: string,
    { isLimited, headers, attempt }: { isLimited: boolean; headers: Headers; attempt: number },
  ): number {
    const pause = isLimited ? (findPause(headers) ?? FIRST_PAUSE_MS * 2 ** attempt) : findExhaustion(headers)
    if (pause === undefined) return 0
    const until = Date.now() + Math.min(Math.max(pause, 0), MAX_PAUSE_MS)
    this.#next.set(key, Math.max(until, this.#next.get(key) ?? 0))
    return pause
  }
}

/** Returns how long a 429 asks to wait: `Retry-After` in seconds or as a date, else the reset of the limit. */
function findPause(headers: Headers): number | undefined {
  const after = headers['retry-after']
  if (after !== undefined) {
    const seconds = Number(after)
    const pause = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000
    if (!Number.isNaN(pause)) return pause
  }
  return findReset(headers)
}

/** Returns how long to wait if an answer says that no request remains. */
function findExhaustion(headers: Headers): number | undefined {
  const remaining = findNumber(headers, 'remaining')
  return remaining === undefined || remaining > 0 ? undefined : findReset(headers)
}

/** `RateLimit-Reset` is in seconds from now, `X-RateLimit-Reset` often in seconds of the epoch. */
function findReset(headers: Headers): number | undefined {
  const reset = findNumber(headers, 'reset')
  if (reset === undefined) return undefined
  return reset > 1_000_000_000 ? reset * 1000 - Date.now() : reset * 1000
}

/** The header of the newer form: `RateLimit: limit=50, remaining=0, reset=7`. */
const inOneHeader = { remaining: /\bremaining=(\d+)/, reset: /\breset=(\d+)/ } as const

function findNumber(headers: Headers, name: 'remaining' | 'reset'): number | undefined {
  const text =
    headers[`ratelimit-${name}`] ??
    headers[`x-ratelimit-${name}`] ??
    inOneHeader[name].exec(headers.ratelimit ?? '')?.[1]
  const number = Number.parseFloat(text ?? '')
  return Number.isNaN(number) ? undefined : number
}
