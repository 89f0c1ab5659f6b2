import type { Operations } from '../electron/engine/operations.ts'
import { type Client, createClient, type Reply } from '../shared/client.ts'
import { CofferError, type ErrorCode, toProblem } from '../shared/errors.ts'
import type { HostCommands, HostEvent, WindowCall } from '../shared/host.ts'
import { readJson } from '../shared/json.ts'

/** What carries calls and events: the preload's bridge in Electron, HTTP in a browser. */
type Bridge = {
  /** A call and its reply as JSON text, which alone keeps numbers as they are written (rule A-14). */
  call(name: string, call: string): Promise<string>
  onEvent(listener: (event: HostEvent) => void, onConnected: () => void): unknown
}

declare global {
  interface Window {
    readonly vault?: Bridge
  }
}

const base = '/_coffer/console'

async function post(path: string, body: string): Promise<Response> {
  return fetch(`${base}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  })
}

function failure(code: ErrorCode, detail: string): Reply {
  return { ok: false, problem: toProblem(new CofferError(code, detail)) }
}

const unreachable = failure('unavailable', 'Coffer does not answer. Start it again in your terminal.')
const signedOut = failure(
  'unauthenticated',
  'This page is not signed in. Open the link that coffer serve --console printed.',
)

const overHttp: Bridge = {
  async call(_name, call) {
    try {
      const response = await post('call', call)
      const text = await response.text()
      if (response.headers.get('content-type')?.includes('problem')) return `{"ok":false,"problem":${text}}`
      return response.status === 401 ? JSON.stringify(signedOut) : text
    } catch {
      return JSON.stringify(unreachable)
    }
  },
  onEvent(listener, onConnected) {
    const source = new EventSource(`${base}/events`)
    source.onopen = onConnected
    source.onmessage = (message) => listener(JSON.parse(message.data))
  },
}

const bridge = window.vault ?? overHttp

/** Sends one call as it is and gives the whole reply, headers too. */
export async function send(call: WindowCall): Promise<Reply> {
  const reply = await bridge.call(call.name, JSON.stringify(call))
  try {
    return readJson(reply) as unknown as Reply
  } catch {
    return unreachable
  }
}

/** Operations as the owner. */
export const vault = createClient<Operations>((name, input) => send({ name, input }))

/** Operations as an application's key would have them answered; null: as the owner. */
export function vaultAs(application_id: string | null): Client<Operations> {
  if (application_id === null) return vault
  return createClient<Operations>((name, input) => send({ name, input, as: application_id }))
}

/** Commands to the host: create, unlock, lock, listener, settings. */
export const host = createClient<HostCommands>((name, input) => send({ name, input }))

/**
 * Calls the listener for everything the host tells without being asked, and `onConnected` whenever something may have
 * been missed until now.
 */
export function onEvent(listener: (event: HostEvent) => void, onConnected: () => void): void {
  bridge.onEvent(listener, onConnected)
}

/** In a browser, trades the launch link's one-time token for a cookie; elsewhere does nothing. */
export async function launch(): Promise<void> {
  const token = /^#launch=(.+)$/.exec(location.hash)?.[1]
  if (window.vault || token === undefined) return
  // SECURITY: the token leaves the address bar and the history before it is used.
  history.replaceState(null, '', location.pathname)
  await post('launch', JSON.stringify({ token })).catch(() => undefined)
}
