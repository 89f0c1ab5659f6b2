import type { Placeholder } from '../protocol.ts'
import type { Core } from './core.ts'
import { findCore } from './find-core.ts'

type PayloadLeaf = { readonly core: Core; readonly method?: string; readonly format?: string }

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
 * Copies a payload for the data frame, with a placeholder for each element. Calls `onElement` for each, which
 * throws if the element may not be read.
 */
export function withPlaceholders(payload: unknown, onElement: (core: Core) => void): unknown {
  const copies = new Map<object, unknown>()
  const copyValue = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return isSerializable(value) ? value : undefined
    const leaf = findElementLeaf(value)
    if (!leaf) return isPlain(value) ? copyMembers(value) : asJson(value)
    onElement(leaf.core)
    return toPlaceholder(leaf)
  }
  const copyMembers = (value: object): unknown => {
    const existing = copies.get(value)
    if (existing !== undefined) return existing
    const result: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
    copies.set(value, result)
    for (const [key, each] of Object.entries(value)) defineMember(result, key, copyValue(each))
    return result
  }
  return copyValue(payload)
}

/** Defines a member rather than assigning it, so that `__proto__` is an ordinary key. */
function defineMember(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function isSerializable(value: unknown): boolean {
  return typeof value !== 'function' && typeof value !== 'symbol'
}

function toPlaceholder({ core, method, format }: PayloadLeaf): Placeholder {
  return {
    $element: core.id,
    ...(method !== undefined && { method }),
    ...(format !== undefined && { format }),
  }
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
  // Accept plain objects of other realms too: their prototype is the Object.prototype of that realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** An object as a JSON request would contain it; undefined if it cannot be serialized. */
function asJson(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    // Circular, or not serializable.
    return undefined
  }
}
