import { create, type StateCreator, type StoreApi, type UseBoundStore } from 'zustand'

const resets = new Set<() => void>()

/** A store of what is in the open vault: it starts anew when the vault is locked. */
export function vaultStore<T>(initializer: StateCreator<T>): UseBoundStore<StoreApi<T>> {
  const store = create<T>(initializer)
  resets.add(() => store.setState(store.getInitialState(), true))
  return store
}

/** Drops everything that was read from the vault. */
export function forgetVault(): void {
  for (const reset of resets) reset()
}
