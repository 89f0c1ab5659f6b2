import type { Core } from './core.ts'

/** Where an element keeps what it is. A function, because a framework that wraps objects passes functions on. */
export const coreKey = Symbol('element')

/** What an element is, also where a framework has wrapped it. */
export function findCore(value: unknown): Core | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const get = (value as Record<symbol, unknown>)[coreKey]
  return typeof get === 'function' ? (get() as Core) : undefined
}
