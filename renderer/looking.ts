import type { Application } from '../shared/schemas/application.ts'
import { vaultStore } from './store.ts'
import { leaving } from './unsaved.ts'
import { vaultAs } from './vault.ts'

type Looking = {
  /** The application whose eyes the window looks through; null for the owner's own. */
  readonly as: Pick<Application, 'id' | 'name' | 'type'> | null
}

export const useLooking = vaultStore<Looking>(() => ({ as: null }))

/** Looks through an application's key from now on, or as the owner again. */
export function lookAs(application: Looking['as']): void {
  leaving(() => useLooking.setState({ as: application }))
}

/** The client that lists and drawers read with: the owner's or the application's. */
export function reader() {
  return vaultAs(useLooking.getState().as?.id ?? null)
}
