import { create } from 'zustand'

export type Disconnection = {
  /** When Coffer was last heard from, in epoch ms. */
  readonly since: number
  /** `silent` if nothing answers; otherwise Coffer answers that this page is not signed in, or no longer. */
  readonly why: 'silent' | 'signed out' | 'restarted'
}

/** Whether Coffer is unreachable, and since when; null while it is reachable. */
export const useConnectionState = create<{ disconnection: Disconnection | null }>(() => ({
  disconnection: null,
}))

const { getState, setState } = useConnectionState
const listeners = new Set<() => unknown>()

/** Marks Coffer as unreachable; it was last heard from at `since`. */
export function markUnreachable(why: Disconnection['why'], since: number): void {
  const { disconnection } = getState()
  if (disconnection?.why !== why) setState({ disconnection: { why, since: disconnection?.since ?? since } })
}

/** Marks Coffer as reachable again. Events may have been missed, so whatever is shown is reloaded. */
export function markReachable(): void {
  setState({ disconnection: null })
  for (const listener of listeners) listener()
}

/** Calls the listener whenever events may have been missed; returns a function that stops it. */
export function onReturn(listener: () => unknown): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads now and whenever events may have been missed; returns a function that stops it. */
export function keepLoaded(load: () => unknown): () => void {
  load()
  return onReturn(load)
}
