import { isObject, type Json } from '../../shared/json.ts'
import type { z } from '../../shared/zod.ts'

/** The maximum size in bytes of one member of a body; the limit of A-09 less some space for the others. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024 - 10_000
/** The maximum size in bytes of a value in a path, a query or a header. */
export const SHORT_TEXT_BYTES = 10_000
/** The number of members of a large object, just below the limit of 30,000 members, lists and objects. */
const MEMBERS = 29_000

type Schema = z.core.$ZodType
type Path = readonly (string | number)[]
/** A member of an operation's input, at any depth, with its schema. */
export type InputPath = { readonly path: Path; readonly schema: Schema }
/**
 * `room` is the maximum size of the value in bytes. `less` shortens it by about this many characters, so that it
 * differs from earlier ones, whose compiled form is cached.
 */
export type HostileValue = { readonly kind: string; make(room: number, less?: number): unknown }

/** Returns every member of an input's schema that accepts more than a few fixed values. */
export function findInputPaths(schema: Schema, path: Path = []): InputPath[] {
  const { def } = inner(schema)._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  // Deeper members need no entry, because hostile values fill their parents completely.
  if (path.length > 8) return []
  const here = { path, schema: inner(schema) }
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, each]) => findInputPaths(each, [...path, name]))
    case 'array':
      return [here, ...findInputPaths(def.element, [...path, 0])]
    case 'tuple':
      return def.items.flatMap((each, at) => findInputPaths(each, [...path, at]))
    case 'record':
      return [here, ...findInputPaths(def.valueType, [...path, 'k'])]
    case 'union':
      return def.options.flatMap((each) => findInputPaths(each, path))
    case 'intersection':
      return [...findInputPaths(def.left, path), ...findInputPaths(def.right, path)]
    case 'string':
    case 'unknown':
    case 'any':
    case 'custom':
    case 'lazy':
      return [here]
    default:
      return []
  }
}

/** Returns a schema without the wrappers of optional values and transforms. */
function inner(schema: Schema): Schema {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  if ('innerType' in def) return inner(def.innerType)
  if (def.type === 'pipe') return inner(typeOf(def.in) === 'transform' ? def.out : def.in)
  return schema
}

function typeOf(schema: Schema): string {
  return schema._zod.def.type
}

const simple: Json[] = [
  ...['x', 'a@example.com', 'https://a.test', '/a/', '2031-01-01', '12345678', 'token:read', 'card_number'],
  ...['0b9d2bd7-8a5c-4d0e-9c43-7d6c2f5a0c11', '1', '/', 'GET', 'k'],
]

/** Returns a value that a schema accepts, without optional members. */
function leastOf(given: Schema): Json {
  const schema = inner(given)
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([name, each]) =>
          each._zod.optin === 'optional' ? [] : [[name, leastOf(each)]],
        ),
      )
    case 'array':
      return [leastOf(def.element)]
    case 'tuple':
      return def.items.map(leastOf)
    case 'record':
      return {}
    case 'union':
      return leastOf(def.options[0] as Schema)
    case 'enum':
      return Object.values(def.entries)[0] as Json
    case 'literal':
      return def.values[0] as Json
    case 'boolean':
      return true
    case 'number':
      return [1, 0, 5, 100].find((each) => isTaken(schema, each)) ?? 1
    case 'string':
      return simple.find((each) => isTaken(schema, each)) ?? 'x'
    default:
      return 'x'
  }
}

/** Lengths to try, descending; they include the bounds of the schemas. */
const lengths = [
  MAX_BODY_BYTES,
  65_536,
  50_000,
  20_000,
  10_000,
  5_000,
  2_000,
  1_000,
  500,
  400,
  200,
  150,
  100,
  50,
  25,
  20,
  10,
]

/** Returns the maximum length of a schema's value: from its checks, or by trial if the checks are functions. */
function mostOf(schema: Schema, made: (length: number) => Json): number {
  const { checks = [] } = schema._zod.def as { checks?: readonly z.core.$ZodCheck[] }
  const bounds = checks.flatMap(({ _zod: { def } }) =>
    'maximum' in def && def.check === 'max_length' ? [Number(def.maximum)] : [],
  )
  if (bounds.length > 0) return Math.min(...bounds)
  return lengths.find((length) => isTaken(schema, made(length))) ?? Number.POSITIVE_INFINITY
}

function isTaken(schema: Schema, value: Json): boolean {
  return (schema as z.ZodType).safeParse(value).success
}

/** Returns an input with a value at a path. Missing parents are created. */
export function withValue(schema: Schema, whole: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  const around = inner(schema)
  const below = childOf(around, step, rest)
  const before = whole ?? leastOf(around)
  if (typeof step === 'number') {
    const list = Array.isArray(before) ? before : []
    return [...list.slice(0, step), withValue(below, list[step], rest, value), ...list.slice(step + 1)]
  }
  const object = isObject(before) ? before : {}
  return { ...object, [step]: withValue(below, object[step], rest, value) }
}

