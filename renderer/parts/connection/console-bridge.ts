import type { Reply } from '../../../shared/client.ts'
import { CofferError, toProblem } from '../../../shared/errors.ts'
import type { HostEvent } from '../../../shared/host.ts'
import type { Gone } from './reach.ts'

/** What a transport reports about its connection. */
export type Line = {
  /** Events arrive from now on; some may have been missed. */
  readonly connected: () => void
  readonly lost: (why: Gone['why'], since: number) => void
}

const base = '/_coffer/console'
/** Longest silence before the connection counts as lost; the server sends something every 15 seconds. */
const SILENCE_MS = 40_000
const PATIENCE_MS = 10_000
const OVERDUE_MS = 8000
const WAITS_MS = [300, 600, 1200, 2500, 5000]

/** The reply to a call that got no answer. */
export const unreachable: Reply = {
  ok: false,
  problem: toProblem(
    // It may be shown for longer than it is so: it says what happened, and the window says what is.
    new CofferError('unavailable', 'Coffer did not respond. Try again once it does.'),
  ),
}

async function post(path: string, body: string, patience?: number): Promise<Response> {
  return fetch(`${base}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    ...(patience !== undefined && { signal: AbortSignal.timeout(patience) }),
  })
}

type Answer = { readonly reply: string; readonly out: Exclude<Gone['why'], 'silent'> | null }

/** Sends a call and returns the answer, both as JSON text; undefined unless Coffer answered. */
async function ask(call: string, patience?: number): Promise<Answer | undefined> {
  try {
    const response = await post('call', call, patience)
    const text = await response.text()
    if (response.headers.get('content-type')?.includes('problem')) {
      const out = response.headers.has('Coffer-Restarted') ? 'restarted' : 'signed out'
      return { reply: `{"ok":false,"problem":${text}}`, out: response.status === 401 ? out : null }
    }
    return /^\{"ok":(true|false)\b/.test(text) ? { reply: text, out: null } : undefined
  } catch {
    // No answer, or none in time.
    return undefined
  }
}

/** Carries calls and events over HTTP, for a page served by `coffer serve --console`. */
export class ConsoleBridge {
  #line: Line | null = null
  #listener: (event: HostEvent) => void = () => {}
  /** Null while not listening to events. */
  #source: EventSource | null = null
  #heard = Date.now()
  #checking = false
  #tries = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  readonly call = async (call: string): Promise<string> => {
    // A hung server accepts calls but answers none of them.
    const overdue = setTimeout(this.check, OVERDUE_MS)
    const answer = await ask(call)
    clearTimeout(overdue)
    if (answer?.out !== null) void this.check()
    return answer?.reply ?? JSON.stringify(unreachable)
  }

  /** Starts listening, and reconnects whenever the connection is lost. */
  onEvent(listener: (event: HostEvent) => void, line: Line): void {
    this.#listener = listener
    this.#line = line
    this.#connect()
    setInterval(() => {
      if (this.#source && Date.now() - this.#heard > SILENCE_MS) this.#reconnect()
    }, 5000)
    const soon = () => {
      if (!this.#source && document.visibilityState === 'visible') void this.check()
    }
    document.addEventListener('visibilitychange', soon)
    window.addEventListener('focus', soon)
    window.addEventListener('online', soon)
  }

  /** Checks now whether Coffer is reachable, and keeps checking until it is. */
  readonly check = async (): Promise<void> => {
    if (this.#checking || !this.#line) return
    this.#checking = true
    clearTimeout(this.#timer)
    const answer = await ask(JSON.stringify({ name: 'host.status', input: {} }), PATIENCE_MS)
    this.#checking = false
    if (answer?.out === null) {
      if (!this.#source) this.#connect()
      return
    }
    this.#close()
    this.#line.lost(answer?.out ?? 'silent', this.#heard)
    this.#checkLater()
  }

  #connect(): void {
    this.#close()
    const source = new EventSource(`${base}/events`)
    this.#source = source
    const heard = () => {
      this.#heard = Date.now()
    }
    heard()
    source.onopen = () => {
      heard()
      this.#tries = 0
      this.#line?.connected()
    }
    source.onmessage = (message) => {
      heard()
      this.#listener(JSON.parse(message.data))
    }
    source.addEventListener('beat', heard)
    source.onerror = () => this.#reconnect()
  }

  /** Reconnects explicitly: the browser's own reconnection gives up on some failures and reports none. */
  #reconnect(): void {
    this.#close()
    this.#checkLater()
  }

  #checkLater(): void {
    clearTimeout(this.#timer)
    const wait = WAITS_MS[Math.min(this.#tries++, WAITS_MS.length - 1)]
    this.#timer = setTimeout(this.check, wait)
  }

  #close(): void {
    this.#source?.close()
    this.#source = null
  }
}

/** Trades a launch link's one-time token for a cookie. */
export async function redeem(token: string): Promise<void> {
  // A rejected link leaves the page signed out, which the next call reports.
  await post('launch', JSON.stringify({ token })).catch(() => undefined)
}
