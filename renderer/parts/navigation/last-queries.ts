import { createVaultStore } from '../connection/store.ts'
import { currentRoute } from './route.ts'
import { type Screen, toHref } from './route-text.ts'

type ListQuery = Readonly<Record<string, string | undefined>>

type LastQueries = {
  /** What the address of each list had besides an item, such as filters. */
  readonly queries: Partial<Readonly<Record<Screen, ListQuery>>>
  readonly searches: Partial<Readonly<Record<Screen, string>>>
}

/** How the lists of the open vault were left. SECURITY: in memory alone, because filters may hold what tokens do. */
const useLastQueries = createVaultStore<LastQueries>(() => ({ queries: {}, searches: {} }))

const { getState, setState } = useLastQueries

export function rememberQuery(screen: Screen, query: ListQuery): void {
  setState(({ queries }) => ({ queries: { ...queries, [screen]: query } }))
}

export function rememberSearch(screen: Screen, search: string): void {
  setState(({ searches }) => ({ searches: { ...searches, [screen]: search } }))
}

export function getLastSearch(screen: Screen): string {
  return getState().searches[screen] ?? ''
}

/** Where a screen was left; without filters if it is the open one. */
export function getScreenHref(screen: Screen): string {
  return screen === currentRoute().screen ? toHref(screen) : getListHref(screen)
}

/** The list of a screen as it was left. */
export function getListHref(screen: Screen): string {
  return toHref(screen, null, getState().queries[screen])
}