function childOf(schema: Schema, step: string | number, rest: Path): Schema {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  if (def.type === 'object') return def.shape[step] ?? schema
  if (def.type === 'array') return def.element
  if (def.type === 'tuple') return def.items[Number(step)] ?? schema
  if (def.type === 'record') return def.valueType
  if (def.type === 'intersection') return def.left
  if (def.type !== 'union') return schema
  const found = def.options
    .map(inner)
    .find((each) =>
      findInputPaths(each).some(({ path }) => [step, ...rest].every((part, at) => path[at] === part)),
    )
  return found ? childOf(found, step, rest) : schema
}

/** Strings that are repeated into a long one. Each is expensive for one of the parsers. */
const units: Readonly<Record<string, string>> = {
  letters: 'x',
  spaces: ' ',
  digits: '9',
  'line breaks': '\r\n',
  zeros: '\0',
  escapes: '\\',
  quotes: '"',
  'single quotes': "'",
  emoji: '😀',
  'combining marks': 'e\u0301\u0323',
  'lone surrogates': '\ud800',
  'percent codes': '%7B%7B',
  slashes: '/',
  folders: '/a/',
  dots: 'a.',
  at: 'a@',
  commas: 'a,',
  parentheses: '(',
  brackets: '[',
  braces: '{',
  'openings of expressions': '{{ ',
  expressions: '{{ data }}',
  'expressions of a token': '{{ 0b9d2bd7-8a5c-4d0e-9c43-7d6c2f5a0c11 }}',
  'long words of expressions': '{{ data.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | append: "b" }}',
  terms: 'type:card AND ',
  'terms of metadata': 'metadata.a:"b" AND ',
  numbers: '4242 4242 4242 4242 ',
  tags: '<a>',
  'forms of a URL': 'a=b&',
  markup: '&amp;',
  csv: '"a""b",',
  base64: 'eyJ',
}

const long = (unit: string, room: number): string => {
  const bytes = Buffer.byteLength(JSON.stringify(unit)) - 2
  return unit.repeat(Math.max(1, Math.floor(room / bytes)))
}

/** Returns a function that repeats the middle of an expression until it has the maximum size. */
const wrapped =
  (before: string, unit: string, after: string) =>
  (room: number): string =>
    before + long(unit, Math.max(1, room - before.length - 2 * after.length - 20)) + after

/** Complete strings in a language that Coffer parses. */
const texts: Readonly<Record<string, (room: number, less?: number) => string>> = {
  'a mask that never ends': () => '(x?|){40}\\b',
  'a mask of nested groups': (room) => {
    const count = Math.floor(Math.min(room, 1_000) / 3)
    return `${'('.repeat(count)}a${')?'.repeat(count)}`
  },
  'a mask of many groups': (room) => long('(a?|)', Math.min(room, 1_000)),
  'nested blocks of code': (room, less = 0) => {
    const count = Math.floor(Math.min(room, 50_000 - less) / 26)
    return `${'{let a;'.repeat(count)}{${'b;'.repeat(count * 9)}}${'}'.repeat(count)}`
  },
  'nested functions': (room, less = 0) => {
    const count = Math.floor(Math.min(room, 50_000 - less) / 12)
    return `x=${'(a=>'.repeat(count)}1${')'.repeat(count)}`
  },
  'a chain of filters': wrapped('{{ data ', '| append: "a" ', '}}'),
  'a selector of descents': wrapped("{{ data | json: '$", '..a', "' }}"),
  'a selector of filters': wrapped("{{ data | json: '$", '[?(@.a==1)]', "' }}"),
  'a selector of parentheses': wrapped("{{ data | json: '$[?", '(', "' }}"),
  'an unended expression': wrapped('{{ data | append: "', 'a', ''),
  'a quoted term': wrapped('data:"', '\\"', '"'),
  'unended escapes': wrapped('data:"', '\\\\', ''),
  'a URL': wrapped('https://', 'a.', 'test/'),
  'an address of e-mail': wrapped('', 'a.', '@example.com'),
}

/** All long strings, with a description. */
export const longTexts: readonly { readonly kind: string; make(room: number, less?: number): string }[] = [
  ...Object.entries(units).map(([kind, unit]) => ({ kind, make: (room: number) => long(unit, room) })),
  ...Object.entries(texts).map(([kind, make]) => ({ kind, make })),
]

const digits = (count: number) => JSON.rawJSON('7'.repeat(count))

