import type { IncomingMessage } from 'node:http'
import type { Guard } from './guard.ts'

/** The origins of a server that hands its requests to the listener. */
export type ServedOrigins = {
  /** The origin for which the request came, such as `https://js.basistheory.com`. */
  readonly own: string
  /** The origins of that server whose pages of 3D Secure belong together. */
  readonly all: readonly string[]
}

/** SECURITY: kept outside the request, so that no header can set it. */
const served = new WeakMap<IncomingMessage, ServedOrigins>()

/**
 * Sets the origins of a request that another server received. SECURITY: the guard then accepts its Host, so that server
 * must have compared the Host with its names.
 */
export function setServedOrigins(request: IncomingMessage, origins: ServedOrigins): void {
  served.set(request, origins)
}

/** Whether the server that received a request has already checked its Host. */
export function hasCheckedHost(request: IncomingMessage): boolean {
  return served.has(request)
}

/** Returns the origin of the listener as the client of this request knows it, such as `http://127.0.0.1:4747`. */
export function getOwnOrigin(request: IncomingMessage): string {
  return served.get(request)?.own ?? `http://${request.headers.host?.toLowerCase()}`
}

/** Lists the origins of the server that received a request, one for each of its names. */
export function listOwnOrigins(request: IncomingMessage, { hosts }: Guard): readonly string[] {
  return served.get(request)?.all ?? [...hosts].map((host) => `http://${host}`)
}
