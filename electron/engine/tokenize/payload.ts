import { invalid } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { safeName } from '../../../shared/problems.ts'

const DEEPEST = 64

/**
 * Returns a copy of a payload, with each value that `replace` returns a result for replaced by it. Other values are
 * kept, and their members visited. A path is written out only where it is asked for: a request may hold very many
 * places, and not after `replace` has returned. Throws `invalid` for a payload nested too deeply.
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
  if (depth >= DEEPEST) throw invalid('body', `must not be nested deeper than ${DEEPEST} levels`)
  if (Array.isArray(value)) {
    // One function for all items: to make one for each of a million would take longer than to look at them.
    let at = 0
    const pathOfItem = () => `${path()}[${at}]`
    return value.map((item, index) => {
      at = index
      return mapPayload(item, replace, pathOfItem, depth + 1)
    })
  }
  // SECURITY: fromEntries defines members, so `__proto__` stays a member and sets no prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      mapPayload(item, replace, () => memberOf(path(), key), depth + 1),
    ]),
  )
}

/**
 * Calls `visit` with each text of a payload, in order, and what tells its path; nothing is copied. Throws `invalid` for a
 * payload nested too deeply.
 */
export function eachText(
  value: Json,
  visit: (text: string, path: () => string) => void,
  path = () => '',
  depth = 0,
): void {
  if (typeof value === 'string') visit(value, path)
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value) && !isObject(value)) return
  if (depth >= DEEPEST) throw invalid('body', `must not be nested deeper than ${DEEPEST} levels`)
  if (!Array.isArray(value)) {
    for (const [key, item] of Object.entries(value))
      eachText(item, visit, () => memberOf(path(), key), depth + 1)
    return
  }
  let at = 0
  const pathOfItem = () => `${path()}[${at}]`
  for (; at < value.length; at++) eachText(value[at] ?? null, visit, pathOfItem, depth + 1)
}

function memberOf(path: string, key: string): string {
  return path === '' ? safeName(key) : `${path}.${safeName(key)}`
}
