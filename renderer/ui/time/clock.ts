import { useSyncExternalStore } from 'react'

/** The vault's time, which tests can move, or this machine's. */
export type Clock = 'vault' | 'machine'

const STEP_MS = 1000
/**
 * A status that lags behind the displayed clock by less than this does not set the clock back, because
 * responses arrive late. A larger lag means that the vault's clock was set back.
 */
const MAX_LAG_MS = 5000

/** How far the vault's clock is ahead of this machine's, in ms. */
let lead = 0
/** The machine time for which every age on the page is computed; null while no age is on screen. */
let displayedAt: number | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** The vault's time in epoch ms. */
export function getVaultNow(): number {
  return Date.now() + lead
}

/** Sets the vault's clock from a status; null if no vault is open. */
export function setVaultNow(now: string | null): void {
  const next = now === null ? 0 : Date.parse(now) - Date.now()
  if (next === lead || (now !== null && next < lead && next > lead - MAX_LAG_MS)) return
  lead = next
  if (displayedAt !== null) tickClock()
}

/** Updates the displayed time now and at every following second of the vault's clock. */
function tickClock(): void {
  clearTimeout(timer)
  displayedAt = Date.now()
  timer = setTimeout(tickClock, STEP_MS - ((displayedAt + lead) % STEP_MS))
  for (const listener of listeners) listener()
}

/** Catches up when the page becomes visible: browsers suspend the timers of hidden pages. */
function tickIfVisible(): void {
  if (document.visibilityState === 'visible') tickClock()
}

/** Calls the listener every second. Returns a function that stops it. */
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

/** The time, in epoch ms, for which every age on the page is computed. */
export function getDisplayedNow(clock: Clock = 'vault'): number {
  return (displayedAt ?? Date.now()) + (clock === 'vault' ? lead : 0)
}

/**
 * Computes a value from the displayed time. One timer recomputes it every second for all components, and a
 * component renders again only if its value has changed.
 */
export function useClock<T extends string | boolean>(read: (now: number) => T, clock?: Clock): T {
  return useSyncExternalStore(subscribeToClock, () => read(getDisplayedNow(clock)))
}
