import { createSpotlight } from '@mantine/spotlight'
import { create } from 'zustand'

/** The store of the palette, and what opens it. */
export const [paletteStore, palette] = createSpotlight()

const MAX_RECENT = 5

/** The ids of the entries used last, newest first. They are forgotten with the vault they belong to. */
export const useRecent = create<{ readonly ids: readonly string[] }>(() => ({ ids: [] }))

/** Remembers that an entry was used. */
export function rememberUsed(id: string): void {
  useRecent.setState(({ ids }) => ({
    ids: [id, ...ids.filter((each) => each !== id)].slice(0, MAX_RECENT),
  }))
}

/** Forgets what was used, when another vault is opened or this one is locked. */
export function clearUsed(): void {
  useRecent.setState({ ids: [] })
}

/** Selects the first hit, the one Enter runs, after the list changed without typing. */
export function selectFirst(listId: string): void {
  const list = document.getElementById(listId)
  const [first] = list?.querySelectorAll('[data-action]') ?? []
  if (!first) return
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  first.setAttribute('data-selected', 'true')
  paletteStore.updateState((state) => ({ ...state, selected: 0 }))
}
