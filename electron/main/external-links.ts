import type { ListenerState } from '../../shared/host.ts'

/**
 * Whether a link may be handed to the system's browser. SECURITY: whole addresses, never a prefix: `openExternal` starts
 * whatever program the system has for an address.
 */
export function isAllowedLink(url: string, listener: ListenerState): boolean {
  return listener.state === 'on' && ['/openapi.json', '/docs'].some((path) => url === listener.url + path)
}
