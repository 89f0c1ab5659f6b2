import { createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json, type JsonObject } from '../../../../shared/json.ts'
import { sanitizeName } from '../../../../shared/problems.ts'

const MAX_DEPTH = 64

/**
 * Returns a copy of a payload. Calls `replace` for each value and uses its result. If the result is undefined, copies
 * the value and visits its members. `replace` gets a function that builds the path of the value only when needed,
 * because a payload may have very many values. Call that function before `replace` returns. Throws `invalid` for a
 * payload nested deeper than 64 levels.
 */
export function mapPayload(
  value: Json,
  replace: (value: Json, path: () => string) => Json | undefined,
  path = () => '',
  depth = 0,
): Json {
  const replaced = replace(value, path)
  if (replaced !== undefined) return replaced
  if (!Array.isArray(value) && !isObject(value)) return value
  if (depth >= MAX_DEPTH)
    throw createInvalidError('body', `must not be nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) {
    // Uses one function for all items, because creating one for each of a million items would take longer than visiting
    // them.
    let at = 0
    const formatItemPath = () => `${path()}[${at}]`
    return value.map((item, index) => {
      at = index
      return mapPayload(item, replace, formatItemPath, depth + 1)
    })
  }
  // SECURITY: fromEntries defines own properties, so a member `__proto__` stays a member and does not set the
  // prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      mapPayload(item, replace, () => joinPath(path(), key), depth + 1),
    ]),
  )
}

/**
 * Calls `visit` with each value of a payload, in order, and a function that returns the value's path. Visits the items
 * and members of a value unless `visit` returns true. Copies nothing. Throws `invalid` for a payload nested deeper than
 * 64 levels.
 */
export function visitPayload(
  value: Json,
  visit: (value: Json, path: () => string) => boolean,
  path = () => '',
  depth = 0,
): void {
  if (visit(value, path) || (!Array.isArray(value) && !isObject(value))) return
  if (depth >= MAX_DEPTH)
    throw createInvalidError('body', `must not be nested deeper than ${MAX_DEPTH} levels`)
  if (!Array.isArray(value)) {
    for (const [key, item] of Object.entries(value))
      visitPayload(item, visit, () => joinPath(path(), key), depth + 1)
    return
  }
  let at = 0
  const formatItemPath = () => `${path()}[${at}]`
  // An iterator would take far longer over a million numbers.
  for (; at < value.length; at++) visitPayload(value[at] ?? null, visit, formatItemPath, depth + 1)
}

/** Like `visitPayload`, but calls `visit` only with strings, because a call for each number would take too long. */
export function visitTexts(
  value: Json,
  visit: (text: string, path: () => string) => void,
  path = () => '',
  depth = 0,
): void {
  if (typeof value === 'string') visit(value, path)
  if (!Array.isArray(value) && !isObject(value)) return
  if (depth >= MAX_DEPTH)
    throw createInvalidError('body', `must not be nested deeper than ${MAX_DEPTH} levels`)
  if (!Array.isArray(value)) {
    for (const [key, item] of Object.entries(value))
      visitTexts(item, visit, () => joinPath(path(), key), depth + 1)
    return
  }
  let at = 0
  const formatItemPath = () => `${path()}[${at}]`
  for (; at < value.length; at++) {
    const item = value[at] ?? null
    if (typeof item === 'string' || typeof item === 'object')
      visitTexts(item, visit, formatItemPath, depth + 1)
  }
}

/**
 * Calls `visit` with each object of a payload, in order, and visits its members unless `visit` returns true. Faster
 * than `visitPayload` for long arrays of numbers. Throws `invalid` for a payload nested deeper than 64 levels.
 */
export function visitObjects(value: Json, visit: (value: JsonObject) => boolean, depth = 0): void {
  if (isObject(value) ? visit(value) : !Array.isArray(value)) return
  if (depth >= MAX_DEPTH)
    throw createInvalidError('body', `must not be nested deeper than ${MAX_DEPTH} levels`)
  const items = Array.isArray(value) ? value : Object.values(value as JsonObject)
  for (let at = 0; at < items.length; at++) {
    const item = items[at] ?? null
    if (typeof item === 'object') visitObjects(item, visit, depth + 1)
  }
}

function joinPath(path: string, key: string): string {
  return path === '' ? sanitizeName(key) : `${path}.${sanitizeName(key)}`
}
