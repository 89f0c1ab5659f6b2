import type { Core } from './core.ts'

/**
 * The key under which an element stores its core. The core is returned by a function, because frameworks that
 * wrap objects do not wrap functions.
 */
export const coreKey = Symbol('element')

/** Finds the core of an element, even if a framework has wrapped the element. */
export function findCore(value: unknown): Core | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const get = (value as Record<symbol, unknown>)[coreKey]
  return typeof get === 'function' ? (get() as Core) : undefined
}
