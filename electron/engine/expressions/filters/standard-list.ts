import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, toComputable, toComputableDeep } from '../../../../shared/json.ts'
import { createBoundsError, MAX_STEP } from '../bounds.ts'
import { formatValue, toJson, type Value } from '../value.ts'
import type { StandardFilter } from './standard-filter.ts'

/** Converts a value to a flat array: null gives an empty one, any other value becomes the only item. */
export function toList(value: Value): Json[] {
  const plain = toJson(value)
  if (Array.isArray(plain)) return plain.flatMap((item) => (Array.isArray(item) ? toList(item) : [item]))
  return plain === null ? [] : [plain]
}

/** Reads a member of an item; null if missing. A dotted name that is no member is followed as a path. */
export function getMember(item: Json, name: string): Json {
  if (!isObject(item)) return null
  // SECURITY: reads own properties only, so that no name reaches a prototype.
  if (Object.hasOwn(item, name)) return item[name] ?? null
  const dot = name.indexOf('.')
  if (dot < 0 || !Object.hasOwn(item, name.slice(0, dot))) return null
  return getMember(item[name.slice(0, dot)] ?? null, name.slice(dot + 1))
}

/** Creates a function that returns the key by which an item is compared: the named member, or the item itself. */
function createKeyReader(property: Value | undefined): (item: Json) => Json {
  if ((property ?? null) === null) return (item) => item
  const name = formatValue(property ?? null)
  return (item) => getMember(item, name)
}

function sortItems(value: Value, key: (item: Json) => Json): Json[] {
  return toList(value)
    .map((item) => ({ item, key: key(item) }))
    .sort((one, other) => {
      if (one.key === null || other.key === null) return Number(one.key === null) - Number(other.key === null)
      return compareItems(toComputable(one.key), toComputable(other.key))
    })
    .map(({ item }) => item)
}

function compareItems(one: Json, other: Json): number {
  const isOrdered = typeof one === typeof other && (typeof one === 'string' || typeof one === 'number')
  if (isOrdered && one !== null && other !== null) return one < other ? -1 : one > other ? 1 : 0
  if (isDeepStrictEqual(one, other)) return 0
  throw new TypeError('values cannot be compared')
}

/** Creates a test whether an item's member equals `target` or, without it, is neither null nor false. */
function createMatcher(property: Value | undefined, target: Value | undefined): (item: Json) => boolean {
  const name = formatValue(property ?? null)
  const expected = toComputableDeep(toJson(target ?? null))
  if (expected === null) {
    return (item) => {
      const member = getMember(item, name)
      return member !== null && member !== false
    }
  }
  return (item) => isDeepStrictEqual(toComputableDeep(getMember(item, name)), expected)
}

/** Serializes a value so that equal values give the same string, regardless of the order of their members. */
function toCanonicalText(value: Json): string {
  return JSON.stringify(toComputableDeep(value), (_name, each: Json) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  )
}

function defineSearchFilter(
  search: (items: Json[], matches: (item: Json) => boolean) => Json,
): StandardFilter {
  return {
    minArgs: 1,
    maxArgs: 2,
    run: (value, property, target) => search(toList(value), createMatcher(property, target)),
  }
}

/** The standard filters for arrays (rule E-02). */
export const listFilters: Readonly<Record<string, StandardFilter>> = {
  compact: {
    minArgs: 0,
    maxArgs: 1,
    run: (value, property) => {
      const key = createKeyReader(property)
      return toList(value).filter((item) => key(item) !== null)
    },
  },
  concat: {
    minArgs: 1,
    maxArgs: 1,
    run: (value, more = null) => {
      if (!Array.isArray(more)) throw new TypeError('not a list')
      return [...toList(value), ...more]
    },
  },
  find: defineSearchFilter((items, matches) => items.find(matches) ?? null),
  find_index: defineSearchFilter((items, matches) => {
    const index = items.findIndex(matches)
    return index < 0 ? null : index
  }),
  first: { minArgs: 0, maxArgs: 0, run: (value) => (Array.isArray(value) ? (value[0] ?? null) : null) },
  has: defineSearchFilter((items, matches) => items.some(matches)),
  join: {
    minArgs: 0,
    maxArgs: 1,
    run: (value, separator = ' ') => {
      const items = toList(value).map(formatValue)
      const glue = formatValue(separator)
      const length = items.reduce((sum, item) => sum + item.length + glue.length, 0)
      if (length > MAX_STEP + glue.length) throw createBoundsError()
      return items.join(glue)
    },
  },
  last: { minArgs: 0, maxArgs: 0, run: (value) => (Array.isArray(value) ? (value.at(-1) ?? null) : null) },
  map: {
    minArgs: 1,
    maxArgs: 1,
    run: (value, property) => toList(value).map(createKeyReader(formatValue(property ?? null))),
  },
  reject: defineSearchFilter((items, matches) => items.filter((item) => !matches(item))),
  reverse: { minArgs: 0, maxArgs: 0, run: (value) => toList(value).reverse() },
  sort: { minArgs: 0, maxArgs: 1, run: (value, property) => sortItems(value, createKeyReader(property)) },
  sort_natural: {
    minArgs: 0,
    maxArgs: 1,
    run: (value, property) => {
      const key = createKeyReader(property)
      return sortItems(value, (item) => {
        const itemKey = key(item)
        return itemKey === null ? null : formatValue(itemKey).toLowerCase()
      })
    },
  },
  uniq: {
    minArgs: 0,
    maxArgs: 1,
    run: (value, property) => {
      const key = createKeyReader(property)
      const seenTexts = new Set<string>()
      return toList(value).filter((item) => {
        const text = toCanonicalText(key(item))
        return !seenTexts.has(text) && seenTexts.add(text)
      })
    },
  },
  where: defineSearchFilter((items, matches) => items.filter(matches)),
}
