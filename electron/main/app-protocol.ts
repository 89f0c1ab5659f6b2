import { protocol, type Session } from 'electron'
import { loadPage } from '../http/page.ts'
import { appScheme, isWindowUrl } from './origin.ts'

/** Registers `app://` with Chromium; must run before the program is ready. */
export function registerAppScheme(): void {
  // SECURITY: a standard, secure origin instead of file://, which can reach the whole disk.
  protocol.registerSchemesAsPrivileged([
    {
      scheme: appScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

/** Serves `app://coffer/…` from the folder of the built window, and nothing else. */
export function serveAppScheme(session: Session, folder: string): void {
  session.protocol.handle(appScheme, async (request) => {
    if (request.method !== 'GET' || !isWindowUrl(request.url)) return new Response(null, { status: 404 })
    // SECURITY: the headers carry the content security policy, and paths cannot leave the folder.
    const { status, headers, body } = await loadPage(folder, new URL(request.url).pathname)
    return new Response(new Uint8Array(body), { status, headers })
  })
}
