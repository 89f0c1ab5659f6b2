import type { IncomingMessage } from 'node:http'

/** The origins of requests that came over another server than the listener's own. */
const given = new WeakMap<IncomingMessage, string>()

/**
 * Sets the origin under which a request was answered. SECURITY: the guard then accepts its Host, so the server that
 * calls this must have compared the Host with the names that it answers.
 */
export function setOwnOrigin(request: IncomingMessage, origin: string): void {
  given.set(request, origin)
}

/** Whether the server that received a request has already checked its Host. */
export function hasCheckedHost(request: IncomingMessage): boolean {
  return given.has(request)
}

/** The origin of the listener as the client of this request knows it, such as `http://127.0.0.1:4747`. */
export function getOwnOrigin(request: IncomingMessage): string {
  return given.get(request) ?? `http://${request.headers.host?.toLowerCase()}`
}
