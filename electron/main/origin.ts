import { app } from 'electron'

export const appScheme = 'app'
const appHost = 'coffer'

/** The URL of the window's page: the build, or the development server. */
export function getWindowUrl(): string {
  // SECURITY: the packaged program never loads a page named by its environment.
  const dev = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL
  return dev ?? `${appScheme}://${appHost}/`
}

/** Whether a URL has the window's own origin. `URL.origin` is "null" for custom schemes such as ours. */
export function isWindowUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const own = new URL(getWindowUrl())
  const { protocol, host, username, password } = new URL(url)
  return protocol === own.protocol && host === own.host && username === '' && password === ''
}
