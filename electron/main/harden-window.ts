import { app, type Session, shell } from 'electron'
import type { ListenerState } from '../../shared/host/status.ts'
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

/** Guards every page created in this program, not only the one window. */
export function hardenContents(isAllowedLink: (url: string) => boolean): void {
  app.on('web-contents-created', (_event, contents) => {
    // SECURITY: no second window. Only allowed links open, and they open in the system's browser.
    contents.setWindowOpenHandler(({ url }) => {
      if (isAllowedLink(url)) void shell.openExternal(url)
      return { action: 'deny' }
    })
    // SECURITY: no navigation: a dropped file or a foreign link would replace the page.
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !isWindowUrl(event.url)) event.preventDefault()
    })
    contents.on('will-redirect', (event) => event.preventDefault())
    // SECURITY: WebRTC bypasses request handlers. Without UDP it can only use the session's proxy, which does not
    // exist.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    // SECURITY: no <webview>, whatever its options.
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}

/**
 * Whether a link may be opened in the system's browser. SECURITY: compares complete URLs, never prefixes, because
 * `openExternal` starts any program that is registered for a URL.
 */
export function isAllowedLink(url: string, listener: ListenerState): boolean {
  return listener.state === 'on' && ['/openapi.json', '/docs'].some((path) => url === listener.url + path)
}
