import { app, type Session } from 'electron'
import { isWindowUrl } from './origin.ts'

/** Takes from the window's session what a vault has no use for. */
export function hardenSession(session: Session): void {
  const allowed = (permission: string, url: string) =>
    // The page's "copy" buttons; everything else, reading the clipboard too, is refused.
    permission === 'clipboard-sanitized-write' && isWindowUrl(url)
  // SECURITY: camera, microphone, location, notifications, devices and the rest are denied without asking.
  session.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(allowed(permission, details.requestingUrl)),
  )
  session.setPermissionCheckHandler((_contents, permission, origin) => allowed(permission, origin))
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null))
  // SECURITY: the window reaches its own files and nothing on any network, whatever a script in it might try.
  session.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !isAllowed(details.url) })
  })
  // SECURITY: what is no request, such as looking a name up beforehand, goes to a proxy that is not there.
  if (app.isPackaged) {
    void session.setProxy({ proxyRules: 'http://127.0.0.1:9', proxyBypassRules: '<-loopback>' })
  }
  session.on('will-download', (event, item) => {
    // SECURITY: only what the page made itself, such as an export, may be saved.
    if (!item.getURL().startsWith('blob:')) event.preventDefault()
  })
  // SECURITY: the spell checker would fetch dictionaries and read what is typed.
  session.setSpellCheckerEnabled(false)
}

function isAllowed(url: string): boolean {
  const { protocol } = new URL(url)
  if (protocol === 'blob:' || protocol === 'data:' || protocol === 'devtools:') return true
  // The development server speaks WebSocket on its own host.
  return isWindowUrl(protocol === 'ws:' ? url.replace(/^ws:/, 'http:') : url)
}
