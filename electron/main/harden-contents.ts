import { app, shell } from 'electron'
import { isWindowUrl } from './origin.ts'

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
