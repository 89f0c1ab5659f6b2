import type { Operations } from '../../../electron/engine/index.ts'
import type { HostCommands } from '../../../electron/host/commands/catalogue.ts'
import { type Client, createClient, type Reply } from '../../../shared/client.ts'
import type { HostEvent } from '../../../shared/host/events.ts'
import type { WindowCall } from '../../../shared/host/window-call.ts'
import { readJson } from '../../../shared/json.ts'
import { type ConnectionObserver, ConsoleBridge, redeemToken, unreachable } from './console-bridge.ts'

/** The transport of calls and events: the preload's bridge in Electron, HTTP in a browser. */
type Bridge = {
  /** Takes and returns JSON text, because only text preserves numbers exactly (rule A-14). */
  call(call: string): Promise<string>
  onEvent(listener: (event: HostEvent) => void, line: ConnectionObserver): unknown
}

declare global {
  interface Window {
    readonly vault?: Bridge
  }
}

const overHttp = new ConsoleBridge()
const bridge: Bridge = window.vault ?? overHttp

/** Sends one call unchanged and returns the full reply, including headers. */
export async function sendCall(call: WindowCall): Promise<Reply> {
  const reply = await bridge.call(JSON.stringify(call))
  try {
    return readJson(reply) as Reply
  } catch {
    // The reply is not from Coffer, or was truncated.
    return unreachable
  }
}

/** The API as the owner. */
export const vault = createClient<Operations>((name, input) => sendCall({ name, input }))

/** The API as an application's key would see it, or as the owner sees it if `application_id` is null. */
export function createClientAs(application_id: string | null): Client<Operations> {
  if (application_id === null) return vault
  return createClient<Operations>((name, input) => sendCall({ name, input, as: application_id }))
}

export const { host } = createClient<HostCommands>((name, input) => sendCall({ name, input }))

/** Calls the listener for every event of the host. `line` is notified when the connection opens or fails. */
export function onEvent(listener: (event: HostEvent) => void, line: ConnectionObserver): void {
  bridge.onEvent(listener, line)
}

/** Checks the connection now instead of waiting for the next attempt. */
export function tryNow(): void {
  void overHttp.checkConnection()
}

/** The one-time token of the launch link in the address bar. Undefined if there is none, as in Electron. */
export function launchToken(): string | undefined {
  return window.vault ? undefined : /^#launch=(.+)$/.exec(location.hash)?.[1]
}

/**
 * Exchanges a launch link's one-time token for a cookie. SECURITY: the caller must already have removed the
 * token from the address bar and the history.
 */
export async function signIn(token: string): Promise<void> {
  await redeemToken(token)
  tryNow()
}
