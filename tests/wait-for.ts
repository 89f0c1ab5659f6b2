import { vi } from 'vitest'

/** Repeats `check` until it succeeds, for at most 100 seconds. Returns its result. */
export function waitFor<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 100_000, interval: 20 })
}
