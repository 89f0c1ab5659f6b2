import { app } from 'electron'

export const appScheme = 'app'
const appHost = 'coffer'

/** Where the window's page comes from: the build, or the development server. */
export function windowUrl(): string {
  // SECURITY: the packaged program takes no page from its environment.
  const dev = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL
  return dev ?? `${appScheme}://${appHost}/`
}

/** Whether an address lies in the window's own origin. `URL.origin` knows no origin of schemes like ours. */
export function isWindowUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const own = new URL(windowUrl())
  const { protocol, host, username, password } = new URL(url)
  return protocol === own.protocol && host === own.host && username === '' && password === ''
}
