import type { Placeholder } from '../protocol.ts'
import type { Core } from './core.ts'
import { coreOf } from './own.ts'

/** An element in a payload, with what is asked of it. */
type Leaf = { readonly core: Core; readonly method?: string; readonly format?: string }

/** Whether a payload holds an element anywhere. */
export function hasElement(payload: unknown): boolean {
  const seen = new Set<object>()
  const search = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false
    if (leafOf(value)) return true
    if (!isPlain(value) || seen.has(value)) return false
    seen.add(value)
    return Object.values(value).some(search)
  }
  return search(payload)
}

/**
 * A copy of a payload that can cross to the data frame, with a placeholder for each element. `onElement` is called with
 * each and throws if it may not be read.
 */
export function withPlaceholders(payload: unknown, onElement: (core: Core) => void): unknown {
  const copies = new Map<object, unknown>()
  const copy = (value: unknown): unknown => {
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    const leaf = leafOf(value)
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
    const done = copies.get(value)
    if (done !== undefined) return done
    if (!isPlain(value)) return asJson(value)
    const made: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
    copies.set(value, made)
    for (const [key, each] of Object.entries(value)) {
      // Defined, so that `__proto__` is a name like any other.
      Object.defineProperty(made, key, {
        value: copy(each),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return made
  }
  return copy(payload)
}

function leafOf(value: object): Leaf | undefined {
  const own = coreOf(value)
  if (own) return { core: own }
  const { element, method, formattingOptions } = value as Record<string, unknown>
  const core = typeof element === 'object' && element !== null ? coreOf(element) : undefined
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
