import { create } from 'zustand'

export type Gone = {
  /** When Coffer was last heard from, in epoch ms. */
  readonly since: number
  /** `silent` if nothing answers; otherwise Coffer answers that this page is not signed in, or no longer. */
  readonly why: 'silent' | 'signed out' | 'restarted'
}

/** Whether Coffer is unreachable, and since when; null while it is reachable. */
export const useReach = create<{ gone: Gone | null }>(() => ({ gone: null }))

const { getState, setState } = useReach
const listeners = new Set<() => unknown>()

/** Marks Coffer as unreachable; it was last heard from at `since`. */
export function lost(why: Gone['why'], since: number): void {
  const { gone } = getState()
  if (gone?.why !== why) setState({ gone: { why, since: gone?.since ?? since } })
}

/** Marks Coffer as reachable again. Events may have been missed, so whatever is shown is reloaded. */
export function returned(): void {
  setState({ gone: null })
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
