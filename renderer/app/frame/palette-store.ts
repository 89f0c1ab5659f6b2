import { createSpotlight } from '@mantine/spotlight'

/** The store of the palette, and what opens it. */
export const [paletteStore, palette] = createSpotlight()

/** Puts the mark of the hit that Enter runs onto the first one, for a list that changed while nobody typed. */
export function markFirst(listId: string): void {
  const list = document.getElementById(listId)
  const [first] = list?.querySelectorAll('[data-action]') ?? []
  if (!first) return
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
  first.setAttribute('data-selected', 'true')
  paletteStore.updateState((state) => ({ ...state, selected: 0 }))
}
