import { create, type StateCreator, type StoreApi, type UseBoundStore } from 'zustand'

const resets = new Set<() => void>()
let locks = 0

/** Creates a store for contents of the open vault; locking the vault resets it. */
export function createVaultStore<T>(initializer: StateCreator<T>): UseBoundStore<StoreApi<T>> {
  const store = create<T>(initializer)
  resets.add(() => store.setState(store.getInitialState(), true))
  return store
}

/** Keeps what belongs to the open vault and is shown nowhere; locking the vault resets it. */
export function createVaultState<T>(initial: () => T): { current: T } {
  const state = { current: initial() }
  resets.add(() => {
    state.current = initial()
  })
  return state
}

/** Resets every vault store. */
export function resetStores(): void {
  locks++
  for (const reset of resets) reset()
}

/**
 * Returns a check that the vault open now is still open. SECURITY: an answer goes into a store only while that holds,
 * or the next vault would show it.
 */
export function createOpenCheck(): () => boolean {
  const before = locks
  return () => before === locks
}
