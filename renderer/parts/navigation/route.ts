import { create } from 'zustand'
import { launchToken, signIn } from '../connection/vault.ts'
import { parseRoute, toHref, type WindowRoute } from './route-text.ts'
import { confirmLeave, dismissQuestion } from './unsaved.ts'

type ShownLocation = {
  /** The hash of the route that is shown. The URL may be ahead of it. */
  readonly hash: string
  readonly route: WindowRoute
  /** Settles when the browser has gone back from a form. */
  readonly back: Promise<void> | null
}

// A launch link is not a route: its token is about to be removed from the URL.
const useLocation = create<ShownLocation>(() => ({
  ...parseLocation(launchToken() === undefined ? location.hash : ''),
  back: null,
}))

const { getState, setState } = useLocation

function parseLocation(hash: string): Pick<ShownLocation, 'hash' | 'route'> {
  return { hash, route: parseRoute(hash) }
}

function readLocation(): void {
  setState(parseLocation(location.hash))
}

/** Follows changes of the URL. If the owner chooses to keep unsaved input, restores the URL of the form. */
function followAddress(): void {
  const token = launchToken()
  const { hash } = getState()
  if (token !== undefined) {
    // SECURITY: a new launch link was opened in this page; remove its token from the URL before using it.
    history.replaceState(null, '', hash === '' ? location.pathname : hash)
    void signIn(token)
  } else if (location.hash === hash) dismissQuestion()
  else confirmLeave(readLocation, () => pushEntry(getState().hash), parseRoute(location.hash).screen)
}
window.addEventListener('hashchange', followAddress)
window.addEventListener('popstate', followAddress)

/** Adds a history entry that remembers the previous route. */
function pushEntry(href: string): void {
  history.pushState({ from: location.hash }, '', href)
}

/** Navigates to a hash. `replace` adds no history entry. */
export function navigate(href: string, { replace = false } = {}): void {
  if (href === location.hash && href === getState().hash) return
  const showHref = () => {
    if (href === location.hash) return readLocation()
    if (replace) history.replaceState(history.state, '', href)
    else pushEntry(href)
    readLocation()
  }
  confirmLeave(showHref, undefined, parseRoute(href).screen)
}

/** Returns a handler that navigates to a location. */
export const goTo =
  (...to: Parameters<typeof toHref>) =>
  () =>
    navigate(toHref(...to))

/**
 * Leaves a form so that Back does not return to it: goes back to where the form was opened, or replaces the
 * form's history entry.
 */
export async function navigateAway(href: string): Promise<void> {
  if (history.state?.from !== href) return navigate(href, { replace: true })
  const back = getState().back ?? goBack()
  setState({ back })
  await back
}

function goBack(): Promise<void> {
  return new Promise((resolve) => {
    const handlePop = () => {
      setState({ back: null })
      resolve()
    }
    window.addEventListener('popstate', handlePop, { once: true })
    history.back()
  })
}

/** The current route, for code outside components. */
export function readCurrentRoute(): WindowRoute {
  return getState().route
}

export const useRoute = (): WindowRoute => useLocation(({ route }) => route)
