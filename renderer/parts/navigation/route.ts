import { useSyncExternalStore } from 'react'
import { launchToken, signIn } from '../connection/vault.ts'
import { parseRoute, type WindowRoute } from './route-text.ts'
import { confirmLeave, dismissQuestion } from './unsaved.ts'

const listeners = new Set<() => void>()
// A launch link is not a route: its token is about to be removed from the URL.
let shownHash = launchToken() === undefined ? location.hash : ''
let current = parseRoute(shownHash)

function readLocation(): void {
  shownHash = location.hash
  current = parseRoute(shownHash)
  for (const listener of listeners) listener()
}

/** Follows changes of the URL. If the owner chooses to keep unsaved input, restores the URL of the form. */
function followAddress(): void {
  const token = launchToken()
  if (token !== undefined) {
    // SECURITY: a new launch link was opened in this page; remove its token from the URL before using it.
    history.replaceState(null, '', shownHash === '' ? location.pathname : shownHash)
    void signIn(token)
  } else if (location.hash === shownHash) dismissQuestion()
  else confirmLeave(readLocation, () => pushEntry(shownHash))
}
window.addEventListener('hashchange', followAddress)
window.addEventListener('popstate', followAddress)

/** Adds a history entry that remembers the previous route. */
function pushEntry(href: string): void {
  history.pushState({ from: location.hash }, '', href)
}

/** Navigates to a hash. `replace` adds no history entry. */
export function navigate(href: string, { replace = false } = {}): void {
  if (href === location.hash && href === shownHash) return
  confirmLeave(() => {
    if (href === location.hash) return readLocation()
    if (replace) history.replaceState(history.state, '', href)
    else pushEntry(href)
    readLocation()
  })
}

let back: Promise<void> | null = null

/**
 * Leaves a form so that Back does not return to it: goes back to where the form was opened, or replaces the
 * form's history entry.
 */
export async function navigateAway(href: string): Promise<void> {
  if (history.state?.from !== href) return navigate(href, { replace: true })
  back ??= new Promise((resolve) => {
    const handlePop = () => {
      back = null
      resolve()
    }
    window.addEventListener('popstate', handlePop, { once: true })
    history.back()
  })
  await back
}

/** The current route, for code outside components. */
export function readCurrentRoute(): WindowRoute {
  return current
}

export function useRoute(): WindowRoute {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
