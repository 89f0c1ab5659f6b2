import { create } from 'zustand'

export type Gone = {
  /** When Coffer was last heard of, in epoch ms. */
  readonly since: number
  /** Nothing answers, or it answers that this page is not signed in. */
  readonly why: 'silent' | 'signed out'
}

/** Whether what the window shows can still be kept true: null while Coffer is heard of. */
export const useReach = create<{ gone: Gone | null }>(() => ({ gone: null }))

const { getState, setState } = useReach
const listeners = new Set<() => unknown>()

/** Coffer was last heard of then. */
export function lost(why: Gone['why'], since: number): void {
  const { gone } = getState()
  if (gone?.why !== why) setState({ gone: { why, since: gone?.since ?? since } })
}

/** Coffer is there again, and events may have been missed: whatever is shown is loaded again. */
export function returned(): void {
  setState({ gone: null })
  for (const listener of listeners) listener()
}

/** Calls the listener whenever events may have been missed; gives what stops it. */
export function onReturn(listener: () => unknown): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads now and whenever events may have been missed; gives what stops it. */
export function keepLoaded(load: () => unknown): () => void {
  load()
  return onReturn(load)
}
