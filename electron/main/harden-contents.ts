import { app, shell } from 'electron'
import { isWindowUrl } from './origin.ts'

/** Guards every page that is ever made in this program, not only the one window. */
export function hardenContents(isAllowedLink: (url: string) => boolean): void {
  app.on('web-contents-created', (_event, contents) => {
    // SECURITY: no second window, and links open elsewhere only when they are on the list.
    contents.setWindowOpenHandler(({ url }) => {
      if (isAllowedLink(url)) void shell.openExternal(url)
      return { action: 'deny' }
    })
    // SECURITY: the page stays where it is; a dropped file or a foreign link would replace it.
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !isWindowUrl(event.url)) event.preventDefault()
    })
    contents.on('will-redirect', (event) => event.preventDefault())
    // SECURITY: WebRTC asks no request handler; without UDP it has the session's proxy alone, which is none.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    // SECURITY: no <webview>, whatever its options.
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}
