import { isDeepStrictEqual } from 'node:util'
import { computable, computableWithin, isObject, type Json } from '../../../../shared/json.ts'
import { MAX_STEP, tooMuch } from '../bounds.ts'
import { jsonOf, textOf, type Value } from '../value.ts'
import type { Standard } from './standard-filter.ts'

/** A value as a list: nested lists are flattened, null is empty, anything else is the only item. */
export function listOf(value: Value): Json[] {
  const plain = jsonOf(value)
  if (Array.isArray(plain)) return plain.flatMap((item) => (Array.isArray(item) ? listOf(item) : [item]))
  return plain === null ? [] : [plain]
}

/** A member of an item, or null. A dotted name that is not a member itself is followed as a path. */
export function memberOf(item: Json, name: string): Json {
  if (!isObject(item)) return null
  // SECURITY: own members only.
  if (Object.hasOwn(item, name)) return item[name] ?? null
  const dot = name.indexOf('.')
  if (dot < 0 || !Object.hasOwn(item, name.slice(0, dot))) return null
  return memberOf(item[name.slice(0, dot)] ?? null, name.slice(dot + 1))
}

/** What items are compared by: the named member, or the items themselves. */
function keyed(property: Value | undefined): (item: Json) => Json {
  if ((property ?? null) === null) return (item) => item
  const name = textOf(property ?? null)
  return (item) => memberOf(item, name)
}

function sorted(value: Value, key: (item: Json) => Json): Json[] {
  return listOf(value)
    .map((item) => ({ item, key: key(item) }))
    .sort((one, other) => {
      if (one.key === null || other.key === null) return Number(one.key === null) - Number(other.key === null)
      return compared(computable(one.key), computable(other.key))
    })
    .map(({ item }) => item)
}

function compared(one: Json, other: Json): number {
  const isOrdered = typeof one === typeof other && (typeof one === 'string' || typeof one === 'number')
  if (isOrdered && one !== null && other !== null) return one < other ? -1 : one > other ? 1 : 0
  if (isDeepStrictEqual(one, other)) return 0
  throw new TypeError('values that cannot be compared')
}

/** Matches an item whose member equals the value, or exists if no value is given. */
function matcher(property: Value | undefined, target: Value | undefined): (item: Json) => boolean {
  const name = textOf(property ?? null)
  const wanted = computableWithin(jsonOf(target ?? null))
  if (wanted === null) {
    return (item) => {
      const member = memberOf(item, name)
      return member !== null && member !== false
    }
  }
  return (item) => isDeepStrictEqual(computableWithin(memberOf(item, name)), wanted)
}

/** The same text for equal values, whatever the order of their members. */
function canonical(value: Json): string {
  return JSON.stringify(computableWithin(value), (_name, each: Json) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  )
}

function looking(look: (items: Json[], matches: (item: Json) => boolean) => Json): Standard {
  return {
    least: 1,
    most: 2,
    run: (value, property, target) => look(listOf(value), matcher(property, target)),
  }
}

/** The standard filters of lists (rule E-02). */
export const listFilters: Readonly<Record<string, Standard>> = {
  compact: {
    least: 0,
    most: 1,
    run: (value, property) => {
      const key = keyed(property)
      return listOf(value).filter((item) => key(item) !== null)
    },
  },
  concat: {
    least: 1,
    most: 1,
    run: (value, more = null) => {
      if (!Array.isArray(more)) throw new TypeError('not a list')
      return [...listOf(value), ...more]
    },
  },
  find: looking((items, matches) => items.find(matches) ?? null),
  find_index: looking((items, matches) => {
    const index = items.findIndex(matches)
    return index < 0 ? null : index
  }),
  first: { least: 0, most: 0, run: (value) => (Array.isArray(value) ? (value[0] ?? null) : null) },
  has: looking((items, matches) => items.some(matches)),
  join: {
    least: 0,
    most: 1,
    run: (value, separator = ' ') => {
      const items = listOf(value).map(textOf)
      const glue = textOf(separator)
      const length = items.reduce((sum, item) => sum + item.length + glue.length, 0)
      if (length > MAX_STEP + glue.length) throw tooMuch()
      return items.join(glue)
    },
  },
  last: { least: 0, most: 0, run: (value) => (Array.isArray(value) ? (value.at(-1) ?? null) : null) },
  map: {
    least: 1,
    most: 1,
    run: (value, property) => listOf(value).map(keyed(textOf(property ?? null))),
  },
  reject: looking((items, matches) => items.filter((item) => !matches(item))),
  reverse: { least: 0, most: 0, run: (value) => listOf(value).reverse() },
  sort: { least: 0, most: 1, run: (value, property) => sorted(value, keyed(property)) },
  sort_natural: {
    least: 0,
    most: 1,
    run: (value, property) => {
      const key = keyed(property)
      return sorted(value, (item) => {
        const found = key(item)
        return found === null ? null : textOf(found).toLowerCase()
      })
    },
  },
  uniq: {
    least: 0,
    most: 1,
    run: (value, property) => {
      const key = keyed(property)
      const seen = new Set<string>()
      return listOf(value).filter((item) => {
        const text = canonical(key(item))
        return !seen.has(text) && seen.add(text)
      })
    },
  },
  where: looking((items, matches) => items.filter(matches)),
}
