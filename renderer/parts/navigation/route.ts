import { useSyncExternalStore } from 'react'
import { launchToken, signIn } from '../connection/vault.ts'
import { parseRoute, type WindowRoute } from './route-text.ts'
import { confirmLeave, dismissQuestion } from './unsaved.ts'

const listeners = new Set<() => void>()
// A launch link is not a place: its token is about to be removed from the address.
let shownHash = launchToken() === undefined ? location.hash : ''
let current = parseRoute(shownHash)

function readLocation(): void {
  shownHash = location.hash
  current = parseRoute(shownHash)
  for (const listener of listeners) listener()
}

/** Follows the address bar. An owner who keeps unsaved input returns to the address of its form. */
function followAddress(): void {
  const token = launchToken()
  if (token !== undefined) {
    // SECURITY: a new launch link was opened in this page; remove its token from the address before using it.
    history.replaceState(null, '', shownHash === '' ? location.pathname : shownHash)
    void signIn(token)
  } else if (location.hash === shownHash) dismissQuestion()
  else confirmLeave(readLocation, () => pushEntry(shownHash))
}
window.addEventListener('hashchange', followAddress)
window.addEventListener('popstate', followAddress)

/** Pushes a history entry that remembers where it came from. */
function pushEntry(href: string): void {
  history.pushState({ from: location.hash }, '', href)
}

/** Navigates to a place; `replace` adds no history entry. */
export function navigate(href: string, { replace = false } = {}): void {
  if (href === location.hash && href === shownHash) return
  confirmLeave(() => {
    if (href === location.hash) return readLocation()
    if (replace) history.replaceState(history.state, '', href)
    else pushEntry(href)
    readLocation()
  })
}

/** A pending `history.back()`. */
let back: Promise<void> | null = null

/** Navigates away from a form, so that Back does not return to it. */
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

/** Where the window is now, for what is no component. */
export function currentRoute(): WindowRoute {
  return current
}

/** Where the window is now. */
export function useRoute(): WindowRoute {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
