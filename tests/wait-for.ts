import { vi } from 'vitest'

/** Waits until `check` succeeds, however busy the machine is. Returns its result. */
export function waitFor<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 30_000, interval: 20 })
}
