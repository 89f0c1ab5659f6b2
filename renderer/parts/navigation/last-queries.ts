import { createVaultStore } from '../connection/store.ts'
import { readCurrentRoute } from './route.ts'
import { toHref } from './route-text.ts'
import type { Screen } from './screens.ts'

type ListQuery = Readonly<Record<string, string | undefined>>

type LastQueries = {
  /** The query of each screen's first list, such as filters, without the open item. */
  readonly queries: Partial<Readonly<Record<Screen, ListQuery>>>
  readonly searches: Partial<Readonly<Record<Screen, string>>>
}

/** The last query and search of each list. SECURITY: held only in memory, because filters may contain token data. */
const useLastQueries = createVaultStore<LastQueries>(() => ({ queries: {}, searches: {} }))

const { getState, setState } = useLastQueries

/** Remembers the query of a screen's first list. The others are not what the name of the screen says. */
export function rememberQuery(screen: Screen, query: ListQuery): void {
  if (query.view === undefined) setState(({ queries }) => ({ queries: { ...queries, [screen]: query } }))
}

export function rememberSearch(screen: Screen, search: string): void {
  setState(({ searches }) => ({ searches: { ...searches, [screen]: search } }))
}

export function getLastSearch(screen: Screen): string {
  return getState().searches[screen] ?? ''
}

/** The hash of a screen with its last filters, or without filters if its first list is already open. */
export function getScreenHref(screen: Screen): string {
  const { screen: current, query } = readCurrentRoute()
  return screen === current && query.view === undefined ? toHref(screen) : getListHref(screen)
}

/** The hash of a screen's first list with its last filters. */
export function getListHref(screen: Screen): string {
  return toHref(screen, null, getState().queries[screen])
}