/** Values for members that accept any JSON. */
const values: Readonly<Record<string, (room: number) => unknown>> = {
  'many members': () => Object.fromEntries(Array.from({ length: MEMBERS }, (_, at) => [`k${at}`, at])),
  'many lists': () => Array.from({ length: MEMBERS }, () => []),
  'many zeros': (room) => Array(Math.floor(room / 2)).fill(0),
  'many texts': (room) => Array(Math.floor(room / 4)).fill('a'),
  'many expressions': (room) => Array(Math.floor(room / 13)).fill('{{ data }}'),
  'many decimals': (room) => Array.from({ length: Math.floor(room / 5) }, () => JSON.rawJSON('1.0')),
  'long numbers': (room) => Array.from({ length: Math.floor(room / 301) }, () => digits(300)),
  'longer numbers': (room) => Array.from({ length: Math.floor(room / 5_001) }, () => digits(5_000)),
  'a number': (room) => digits(room),
  'long names': (room) =>
    Object.fromEntries(
      Array.from({ length: Math.floor(room / 1_010) }, (_, at) => [`${at}`.padStart(1_000, 'k'), 1]),
    ),
  depth: (room) => {
    const one = `${'['.repeat(60)}${']'.repeat(60)}`
    const count = Math.min(Math.floor(MEMBERS / 61), Math.floor(room / one.length))
    return JSON.parse(`[${Array(count).fill(one).join(',')}]`)
  },
  'nested members': (room) => {
    let value: unknown = long('x', room / 2)
    for (let depth = 0; depth < 60; depth++) value = { a: value }
    return value
  },
}

/** Returns the longest and most hostile values for a member, within the bounds of its schema, if any. */
export function createHostileValues({ schema }: InputPath): HostileValue[] {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  const most =
    def.type === 'string' ? mostOf(schema, (length) => 'x'.repeat(length)) : Number.POSITIVE_INFINITY
  const ofText = [
    ...Object.entries(units).map(([kind, unit]) => ({
      kind,
      // Escapes add bytes to the body but not to the parsed value.
      make: (room: number, less = 0) => long(unit, Math.min(room - less, most * 6)).slice(0, most - less),
    })),
    ...Object.entries(texts).map(([kind, make]) => ({
      kind,
      make: (room: number, less = 0) => make(Math.min(room, most) - less, less).slice(0, most),
    })),
    // These values are longer than the schema accepts.
    ...['letters', 'quotes', 'emoji'].map((kind) => ({
      kind: `too many ${kind}`,
      make: (room: number, less = 0) => long(units[kind] ?? '', room - less),
    })),
  ]
  if (def.type === 'string') return ofText
  if (def.type === 'array') {
    const one = leastOf(def.element)
    const most = mostOf(schema, (length) => Array(Math.min(length, MEMBERS)).fill(one))
    const few = Math.min(most, 500)
    const inside = findInputPaths(def.element)
    return [
      { kind: 'many items', make: (room) => Array(countOf(one, most, room)).fill(one) },
      {
        kind: 'too many items',
        make: (room) => Array(countOf(one, Number.POSITIVE_INFINITY, room)).fill(one),
      },
      ...inside.flatMap((place) =>
        createHostileValues(place).map(({ kind, make }) => ({
          kind: `items of ${kind}`,
          make(room: number, less = 0) {
            const value = make(Math.max(100, room / few), less)
            const item = withValue(def.element, undefined, place.path, value)
            return Array(countOf(item, few, room)).fill(item)
          },
        })),
      ),
    ]
  }
  if (def.type === 'record') {
    const one = leastOf(def.valueType)
    const members = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]))
    const most = mostOf(schema, (length) => members(Math.min(length, MEMBERS), one) as Json)
    const count = Math.min(most, 40)
    const inside = findInputPaths(def.valueType)
    return [
      { kind: 'many members', make: (room) => members(countOf({ k: one }, most, room), one) },
      { kind: 'too many members', make: (room) => members(countOf({ k: one }, MEMBERS, room), one) },
      { kind: 'long names', make: (room) => ({ [long('k', room)]: one, [long('é', room / 4)]: one }) },
      ...inside.flatMap((place) =>
        createHostileValues(place).map(({ kind, make }) => ({
          kind: `members of ${kind}`,
          make: (room: number, less = 0) =>
            members(count, withValue(def.valueType, undefined, place.path, make(room / count - 20, less))),
        })),
      ),
    ]
  }
  return [...Object.entries(values).map(([kind, make]) => ({ kind, make })), ...ofText]
}

function countOf(one: unknown, most: number, room: number): number {
  const length = JSON.stringify(one)?.length ?? 1
  const members = JSON.stringify(one)?.split(/[[{:]/).length ?? 1
  return Math.max(1, Math.floor(Math.min(most, room / (length + 1), MEMBERS / members)))
}
