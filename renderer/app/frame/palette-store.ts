import { createSpotlight } from '@mantine/spotlight'
import { create } from 'zustand'

/** The palette's store, and the functions that open and close it. */
export const [paletteStore, palette] = createSpotlight()

const MAX_RECENT = 5

/** Ids of recently used entries, newest first. Cleared when the vault is locked or another one opens. */
export const useRecent = create<{ readonly ids: readonly string[] }>(() => ({ ids: [] }))

export function rememberUsed(id: string): void {
  useRecent.setState(({ ids }) => ({
    ids: [id, ...ids.filter((each) => each !== id)].slice(0, MAX_RECENT),
  }))
}

/** Clears the recent entries, when the vault is locked or another one opens. */
export function clearUsed(): void {
  useRecent.setState({ ids: [] })
}

/**
 * Selects the first result when the results change without typing, because Enter runs the selected result.
 */
export function selectFirst(listId: string): void {
  const list = document.getElementById(listId)
  const [first] = list?.querySelectorAll('[data-action]') ?? []
  if (!first) return
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  first.setAttribute('data-selected', 'true')
  paletteStore.updateState((state) => ({ ...state, selected: 0 }))
}
