import { vi } from 'vitest'

/** Waits for what must become true, however busy the machine is, and gives what `check` gives then. */
export function waitFor<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 30_000, interval: 20 })
}
