import { useSyncExternalStore } from 'react'
import { parseRoute, type Route } from './route-text.ts'
import { leaving } from './unsaved.ts'

const listeners = new Set<() => void>()
let shown = location.hash
let current = parseRoute(shown)

function read(): void {
  shown = location.hash
  current = parseRoute(shown)
  for (const listener of listeners) listener()
}

/** Follows the address. Whoever stays with what was typed gets the address of it back. */
function follow(): void {
  if (location.hash !== shown) leaving(read, () => push(shown))
}
window.addEventListener('hashchange', follow)
window.addEventListener('popstate', follow)

/** A step that knows where it came from. */
function push(href: string): void {
  history.pushState({ from: location.hash }, '', href)
}

/** Goes to a place; `replace` leaves no step to come back to. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.hash) return
  leaving(() => {
    if (replace) history.replaceState(history.state, '', href)
    else push(href)
    read()
  })
}

/** Goes from a form to a place, so that going back does not lead to the form again. */
export async function leaveFor(href: string): Promise<void> {
  if (history.state?.from !== href) return go(href, { replace: true })
  await new Promise((resolve) => {
    window.addEventListener('popstate', resolve, { once: true })
    history.back()
  })
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
