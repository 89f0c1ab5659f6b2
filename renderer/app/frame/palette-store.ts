import { createSpotlight } from '@mantine/spotlight'

/** The store of the palette, and what opens it. */
export const [paletteStore, palette] = createSpotlight()

/** Selects the first hit, the one Enter runs, after the list changed without typing. */
export function markFirst(listId: string): void {
  const list = document.getElementById(listId)
  const [first] = list?.querySelectorAll('[data-action]') ?? []
  if (!first) return
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  first.setAttribute('data-selected', 'true')
  paletteStore.updateState((state) => ({ ...state, selected: 0 }))
}
