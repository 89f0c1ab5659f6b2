import { isObject, type Json } from '../../shared/json.ts'
import type { z } from '../../shared/zod.ts'

/** The maximum size in bytes of one member of a body; the limit of A-09 less some space for the others. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024 - 10_000
/** The maximum size in bytes of a value in a path, a query or a header. */
export const SHORT_TEXT_BYTES = 10_000
/** The number of members of a large object, just below the limit of 30,000 members, lists and objects. */
const MEMBERS = 29_000

type HostileSchema = z.core.$ZodType
type InputSteps = readonly (string | number)[]
/** A member of an operation's input, at any depth, with its schema. */
export type InputPath = { readonly path: InputSteps; readonly schema: HostileSchema }
/**
 * `bytes` is the maximum size of the value in bytes. `less` shortens the value by about this many characters, so that
 * it is not an earlier value, whose compiled form is cached.
 */
export type HostileValue = { readonly kind: string; make(bytes: number, less?: number): unknown }

/** Returns every member of an input's schema that accepts more than a few fixed values. */
export function findInputPaths(schema: HostileSchema, path: InputSteps = []): InputPath[] {
  const { def } = unwrapSchema(schema)._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  // Deeper members need no entry, because hostile values fill their parents completely.
  if (path.length > 8) return []
  const here = { path, schema: unwrapSchema(schema) }
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
function unwrapSchema(schema: HostileSchema): HostileSchema {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  if ('innerType' in def) return unwrapSchema(def.innerType)
  if (def.type === 'pipe') return unwrapSchema(getType(def.in) === 'transform' ? def.out : def.in)
  return schema
}

function getType(schema: HostileSchema): string {
  return schema._zod.def.type
}

const simple: Json[] = [
  ...['x', 'a@example.com', 'https://a.test', '/a/', '2031-01-01', '12345678', 'token:read', 'card_number'],
  ...['0b9d2bd7-8a5c-4d0e-9c43-7d6c2f5a0c11', '1', '/', 'GET', 'k'],
]

/** Returns a value that a schema accepts, without optional members. */
function createMinimalValue(wrappedSchema: HostileSchema): Json {
  const schema = unwrapSchema(wrappedSchema)
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([name, each]) =>
          each._zod.optin === 'optional' ? [] : [[name, createMinimalValue(each)]],
        ),
      )
    case 'array':
      return [createMinimalValue(def.element)]
    case 'tuple':
      return def.items.map(createMinimalValue)
    case 'record':
      return {}
    case 'union':
      return createMinimalValue(def.options[0] as HostileSchema)
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

/** The maximum lengths that were found, because trying the lengths takes up to 0.1 s. */
const maxLengths = new WeakMap<HostileSchema, number>()

/** Returns the maximum length of a schema's value: from its checks, or by trial if the checks are functions. */
function findMaxLength(schema: HostileSchema, createValue: (length: number) => Json): number {
  const found = maxLengths.get(schema) ?? tryLengths(schema, createValue)
  maxLengths.set(schema, found)
  return found
}

function tryLengths(schema: HostileSchema, createValue: (length: number) => Json): number {
  const { checks = [] } = schema._zod.def as { checks?: readonly z.core.$ZodCheck[] }
  const bounds = checks.flatMap(({ _zod: { def } }) =>
    'maximum' in def && def.check === 'max_length' ? [Number(def.maximum)] : [],
  )
  if (bounds.length > 0) return Math.min(...bounds)
  return lengths.find((length) => isTaken(schema, createValue(length))) ?? Number.POSITIVE_INFINITY
}

function isTaken(schema: HostileSchema, value: Json): boolean {
  return (schema as z.ZodType).safeParse(value).success
}

/** Returns an input with a value at a path. Missing parents are created. */
export function withValue(schema: HostileSchema, whole: unknown, path: InputSteps, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  const around = unwrapSchema(schema)
  const below = findChild(around, step, rest)
  const before = whole ?? createMinimalValue(around)
  if (typeof step === 'number') {
    const list = Array.isArray(before) ? before : []
    return [...list.slice(0, step), withValue(below, list[step], rest, value), ...list.slice(step + 1)]
  }
  const object = isObject(before) ? before : {}
  return { ...object, [step]: withValue(below, object[step], rest, value) }
}

