import { createSpotlight } from '@mantine/spotlight'
import { createVaultStore } from '../../parts/connection/store.ts'
import type { Command } from './palette-commands.ts'

const [paletteStore, { open, close }] = createSpotlight()

export { paletteStore }

/** Opens the palette. What is typed before its field has the focus is kept for it. */
export function openPalette(): void {
  open()
  window.addEventListener('keydown', keepTyped, { capture: true })
}

function keepTyped(event: KeyboardEvent): void {
  const hasFocus = event.target instanceof Element && event.target.closest('[role="dialog"]') !== null
  if (hasFocus || !paletteStore.getState().opened)
    window.removeEventListener('keydown', keepTyped, { capture: true })
  else if (!event.ctrlKey && !event.metaKey && !event.altKey) {
    // Otherwise, a letter would be a shortcut of the screen.
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') close()
    if ([...event.key].length === 1)
      paletteStore.setState((state) => ({ ...state, query: state.query + event.key }))
  }
}

const MAX_RECENT = 5

/** A used entry. What was found in the vault is kept with the view that found it. */
type Recent = { readonly id: string; readonly hit: Command | null; readonly as: string | null }

/** Recently used entries, newest first. SECURITY: only in memory, and never what was typed. */
export const useRecent = createVaultStore<{ readonly recent: readonly Recent[] }>(() => ({ recent: [] }))

export function rememberUsed(entry: Command, as: string | null): void {
  if (entry.isOnce) return
  const used = { id: entry.id, hit: entry.isHit ? entry : null, as }
  useRecent.setState(({ recent }) => ({
    recent: [used, ...recent.filter(({ id }) => id !== entry.id)].slice(0, MAX_RECENT),
  }))
}

/** Closes the palette and forgets what was typed, when the vault is locked. */
export function forgetQuery(): void {
  paletteStore.updateState((state) => ({ ...state, opened: false, query: '', selected: -1 }))
}

export function runSelected(listId: string): void {
  document.getElementById(listId)?.querySelector<HTMLElement>('[data-selected]')?.click()
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
