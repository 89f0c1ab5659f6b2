import type { z } from 'zod'

type Issue = Parameters<NonNullable<ReturnType<typeof z.config>['customError']>>[0]

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const units: Readonly<Record<string, string>> = { string: 'characters', array: 'items' }

function boundText(origin: string, edge: string, bound: number | bigint): string {
  const unit = units[origin]
  return unit === undefined ? `must be ${edge} ${bound}` : `must have ${edge} ${bound} ${unit}`
}

/** What a schema that says nothing itself expects, as the rest of the interface says it; never the value (rule A-05). */
export function messageOf(issue: Issue): string | undefined {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type': {
      const kind = kinds[issue.expected]
      return kind && `must be ${kind}`
    }
    case 'too_small':
      if (issue.minimum === 1 && units[issue.origin]) return 'must not be empty'
      return boundText(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)
    case 'too_big':
      return boundText(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    default:
      return undefined
  }
}
