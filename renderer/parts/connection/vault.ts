import type { Operations } from '../../../electron/engine/operations.ts'
import { type Client, createClient, type Reply } from '../../../shared/client.ts'
import type { HostCommands, HostEvent, WindowCall } from '../../../shared/host.ts'
import { readJson } from '../../../shared/json.ts'
import { ConsoleBridge, type Line, redeem, unreachable } from './console-bridge.ts'

/** What carries calls and events: the preload's bridge in Electron, HTTP in a browser. */
type Bridge = {
  /** A call and its reply as JSON text, which alone keeps numbers as they are written (rule A-14). */
  call(call: string): Promise<string>
  onEvent(listener: (event: HostEvent) => void, line: Line): unknown
}

declare global {
  interface Window {
    readonly vault?: Bridge
  }
}

const overHttp = new ConsoleBridge()
const bridge: Bridge = window.vault ?? overHttp

/** Sends one call as it is and gives the whole reply, headers too. */
export async function send(call: WindowCall): Promise<Reply> {
  const reply = await bridge.call(JSON.stringify(call))
  try {
    return readJson(reply) as unknown as Reply
  } catch {
    // What answers is not Coffer, or was cut off.
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

/** Calls the listener for everything the host tells without being asked; `line` is told how the transport fares. */
export function onEvent(listener: (event: HostEvent) => void, line: Line): void {
  bridge.onEvent(listener, line)
}

/** Asks now whether Coffer is there, instead of a little later. */
export function tryNow(): void {
  void overHttp.check()
}

/** The one-time token of a launch link that is in the address, in a browser. */
export function launchToken(): string | undefined {
  return window.vault ? undefined : /^#launch=(.+)$/.exec(location.hash)?.[1]
}

/**
 * Trades a launch link's one-time token for a cookie. SECURITY: whoever calls this has taken the token out of the
 * address bar and the history.
 */
export async function launch(token: string): Promise<void> {
  await redeem(token)
  tryNow()
}
