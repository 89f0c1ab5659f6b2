import { app, type Session } from 'electron'
import { isWindowUrl } from './origin.ts'

/** Removes from the window's session everything a vault does not need. */
export function hardenSession(session: Session): void {
  const isPermitted = (permission: string, url: string) =>
    // The page's "copy" buttons need this. Everything else is refused, including reading the clipboard.
    permission === 'clipboard-sanitized-write' && isWindowUrl(url)
  // SECURITY: camera, microphone, location, notifications, devices and the rest are denied without a prompt.
  session.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(isPermitted(permission, details.requestingUrl)),
  )
  session.setPermissionCheckHandler((_contents, permission, origin) => isPermitted(permission, origin))
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null))
  // SECURITY: the window can load its own files but nothing from a network, even if a script in it tries.
  session.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !isAllowed(details.url) })
  })
  // SECURITY: traffic that is not a request, such as DNS prefetching, goes to a proxy that does not exist.
  if (app.isPackaged) {
    void session.setProxy({ proxyRules: 'http://127.0.0.1:9', proxyBypassRules: '<-loopback>' })
  }
  session.on('will-download', (event, item) => {
    // SECURITY: only files the page created itself, such as an export, may be saved.
    if (!item.getURL().startsWith('blob:')) event.preventDefault()
  })
  // SECURITY: the spell checker would download dictionaries and read typed text.
  session.setSpellCheckerEnabled(false)
}

function isAllowed(url: string): boolean {
  const { protocol } = new URL(url)
  if (protocol === 'blob:' || protocol === 'data:' || protocol === 'devtools:') return true
  // The development server uses WebSocket on its own host.
  return isWindowUrl(protocol === 'ws:' ? url.replace(/^ws:/, 'http:') : url)
}
