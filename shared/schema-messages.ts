import type { z } from './zod.ts'

/** The values of a query parameter that occurs more than once, so that a message can say so. */
export class Repeated extends Array<string> {}

type SchemaIssue = Parameters<NonNullable<ReturnType<typeof z.config>['customError']>>[0]

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}
const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'an ISO 8601 date-time with an offset',
}
const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
}

function describeBound(origin: string, edge: string, bound: number | bigint): string {
  const unit = units[origin]?.[bound === 1 ? 0 : 1]
  const amount = bound.toLocaleString('en')
  return unit === undefined ? `must be ${edge} ${amount}` : `must have ${edge} ${amount} ${unit}`
}

/** Returns the message of a union whose parts differ in their JSON type. */
function describeAlternatives(issues: readonly z.core.$ZodIssue[][]): string | undefined {
  const kindNames = issues.map(([first]) =>
    first?.code === 'invalid_type' ? kinds[first.expected] : undefined,
  )
  const known = [...new Set(kindNames)].filter((kind) => kind !== undefined)
  return known.length > 0 && !kindNames.includes(undefined) ? `must be ${known.join(' or ')}` : undefined
}

function describeIssue(issue: SchemaIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] && `must be ${kinds[issue.expected]}`
    case 'invalid_format':
      return formats[issue.format] && `must be ${formats[issue.format]}`
    case 'invalid_union':
      return describeAlternatives(issue.errors)
    case 'too_small':
      if (issue.minimum === 1 && units[issue.origin]) return 'must not be empty'
      return describeBound(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)
    case 'too_big':
      return describeBound(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_key':
      return issue.issues[0] && `has a name that ${issue.issues[0].message}`
    default:
      return undefined
  }
}

/** Returns the message for an issue whose schema has none: what is expected, never the value (rule A-05). */
export function getIssueMessage(issue: SchemaIssue): string {
  if (issue.input === undefined) return 'is required'
  if (issue.input instanceof Repeated) return 'must be given only once'
  return describeIssue(issue) ?? 'has an unexpected value'
}
