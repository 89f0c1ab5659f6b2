import { useSyncExternalStore } from 'react'
import { launch, launchToken } from '../connection/vault.ts'
import { parseRoute, type Route } from './route-text.ts'
import { leaving, stayed } from './unsaved.ts'

const listeners = new Set<() => void>()
// A launch link is no place: its token is about to leave the address.
let shown = launchToken() === undefined ? location.hash : ''
let current = parseRoute(shown)

function read(): void {
  shown = location.hash
  current = parseRoute(shown)
  for (const listener of listeners) listener()
}

/** Follows the address. Whoever stays with what was typed gets the address of it back, or went back to it. */
function follow(): void {
  const token = launchToken()
  if (token !== undefined) {
    // SECURITY: a fresh launch link in this very page; its token leaves the address before it is used.
    history.replaceState(null, '', shown === '' ? location.pathname : shown)
    void launch(token)
  } else if (location.hash === shown) stayed()
  else leaving(read, () => push(shown))
}
window.addEventListener('hashchange', follow)
window.addEventListener('popstate', follow)

/** A step that knows where it came from. */
function push(href: string): void {
  history.pushState({ from: location.hash }, '', href)
}

/** Goes to a place; `replace` leaves no step to come back to. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.hash && href === shown) return
  leaving(() => {
    if (href === location.hash) return read()
    if (replace) history.replaceState(history.state, '', href)
    else push(href)
    read()
  })
}

/** A step back that the browser has still to take. */
let back: Promise<void> | null = null

/** Goes from a form to a place, so that going back does not lead to the form again. */
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
