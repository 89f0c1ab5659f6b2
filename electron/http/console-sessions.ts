import { hash, randomBytes } from 'node:crypto'

const LAUNCH_TTL_MS = 10 * 60_000
const SESSION_TTL_MS = 12 * 60 * 60_000
const MAX_TOKENS = 20

/**
 * The sessions of the console: a launch token is exchanged once for a session, and an idle session expires. SECURITY:
 * only digests are stored, so the tokens that browsers send do not stay in memory.
 */
export class ConsoleSessions {
  readonly #now: () => number
  /** The prefix of this process's session tokens. */
  readonly #process = `${randomBytes(9).toString('base64url')}.`
  /** Expiry times, in epoch ms, by the digest of the token. */
  readonly #launches = new Map<string, number>()
  readonly #sessions = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns a new launch token, which can be used once within ten minutes. */
  newLaunch(): string {
    return addToken(this.#launches, this.#now() + LAUNCH_TTL_MS)
  }

  /** Exchanges a launch token for a session token; undefined if the launch token is unknown, used or expired. */
  startSession(token: string): string | undefined {
    const digest = hashToken(token)
    const until = this.#launches.get(digest)
    this.#launches.delete(digest)
    if (until === undefined || until <= this.#now()) return undefined
    return addToken(this.#sessions, this.#now() + SESSION_TTL_MS, this.#process)
  }

  isOfAnother(token: string | undefined): boolean {
    return token !== undefined && !token.startsWith(this.#process)
  }

  /** Extends the session of this token and returns its id; undefined if the session has ended. */
  touchSession(token: string | undefined): string | undefined {
    const id = token === undefined ? undefined : hashToken(token)
    if (id === undefined || !this.isAlive(id)) return undefined
    this.#sessions.delete(id)
    this.#sessions.set(id, this.#now() + SESSION_TTL_MS)
    return id
  }

  isAlive(id: string): boolean {
    return (this.#sessions.get(id) ?? 0) > this.#now()
  }

  endSession(id: string): void {
    this.#sessions.delete(id)
  }
}

function addToken(to: Map<string, number>, until: number, prefix = ''): string {
  const token = prefix + randomBytes(32).toString('base64url')
  to.set(hashToken(token), until)
  // Evict the least recently used token.
  const [oldest] = to.keys()
  if (to.size > MAX_TOKENS && oldest !== undefined) to.delete(oldest)
  return token
}

function hashToken(token: string): string {
  return hash('sha256', token)
}
