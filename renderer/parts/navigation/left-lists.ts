import { vaultStore } from '../connection/store.ts'
import { currentRoute } from './route.ts'
import { hrefOf, type Screen } from './route-text.ts'

type Place = Readonly<Record<string, string | undefined>>

type Left = {
  /** What the address of each list had besides an item, such as filters. */
  readonly places: Partial<Readonly<Record<Screen, Place>>>
  readonly searches: Partial<Readonly<Record<Screen, string>>>
}

/** How the lists of the open vault were left. SECURITY: in memory alone, because filters may hold what tokens do. */
const useLeft = vaultStore<Left>(() => ({ places: {}, searches: {} }))

const { getState, setState } = useLeft

export function keepPlace(screen: Screen, place: Place): void {
  setState(({ places }) => ({ places: { ...places, [screen]: place } }))
}

export function keepSearch(screen: Screen, search: string): void {
  setState(({ searches }) => ({ searches: { ...searches, [screen]: search } }))
}

export function keptSearch(screen: Screen): string {
  return getState().searches[screen] ?? ''
}

/** Where a screen was left; without filters if it is the open one. */
export function leftHref(screen: Screen): string {
  return screen === currentRoute().screen ? hrefOf(screen) : listHref(screen)
}

/** The list of a screen as it was left. */
export function listHref(screen: Screen): string {
  return hrefOf(screen, null, getState().places[screen])
}
