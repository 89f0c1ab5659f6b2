import { createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../shared/json.ts'

/** Parses a path such as `$.card.tokens[0]['a b']` into its steps. Throws `invalid` for any other JSONPath. */
function parseLocation(location: string, path: string): (string | number)[] {
  const steps: (string | number)[] = []
  const step = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y
  step.lastIndex = 1
  while (location.startsWith('$') && step.lastIndex < location.length) {
    const match = step.exec(location)
    if (!match) break
    const [, name, index, single, double] = match
    steps.push(
      index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index),
    )
    if (step.lastIndex === location.length) return steps
  }
  throw createInvalidError(path, 'has a location that is not a simple path, such as $.card.token')
}

/**
 * Returns a copy of a JSON value with `value` at a location. Missing objects along the way are created (rule G-05).
 * Throws `invalid` at `path` if the location leads through a value other than an object or array, or beyond the end
 * of an array.
 */
export function putAt(target: Json, location: string, value: Json, path: string): Json {
  return putValue(target, parseLocation(location, path), value, path)
}

function putValue(
  target: Json,
  [step, ...rest]: readonly (string | number)[],
  value: Json,
  path: string,
): Json {
  if (step === undefined) return value
  if (Array.isArray(target) && typeof step === 'number' && step <= target.length) {
    const list: Json[] = [...target]
    list[step] = putValue(list[step] ?? null, rest, value, path)
    return list
  }
  if ((isObject(target) || target === null) && typeof step === 'string') {
    const members = new Map(Object.entries(target ?? {}))
    members.set(step, putValue(members.get(step) ?? null, rest, value, path))
    // SECURITY: fromEntries defines properties; assigning to `__proto__` would change the prototype.
    return Object.fromEntries(members)
  }
  throw createInvalidError(path, 'has a location that does not exist in the body')
}
