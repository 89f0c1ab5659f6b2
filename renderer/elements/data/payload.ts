import type { Placeholder } from '../protocol.ts'

export type PayloadElement = { readonly path: readonly string[]; readonly placeholder: Placeholder }

/** Finds every element in a payload, which may be circular. Anything but a plain object or an array is a leaf. */
export function findElements(payload: unknown): PayloadElement[] {
  const elements: PayloadElement[] = []
  const ancestors = new Set<object>()
  const walkValue = (value: unknown, path: readonly string[]) => {
    if (isPlaceholder(value)) elements.push({ path, placeholder: value })
    else if (isBranch(value) && !ancestors.has(value)) {
      ancestors.add(value)
      for (const [name, each] of Object.entries(value)) walkValue(each, [...path, name])
      ancestors.delete(value)
    }
  }
  walkValue(payload, [])
  return elements
}

export function withValues(payload: unknown, values: ReadonlyMap<Placeholder, unknown>): unknown {
  if (isPlaceholder(payload)) return values.get(payload)
  if (Array.isArray(payload)) return payload.map((each) => withValues(each, values))
  if (!isBranch(payload)) return payload
  return Object.fromEntries(Object.entries(payload).map(([name, each]) => [name, withValues(each, values)]))
}

function isPlaceholder(value: unknown): value is Placeholder {
  return isBranch(value) && typeof (value as Partial<Placeholder>).$element === 'string'
}

export function isBranch(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
