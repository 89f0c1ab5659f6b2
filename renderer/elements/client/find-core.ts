import type { Core } from './core.ts'

/**
 * The key of an element's core, which is stored as a function: frameworks that wrap objects leave functions
 * alone.
 */
export const coreKey = Symbol('element')

/** Finds the core of an element, even if a framework has wrapped the element. */
export function findCore(value: unknown): Core | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const get = (value as Record<symbol, unknown>)[coreKey]
  return typeof get === 'function' ? (get() as Core) : undefined
}