function findChild(schema: HostileSchema, step: string | number, rest: InputSteps): HostileSchema {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  if (def.type === 'object') return def.shape[step] ?? schema
  if (def.type === 'array') return def.element
  if (def.type === 'tuple') return def.items[Number(step)] ?? schema
  if (def.type === 'record') return def.valueType
  if (def.type === 'intersection') return def.left
  if (def.type !== 'union') return schema
  const found = def.options
    .map(unwrapSchema)
    .find((each) =>
      findInputPaths(each).some(({ path }) => [step, ...rest].every((part, at) => path[at] === part)),
    )
  return found ? findChild(found, step, rest) : schema
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

const repeatUnit = (unit: string, bytes: number): string => {
  const unitBytes = Buffer.byteLength(JSON.stringify(unit)) - 2
  return unit.repeat(Math.max(1, Math.floor(bytes / unitBytes)))
}

/** Returns a function that repeats the middle of an expression until it has the maximum size. */
const repeatMiddle =
  (before: string, unit: string, after: string) =>
  (bytes: number): string =>
    before + repeatUnit(unit, Math.max(1, bytes - before.length - 2 * after.length - 20)) + after

/** Complete strings in a language that Coffer parses. */
const texts: Readonly<Record<string, (bytes: number, less?: number) => string>> = {
  'a mask that never ends': () => '(x?|){40}\\b',
  'a mask of nested groups': (bytes) => {
    const count = Math.floor(Math.min(bytes, 1_000) / 3)
    return `${'('.repeat(count)}a${')?'.repeat(count)}`
  },
  'a mask of many groups': (bytes) => repeatUnit('(a?|)', Math.min(bytes, 1_000)),
  'nested blocks of code': (bytes, less = 0) => {
    const count = Math.floor(Math.min(bytes, 50_000 - less) / 26)
    return `${'{let a;'.repeat(count)}{${'b;'.repeat(count * 9)}}${'}'.repeat(count)}`
  },
  'nested functions': (bytes, less = 0) => {
    const count = Math.floor(Math.min(bytes, 50_000 - less) / 12)
    return `x=${'(a=>'.repeat(count)}1${')'.repeat(count)}`
  },
  'a chain of filters': repeatMiddle('{{ data ', '| append: "a" ', '}}'),
  'a selector of descents': repeatMiddle("{{ data | json: '$", '..a', "' }}"),
  'a selector of filters': repeatMiddle("{{ data | json: '$", '[?(@.a==1)]', "' }}"),
  'a selector of parentheses': repeatMiddle("{{ data | json: '$[?", '(', "' }}"),
  'an unended expression': repeatMiddle('{{ data | append: "', 'a', ''),
  'a quoted term': repeatMiddle('data:"', '\\"', '"'),
  'unended escapes': repeatMiddle('data:"', '\\\\', ''),
  'a URL': repeatMiddle('https://', 'a.', 'test/'),
  'an address of e-mail': repeatMiddle('', 'a.', '@example.com'),
}

/** All long strings, with a description. */
export const longTexts: readonly { readonly kind: string; make(bytes: number, less?: number): string }[] = [
  ...Object.entries(units).map(([kind, unit]) => ({
    kind,
    make: (bytes: number) => repeatUnit(unit, bytes),
  })),
  ...Object.entries(texts).map(([kind, make]) => ({ kind, make })),
]

const createDigits = (count: number) => JSON.rawJSON('7'.repeat(count))

/** Values for members that accept any JSON. */
const values: Readonly<Record<string, (bytes: number) => unknown>> = {
  'many members': () => Object.fromEntries(Array.from({ length: MEMBERS }, (_, at) => [`k${at}`, at])),
  'many lists': () => Array.from({ length: MEMBERS }, () => []),
  'many zeros': (bytes) => Array(Math.floor(bytes / 2)).fill(0),
  'many texts': (bytes) => Array(Math.floor(bytes / 4)).fill('a'),
  'many expressions': (bytes) => Array(Math.floor(bytes / 13)).fill('{{ data }}'),
  'many decimals': (bytes) => Array.from({ length: Math.floor(bytes / 5) }, () => JSON.rawJSON('1.0')),
  'long numbers': (bytes) => Array.from({ length: Math.floor(bytes / 301) }, () => createDigits(300)),
  'longer numbers': (bytes) => Array.from({ length: Math.floor(bytes / 5_001) }, () => createDigits(5_000)),
  'a number': (bytes) => createDigits(bytes),
  'long names': (bytes) =>
    Object.fromEntries(
      Array.from({ length: Math.floor(bytes / 1_010) }, (_, at) => [`${at}`.padStart(1_000, 'k'), 1]),
    ),
  depth: (bytes) => {
    const one = `${'['.repeat(60)}${']'.repeat(60)}`
    const count = Math.min(Math.floor(MEMBERS / 61), Math.floor(bytes / one.length))
    return JSON.parse(`[${Array(count).fill(one).join(',')}]`)
  },
  'nested members': (bytes) => {
    let value: unknown = repeatUnit('x', bytes / 2)
    for (let depth = 0; depth < 60; depth++) value = { a: value }
    return value
  },
}

/** Returns the longest and most hostile values for a member, within the bounds of its schema, if any. */
export function createHostileValues({ schema }: InputPath): HostileValue[] {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
  const max =
    def.type === 'string' ? findMaxLength(schema, (length) => 'x'.repeat(length)) : Number.POSITIVE_INFINITY
  const ofText = [
    ...Object.entries(units).map(([kind, unit]) => ({
      kind,
      // Escapes add bytes to the body but not to the parsed value.
      make: (bytes: number, less = 0) =>
        repeatUnit(unit, Math.min(bytes - less, max * 6)).slice(0, max - less),
    })),
    ...Object.entries(texts).map(([kind, make]) => ({
      kind,
      make: (bytes: number, less = 0) => make(Math.min(bytes, max) - less, less).slice(0, max),
    })),
    // These values are longer than the schema accepts.
    ...['letters', 'quotes', 'emoji'].map((kind) => ({
      kind: `too many ${kind}`,
      make: (bytes: number, less = 0) => repeatUnit(units[kind] ?? '', bytes - less),
    })),
  ]
  if (def.type === 'string') return ofText
  if (def.type === 'array') {
    const one = createMinimalValue(def.element)
    const max = findMaxLength(schema, (length) => Array(Math.min(length, MEMBERS)).fill(one))
    const few = Math.min(max, 500)
    const inside = findInputPaths(def.element)
    return [
      { kind: 'many items', make: (bytes) => Array(countItems(one, max, bytes)).fill(one) },
      {
        kind: 'too many items',
        make: (bytes) => Array(countItems(one, Number.POSITIVE_INFINITY, bytes)).fill(one),
      },
      ...inside.flatMap((place) =>
        createHostileValues(place).map(({ kind, make }) => ({
          kind: `items of ${kind}`,
          make(bytes: number, less = 0) {
            const value = make(Math.max(100, bytes / few), less)
            const item = withValue(def.element, undefined, place.path, value)
            return Array(countItems(item, few, bytes)).fill(item)
          },
        })),
      ),
    ]
  }
  if (def.type === 'record') {
    const one = createMinimalValue(def.valueType)
    const createMembers = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]))
    const max = findMaxLength(schema, (length) => createMembers(Math.min(length, MEMBERS), one) as Json)
    const count = Math.min(max, 40)
    const inside = findInputPaths(def.valueType)
    return [
      { kind: 'many members', make: (bytes) => createMembers(countItems({ k: one }, max, bytes), one) },
      {
        kind: 'too many members',
        make: (bytes) => createMembers(countItems({ k: one }, MEMBERS, bytes), one),
      },
      {
        kind: 'long names',
        make: (bytes) => ({ [repeatUnit('k', bytes)]: one, [repeatUnit('é', bytes / 4)]: one }),
      },
      ...inside.flatMap((place) =>
        createHostileValues(place).map(({ kind, make }) => ({
          kind: `members of ${kind}`,
          make: (bytes: number, less = 0) =>
            createMembers(
              count,
              withValue(def.valueType, undefined, place.path, make(Math.max(20, bytes / count - 20), less)),
            ),
        })),
      ),
    ]
  }
  return [...Object.entries(values).map(([kind, make]) => ({ kind, make })), ...ofText]
}

function countItems(one: unknown, max: number, bytes: number): number {
  const length = JSON.stringify(one)?.length ?? 1
  const members = JSON.stringify(one)?.split(/[[{:]/).length ?? 1
  return Math.max(1, Math.floor(Math.min(max, bytes / (length + 1), MEMBERS / members)))
}
