import { useSyncExternalStore } from 'react'

/** Whose time: the vault's, which tests can move, or the one of this machine. */
export type Clock = 'vault' | 'machine'

const STEP_MS = 1000
/** A status that comes late says a little less than the clock shows; one that says much less is of a clock that was set back. */
const MAX_LAG_MS = 5000

/** The lead of the vault's clock over this machine's, in ms. */
let lead = 0
/** The moment, by this machine, that everything on the page shows its ages for; null while nothing shows one. */
let displayedAt: number | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** The vault's time in epoch ms. */
export function getVaultNow(): number {
  return Date.now() + lead
}

/** Learns the vault's time from a status of it; null where no vault is open. */
export function setVaultNow(now: string | null): void {
  const next = now === null ? 0 : Date.parse(now) - Date.now()
  if (next === lead || (now !== null && next < lead && next > lead - MAX_LAG_MS)) return
  lead = next
  if (displayedAt !== null) tickClock()
}

/** Shows the time that it is, and again with every second of the vault. */
function tickClock(): void {
  clearTimeout(timer)
  displayedAt = Date.now()
  timer = setTimeout(tickClock, STEP_MS - ((displayedAt + lead) % STEP_MS))
  for (const listener of listeners) listener()
}

/** A hidden page's timers sleep. */
function tickIfVisible(): void {
  if (document.visibilityState === 'visible') tickClock()
}

/** Calls the listener with every second; returns a function that stops it. */
export function subscribeToClock(listener: () => void): () => void {
  if (listeners.size === 0) {
    globalThis.document?.addEventListener('visibilitychange', tickIfVisible)
    tickClock()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    globalThis.document?.removeEventListener('visibilitychange', tickIfVisible)
    clearTimeout(timer)
    displayedAt = null
  }
}

/** The moment that the page shows, in epoch ms: the same for every age on it. */
export function getDisplayedNow(clock: Clock = 'vault'): number {
  return (displayedAt ?? Date.now()) + (clock === 'vault' ? lead : 0)
}

/**
 * What `read` makes of the moment that the page shows. It is read with every second, by one timer, and the component is
 * rendered again only if it became another text.
 */
export function useClock<T extends string | boolean>(read: (now: number) => T, clock?: Clock): T {
  return useSyncExternalStore(subscribeToClock, () => read(getDisplayedNow(clock)))
}
