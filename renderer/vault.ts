import type { Operations } from '../electron/engine/operations.ts'
import { type Client, createClient, type Reply } from '../shared/client.ts'
import { CofferError, type ErrorCode, toProblem } from '../shared/errors.ts'
import type { HostCommands, HostEvent, WindowCall } from '../shared/host.ts'

/** What carries calls and events: the preload's bridge in Electron, HTTP in a browser. */
type Bridge = {
  call(call: WindowCall): Promise<Reply>
  onEvent(listener: (event: HostEvent) => void, onConnected: () => void): unknown
}

declare global {
  interface Window {
    readonly vault?: Bridge
  }
}

const base = '/_coffer/console'

async function post(path: string, body: unknown): Promise<Response> {
  return fetch(`${base}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
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
  async call(call) {
    try {
      const response = await post('call', call)
      if (response.headers.get('content-type')?.includes('problem')) {
        return { ok: false, problem: await response.json() }
      }
      return response.status === 401 ? signedOut : await response.json()
    } catch {
      return unreachable
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
export const send = (call: WindowCall): Promise<Reply> => bridge.call(call)

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
  await post('launch', { token }).catch(() => undefined)
}
