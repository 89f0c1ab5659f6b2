import { useSyncExternalStore } from 'react'
import { launch, launchToken } from '../connection/vault.ts'
import { parseRoute, type Route } from './route-text.ts'
import { leaving, stayed } from './unsaved.ts'

const listeners = new Set<() => void>()
// A launch link is not a place: its token is about to be removed from the address.
let shown = launchToken() === undefined ? location.hash : ''
let current = parseRoute(shown)

function read(): void {
  shown = location.hash
  current = parseRoute(shown)
  for (const listener of listeners) listener()
}

/** Follows the address bar. An owner who keeps unsaved input returns to the address of its form. */
function follow(): void {
  const token = launchToken()
  if (token !== undefined) {
    // SECURITY: a new launch link was opened in this page; remove its token from the address before using it.
    history.replaceState(null, '', shown === '' ? location.pathname : shown)
    void launch(token)
  } else if (location.hash === shown) stayed()
  else leaving(read, () => push(shown))
}
window.addEventListener('hashchange', follow)
window.addEventListener('popstate', follow)

/** Pushes a history entry that remembers where it came from. */
function push(href: string): void {
  history.pushState({ from: location.hash }, '', href)
}

/** Navigates to a place; `replace` adds no history entry. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.hash && href === shown) return
  leaving(() => {
    if (href === location.hash) return read()
    if (replace) history.replaceState(history.state, '', href)
    else push(href)
    read()
  })
}

/** A pending `history.back()`. */
let back: Promise<void> | null = null

/** Navigates away from a form, so that Back does not return to it. */
export async function leaveFor(href: string): Promise<void> {
  if (history.state?.from !== href) return go(href, { replace: true })
  back ??= new Promise((resolve) => {
    const taken = () => {
      back = null
      resolve()
    }
    window.addEventListener('popstate', taken, { once: true })
    history.back()
  })
  await back
}

/** Where the window is now, for what is no component. */
export function currentRoute(): Route {
  return current
}

/** Where the window is now. */
export function useRoute(): Route {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
