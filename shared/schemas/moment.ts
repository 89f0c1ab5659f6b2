import { z } from '../zod.ts'
import { withJsonSchema } from './common.ts'

/** The accepted forms of a moment (rule T-14). */
export const momentPatterns = [
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[Tt ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)?(?: ?(?<offset>[Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?: (?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?[ \u202f]?(?<half>[AaPp])[Mm](?: ?(?<offset>[Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/,
] as const

/** The values of each part, of two digits or, in the second form, of one or two. */
const values: Readonly<Record<string, string>> = {
  'year \\d{4}': '(?:0[1-9]|[1-9][0-9])[0-9]{2}',
  'month \\d{2}': '0[1-9]|1[0-2]',
  'month \\d{1,2}': '0?[1-9]|1[0-2]',
  'day \\d{2}': '0[1-9]|[12][0-9]|3[01]',
  'day \\d{1,2}': '0?[1-9]|[12][0-9]|3[01]',
  'hour \\d{2}': '[01][0-9]|2[0-3]',
  'hour \\d{1,2}': '0?[1-9]|1[0-2]',
  'minute \\d{2}': '[0-5][0-9]',
  'second \\d{2}': '[0-5][0-9]',
  'offset [Zz]|[+-]\\d{2}(?::?\\d{2})?': '[Zz]|[+-](?:(?:0[0-9]|1[0-3])(?::?[0-5][0-9])?|14(?::?00)?)',
}

// The same patterns for other languages, in which named groups are written differently and \d may match digits of other
// scripts. They name only the values of each part that exist.
const pattern = momentPatterns
  .map(({ source }) =>
    source
      .replace(/\(\?<(\w+)>((?:[^()]|\([^()]*\))*)\)/g, (_, part: string, digits: string) => {
        return `(?:${values[`${part} ${digits}`] ?? digits})`
      })
      .replaceAll('\\d', '[0-9]'),
  )
  .join('|')

/** A moment as callers write it, in UTC if it has no offset (rule T-14). Whether the date exists is checked later. */
export const moment = withJsonSchema(z.string().max(64), { type: 'string', maxLength: 64, pattern })
