import { create, type StateCreator, type StoreApi, type UseBoundStore } from 'zustand'

const resets = new Set<() => void>()
let locks = 0

/** Creates a store for data of the open vault. Locking the vault resets it. */
export function createVaultStore<T>(initializer: StateCreator<T>): UseBoundStore<StoreApi<T>> {
  const store = create<T>(initializer)
  resets.add(() => store.setState(store.getInitialState(), true))
  return store
}

/** Creates a mutable value for the open vault, without rendering. Locking the vault resets it. */
export function createVaultState<T>(initial: () => T): { current: T } {
  const state = { current: initial() }
  resets.add(() => {
    state.current = initial()
  })
  return state
}

export function resetStores(): void {
  locks++
  for (const reset of resets) reset()
}

/**
 * Returns a function that tells whether the vault open now is still open. SECURITY: store a response only if
 * the vault is still open, because otherwise the next vault would show that response.
 */
export function createOpenCheck(): () => boolean {
  const before = locks
  return () => before === locks
}
