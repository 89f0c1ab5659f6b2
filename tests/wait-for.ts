import { vi } from 'vitest'

/** Repeats `check` until it succeeds, for at most 30 seconds. Returns its result. */
export function waitFor<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 30_000, interval: 20 })
}
