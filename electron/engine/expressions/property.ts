import { countCodePoints } from '../../../shared/characters.ts'
import { isObject, type Json, toComputable } from '../../../shared/json.ts'

/**
 * Follows one step of a path: a property, an index (negative from the end), `size`, `first` or `last` of an array, or
 * `size` of a string; null for anything else (E-08). On an object, `size` means the property with that name.
 */
export function getProperty(value: Json, rawKey: Json): Json {
  const key = toComputable(rawKey)
  if (Array.isArray(value)) return getItem(value, key)
  if (typeof value === 'string') return key === 'size' ? countCodePoints(value) : null
  if (!isObject(value) || (typeof key !== 'string' && typeof key !== 'number')) return null
  // SECURITY: reads own properties only, so that no path reaches a prototype.
  return Object.hasOwn(value, key) ? (value[key] ?? null) : null
}

function getItem(list: readonly Json[], key: Json): Json {
  if (key === 'size') return list.length
  if (key === 'first') return list[0] ?? null
  if (key === 'last') return list.at(-1) ?? null
  const index = typeof key === 'string' && /^-?\d{1,9}$/.test(key) ? Number(key) : key
  return Number.isInteger(index) ? (list.at(index as number) ?? null) : null
}
