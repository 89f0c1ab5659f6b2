import type { Operations } from '../../../electron/engine/operations.ts'
import { type Client, createClient, type Reply } from '../../../shared/client.ts'
import type { HostCommands, HostEvent, WindowCall } from '../../../shared/host.ts'
import { readJson } from '../../../shared/json.ts'
import { type ConnectionObserver, ConsoleBridge, redeemToken, unreachable } from './console-bridge.ts'

/** What carries calls and events: the preload's bridge in Electron, HTTP in a browser. */
type Bridge = {
  /** A call and its reply as JSON text, because only text keeps numbers as they were written (rule A-14). */
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

/** Sends one call unchanged and returns the whole reply, including headers. */
export async function sendCall(call: WindowCall): Promise<Reply> {
  const reply = await bridge.call(JSON.stringify(call))
  try {
    return readJson(reply) as unknown as Reply
  } catch {
    // The answer is not from Coffer, or was cut off.
    return unreachable
  }
}

/** Operations as the owner. */
export const vault = createClient<Operations>((name, input) => sendCall({ name, input }))

/** Operations answered as they would be for an application's key; as the owner for null. */
export function vaultAs(application_id: string | null): Client<Operations> {
  if (application_id === null) return vault
  return createClient<Operations>((name, input) => sendCall({ name, input, as: application_id }))
}

/** Commands to the host: create, unlock, lock, listener, settings. */
export const host = createClient<HostCommands>((name, input) => sendCall({ name, input }))

/** Calls the listener for every event the host sends; `line` learns about the state of the connection. */
export function onEvent(listener: (event: HostEvent) => void, line: ConnectionObserver): void {
  bridge.onEvent(listener, line)
}

/** Checks now whether Coffer is reachable instead of waiting for the next attempt. */
export function tryNow(): void {
  void overHttp.checkConnection()
}

/** The one-time token of the launch link in the address bar; undefined outside a browser. */
export function launchToken(): string | undefined {
  return window.vault ? undefined : /^#launch=(.+)$/.exec(location.hash)?.[1]
}

/**
 * Trades a launch link's one-time token for a cookie. SECURITY: the caller must already have removed the token from the
 * address bar and the history.
 */
export async function signIn(token: string): Promise<void> {
  await redeemToken(token)
  tryNow()
}
