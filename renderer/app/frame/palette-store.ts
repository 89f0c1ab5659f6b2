import { createSpotlight } from '@mantine/spotlight'
import { createVaultStore } from '../../parts/connection/store.ts'

/** The palette's store, and the functions that open and close it. */
export const [paletteStore, palette] = createSpotlight()

const MAX_RECENT = 5

/** Ids of recently used entries, newest first. */
export const useRecent = createVaultStore<{ readonly ids: readonly string[] }>(() => ({ ids: [] }))

export function rememberUsed(id: string): void {
  useRecent.setState(({ ids }) => ({ ids: [id, ...ids.filter((each) => each !== id)].slice(0, MAX_RECENT) }))
}

/** Selects the first result when the results change without typing, because Enter runs the selected result. */
export function selectFirst(listId: string): void {
  const list = document.getElementById(listId)
  const [first] = list?.querySelectorAll('[data-action]') ?? []
  if (!first) return
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  first.setAttribute('data-selected', 'true')
  paletteStore.updateState((state) => ({ ...state, selected: 0 }))
}
