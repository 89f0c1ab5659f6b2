import { useSyncExternalStore } from 'react'
import { parseRoute, type Route } from './route-text.ts'

const listeners = new Set<() => void>()
let current = parseRoute(location.hash)

function read(): void {
  current = parseRoute(location.hash)
  for (const listener of listeners) listener()
}
window.addEventListener('hashchange', read)
window.addEventListener('popstate', read)

/** Goes to a place; `replace` leaves no step to come back to. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.hash) return
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  read()
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
