import { create } from 'zustand'

export type Disconnection = {
  /** When Coffer last responded, in epoch ms. */
  readonly since: number
  /**
   * `silent`: nothing responds. `signed out`: no valid session. `restarted`: the session ended with a restart. `closed`:
   * Coffer responds again, but the vault of the page is no longer open.
   */
  readonly why: 'silent' | 'signed out' | 'restarted' | 'closed'
}

/** Why and since when Coffer is unreachable; null while it is reachable. */
export const useConnectionState = create<{ disconnection: Disconnection | null }>(() => ({
  disconnection: null,
}))

const { getState, setState } = useConnectionState
const listeners = new Set<() => unknown>()

/** Marks Coffer as unreachable. `since` is the time of its last response, in epoch ms. */
export function markUnreachable(why: Disconnection['why'], since: number): void {
  const { disconnection } = getState()
  if (disconnection?.why !== why) setState({ disconnection: { why, since: disconnection?.since ?? since } })
}

/** Marks Coffer as reachable again, and reloads what is displayed, because events may have been missed. */
export function markReachable(): void {
  setState({ disconnection: null })
  for (const listener of listeners) listener()
}

/** Calls the listener whenever events may have been missed. Returns a function that unsubscribes. */
export function onReturn(listener: () => unknown): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads now and whenever events may have been missed. Returns a function that unsubscribes. */
export function keepLoaded(load: () => unknown): () => void {
  load()
  return onReturn(load)
}
