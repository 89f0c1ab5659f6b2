import { hash, randomBytes } from 'node:crypto'

const LAUNCH_TTL_MS = 10 * 60_000
const SESSION_TTL_MS = 12 * 60 * 60_000
const MAX_TOKENS = 20

/**
 * Who may use the console: a launch token is traded once for a session, and an idle session ends.
 * SECURITY: only digests are kept, so this process's memory never holds what a browser has to send.
 */
export class ConsoleSessions {
  readonly #now: () => number
  /** What the sessions of this process begin with. */
  readonly #process = `${randomBytes(9).toString('base64url')}.`
  /** From digest to expiry time. */
  readonly #launches = new Map<string, number>()
  readonly #sessions = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** A new launch token, valid once and for ten minutes. */
  newLaunch(): string {
    return addToken(this.#launches, this.#now() + LAUNCH_TTL_MS)
  }

  /** Trades a launch token for a session; undefined if it is unknown, used or too old. */
  startSession(token: string): string | undefined {
    const digest = hashToken(token)
    const until = this.#launches.get(digest)
    this.#launches.delete(digest)
    if (until === undefined || until <= this.#now()) return undefined
    return addToken(this.#sessions, this.#now() + SESSION_TTL_MS, this.#process)
  }

  /** Whether a session is of a process that ran before this one. */
  isOfAnother(token: string | undefined): boolean {
    return token !== undefined && !token.startsWith(this.#process)
  }

  /** The id of the session this token belongs to, marking it as used; undefined if it has ended. */
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
  // The least recently used one makes room.
  const [oldest] = to.keys()
  if (to.size > MAX_TOKENS && oldest !== undefined) to.delete(oldest)
  return token
}

function hashToken(token: string): string {
  return hash('sha256', token)
}
