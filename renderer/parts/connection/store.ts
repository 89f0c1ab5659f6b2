import { create, type StateCreator, type StoreApi, type UseBoundStore } from 'zustand'

const resets = new Set<() => void>()
let locks = 0

/** A store of what is in the open vault: it starts anew when the vault is locked. */
export function vaultStore<T>(initializer: StateCreator<T>): UseBoundStore<StoreApi<T>> {
  const store = create<T>(initializer)
  resets.add(() => store.setState(store.getInitialState(), true))
  return store
}

/** Drops everything that was read from the vault. */
export function forgetVault(): void {
  locks++
  for (const reset of resets) reset()
}

/**
 * Whether the vault that is open now still is. SECURITY: what a vault answered goes into a store only while it is,
 * or it would be shown in the next one.
 */
export function whileOpen(): () => boolean {
  const before = locks
  return () => before === locks
}
