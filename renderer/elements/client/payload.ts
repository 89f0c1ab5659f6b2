import type { Placeholder } from '../protocol.ts'
import type { Core } from './core.ts'
import { findCore } from './find-core.ts'

/** An element in a payload, with what is asked of it. */
type PayloadLeaf = { readonly core: Core; readonly method?: string; readonly format?: string }

/** Whether a payload holds an element anywhere. */
export function hasElement(payload: unknown): boolean {
  const visited = new Set<object>()
  const containsElement = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false
    if (findElementLeaf(value)) return true
    if (!isPlain(value) || visited.has(value)) return false
    visited.add(value)
    return Object.values(value).some(containsElement)
  }
  return containsElement(payload)
}

/**
 * A copy of a payload that can cross to the data frame, with a placeholder for each element. `onElement` is called with
 * each and throws if it may not be read.
 */
export function withPlaceholders(payload: unknown, onElement: (core: Core) => void): unknown {
  const copies = new Map<object, unknown>()
  const copyValue = (value: unknown): unknown => {
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    const leaf = findElementLeaf(value)
    if (leaf) {
      const { core, method, format } = leaf
      onElement(core)
      const placeholder: Placeholder = {
        $element: core.id,
        ...(method !== undefined && { method }),
        ...(format !== undefined && { format }),
      }
      return placeholder
    }
    const existing = copies.get(value)
    if (existing !== undefined) return existing
    if (!isPlain(value)) return asJson(value)
    const result: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
    copies.set(value, result)
    for (const [key, each] of Object.entries(value)) {
      // Defined, so that `__proto__` is a name like any other.
      Object.defineProperty(result, key, {
        value: copyValue(each),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return result
  }
  return copyValue(payload)
}

function findElementLeaf(value: object): PayloadLeaf | undefined {
  const own = findCore(value)
  if (own) return { core: own }
  const { element, method, formattingOptions } = value as Record<string, unknown>
  const core = typeof element === 'object' && element !== null ? findCore(element) : undefined
  if (!core) return undefined
  const { format } = (formattingOptions ?? {}) as { format?: unknown }
  return {
    core,
    ...(typeof method === 'string' && { method }),
    ...(typeof format === 'string' && { format }),
  }
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  // Of another realm too: its prototype is the end of its chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** What a request would carry of it. */
function asJson(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    // It refers to itself, or cannot be written.
    return undefined
  }
}
