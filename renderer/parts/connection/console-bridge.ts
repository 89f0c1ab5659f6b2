import type { Reply } from '../../../shared/client.ts'
import { CofferError, toProblem } from '../../../shared/errors.ts'
import type { HostEvent } from '../../../shared/host/events.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { Disconnection } from './connection-state.ts'

export type ConnectionObserver = {
  /** The event stream is open. Events may have been missed before. */
  readonly onConnected: () => void
  readonly onLost: (why: Disconnection['why'], since: number) => void
}

const base = '/_coffer/console'
/** The connection counts as lost after this long without data. The server sends something every 15 seconds. */
const SILENCE_TIMEOUT_MS = 40_000
const CHECK_TIMEOUT_MS = 10_000
const OVERDUE_DELAY_MS = 8000
const RETRY_DELAYS_MS = [300, 600, 1200, 2500, 5000]

/** Stands in for the reply when a call gets no usable response from Coffer. */
export const unreachable: Reply = {
  ok: false,
  problem: toProblem(
    // This message may stay on screen after the connection is back, so it describes only what happened.
    new CofferError('unavailable', 'Coffer did not respond. Try again once it does.'),
  ),
}

async function postRequest(path: string, body: string, timeoutMs?: number): Promise<Response> {
  return fetch(`${base}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
  })
}

type BridgeReply = {
  readonly reply: string
  readonly out: Exclude<Disconnection['why'], 'silent' | 'closed'> | null
}

/** Sends a call and returns the reply, both as JSON text. Undefined if Coffer did not respond. */
async function sendCall(call: string, timeoutMs?: number): Promise<BridgeReply | undefined> {
  try {
    const response = await postRequest('call', call, timeoutMs)
    const text = await response.text()
    if (!response.ok && isProblem(text)) {
      const out = response.headers.has('Coffer-Restarted') ? 'restarted' : 'signed out'
      return { reply: `{"ok":false,"problem":${text}}`, out: response.status === 401 ? out : null }
    }
    return /^\{"ok":(true|false)\b/.test(text) ? { reply: text, out: null } : undefined
  } catch {
    // No response, or a timeout.
    return undefined
  }
}

/** Whether an error comes from Coffer, and not from another program on its port. */
function isProblem(text: string): boolean {
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) && typeof value.title === 'string' && typeof value.code === 'string'
  } catch {
    return false
  }
}

/** Sends calls and receives events over HTTP, for a page served by `coffer serve --console`. */
export class ConsoleBridge {
  #observer: ConnectionObserver | null = null
  #listener: (event: HostEvent) => void = () => {}
  /** Null while not subscribed to events. */
  #source: EventSource | null = null
  #lastDataAt = Date.now()
  #checking = false
  #tries = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  readonly call = async (call: string): Promise<string> => {
    // A server that hangs accepts connections but never responds.
    const overdue = setTimeout(this.checkConnection, OVERDUE_DELAY_MS)
    const reply = await sendCall(call)
    clearTimeout(overdue)
    if (reply?.out !== null) void this.checkConnection()
    return reply?.reply ?? JSON.stringify(unreachable)
  }

  onEvent(listener: (event: HostEvent) => void, line: ConnectionObserver): void {
    this.#listener = listener
    this.#observer = line
    this.#connect()
    setInterval(() => {
      if (this.#source && Date.now() - this.#lastDataAt > SILENCE_TIMEOUT_MS) this.#reconnect()
    }, 5000)
    const checkSoon = () => {
      if (!this.#source && document.visibilityState === 'visible') void this.checkConnection()
    }
    document.addEventListener('visibilitychange', checkSoon)
    window.addEventListener('focus', checkSoon)
    window.addEventListener('online', checkSoon)
  }

  readonly checkConnection = async (): Promise<void> => {
    if (this.#checking || !this.#observer) return
    this.#checking = true
    clearTimeout(this.#timer)
    const reply = await sendCall(JSON.stringify({ name: 'host.status', input: {} }), CHECK_TIMEOUT_MS)
    this.#checking = false
    if (reply?.out === null) {
      if (!this.#source) this.#connect()
      return
    }
    this.#close()
    this.#observer.onLost(reply?.out ?? 'silent', this.#lastDataAt)
    this.#scheduleCheck()
  }

  #connect(): void {
    this.#close()
    const source = new EventSource(`${base}/events`)
    this.#source = source
    const markAlive = () => {
      this.#lastDataAt = Date.now()
    }
    markAlive()
    source.onopen = () => {
      markAlive()
      this.#tries = 0
      this.#observer?.onConnected()
    }
    source.onmessage = (message) => {
      markAlive()
      this.#listener(JSON.parse(message.data))
    }
    source.addEventListener('beat', markAlive)
    source.onerror = () => this.#reconnect()
  }

  /**
   * Closes the event stream and schedules a check, which opens a new stream. The browser's own reconnection
   * is not used, because it gives up after some failures without an event.
   */
  #reconnect(): void {
    this.#close()
    this.#scheduleCheck()
  }

  #scheduleCheck(): void {
    clearTimeout(this.#timer)
    const wait = RETRY_DELAYS_MS[Math.min(this.#tries++, RETRY_DELAYS_MS.length - 1)]
    this.#timer = setTimeout(this.checkConnection, wait)
  }

  #close(): void {
    this.#source?.close()
    this.#source = null
  }
}

/** Exchanges a launch link's one-time token for a session cookie. */
export async function redeemToken(token: string): Promise<void> {
  // If the token is rejected, the page stays signed out, and the next call reports that.
  await postRequest('launch', JSON.stringify({ token })).catch(() => undefined)
}
