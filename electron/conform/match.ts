import type { Expected, ValueMatcher } from './statement.ts'

/** A place where an answer is not what was expected. Both sides are texts to print. */
export type AnswerDifference = { readonly at: string; readonly expected: string; readonly received: string }

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const isMatcher = (value: Expected): value is ValueMatcher =>
  typeof value === 'object' && value !== null && '$' in value

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists where a received value, which is undefined if it is absent, is not what was expected. */
export function listDifferences(expected: Expected, received: unknown, at: string): AnswerDifference[] {
  if (isMatcher(expected)) return matchValue(expected, received, at)
  if (Array.isArray(expected)) return compareItems(expected, received, at)
  if (isMembers(expected)) return compareMembers(expected, received, at)
  return expected === received ? [] : [createDifference(expected, received, at)]
}

function createDifference(expected: Expected, received: unknown, at: string): AnswerDifference {
  return { at, expected: describeExpected(expected), received: describeReceived(received) }
}

function compareItems(expected: readonly Expected[], received: unknown, at: string): AnswerDifference[] {
  if (!Array.isArray(received) || received.length !== expected.length)
    return [createDifference(expected, received, at)]
  return expected.flatMap((each, index) => listDifferences(each, received[index], `${at}[${index}]`))
}

function compareMembers(
  expected: Readonly<Record<string, Expected>>,
  received: unknown,
  at: string,
): AnswerDifference[] {
  if (!isMembers(received)) return [createDifference(expected, received, at)]
  return Object.entries(expected).flatMap(([name, each]) => {
    const value = Object.hasOwn(received, name) ? received[name] : undefined
    return listDifferences(each, value, at === '' ? name : `${at}.${name}`)
  })
}

function matchValue(matcher: ValueMatcher, received: unknown, at: string): AnswerDifference[] {
  switch (matcher.$) {
    case 'list':
      if (!Array.isArray(received) || received.length < matcher.min) break
      return received.flatMap((each, index) => listDifferences(matcher.of, each, `${at}[${index}]`))
    case 'exactly': {
      if (!isMembers(received)) break
      const further = Object.keys(received).filter((name) => !Object.hasOwn(matcher.members, name))
      return [
        ...compareMembers(matcher.members, received, at),
        ...further.map((name) =>
          createDifference({ $: 'absent' }, received[name], at === '' ? name : `${at}.${name}`),
        ),
      ]
    }
    default:
      if (isMatch(matcher, received)) return []
  }
  return [createDifference(matcher, received, at)]
}

type SimpleMatcher = Exclude<ValueMatcher, { readonly $: 'list' | 'exactly' }>

function isMatch(matcher: SimpleMatcher, received: unknown): boolean {
  switch (matcher.$) {
    case 'absent':
      return received === undefined
    case 'present':
      return received !== undefined
    case 'string':
    case 'number':
    case 'boolean':
      return typeof received === matcher.$
    case 'uuid':
      return typeof received === 'string' && UUID.test(received)
    case 'date':
      return typeof received === 'string' && DATE.test(received)
    case 'pattern':
      return typeof received === 'string' && new RegExp(matcher.pattern).test(received)
    case 'among':
      return matcher.values.some((each) => isEqual(each, received))
    case 'items':
      return (
        Array.isArray(received) && matcher.items.every((item) => received.some((each) => isEqual(item, each)))
      )
    case 'not':
      return !isEqual(matcher.value, received)
  }
}

const isEqual = (expected: Expected, received: unknown) =>
  listDifferences(expected, received, '').length === 0

/** Describes what was expected, in a few words or as JSON. */
function describeExpected(expected: Expected): string {
  if (Array.isArray(expected)) return `[${expected.map(describeExpected).join(', ')}]`
  if (!isMembers(expected)) return JSON.stringify(expected)
  if (!isMatcher(expected)) return describeMembers(expected)
  switch (expected.$) {
    case 'among':
      return expected.values.map(describeExpected).join(' or ')
    case 'pattern':
      return `text that matches ${expected.pattern}`
    case 'list':
      return `a list${expected.min > 0 ? ` of at least ${expected.min}` : ''}, each ${describeExpected(expected.of)}`
    case 'items':
      return `a list with ${expected.items.map(describeExpected).join(' and ')}`
    case 'exactly':
      return `only ${describeMembers(expected.members)}`
    case 'not':
      return `not ${describeExpected(expected.value)}`
    default:
      return kinds[expected.$]
  }
}

const kinds = {
  absent: 'absent',
  present: 'any value',
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  uuid: 'a UUID',
  date: 'a time with an offset',
} as const

function describeMembers(members: Readonly<Record<string, Expected>>): string {
  return `{ ${Object.entries(members)
    .map(([name, value]) => `${name}: ${describeExpected(value)}`)
    .join(', ')} }`
}

/** SECURITY: a list may have items of the tenant, so only its length is shown. */
function describeReceived(received: unknown): string {
  if (Array.isArray(received) && received.some((item) => typeof item === 'object' && item !== null))
    return `a list of ${received.length}`
  return received === undefined ? 'absent' : JSON.stringify(received)
}
