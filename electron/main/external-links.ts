import type { ListenerState } from '../../shared/host/status.ts'

/**
 * Whether a link may be opened in the system's browser. SECURITY: compares complete URLs, never prefixes, because
 * `openExternal` starts any program that is registered for a URL.
 */
export function isAllowedLink(url: string, listener: ListenerState): boolean {
  return listener.state === 'on' && ['/openapi.json', '/docs'].some((path) => url === listener.url + path)
}
