import { z } from '../zod.ts'
import { withJsonSchema } from './common.ts'

/** The accepted forms of a moment (rule T-14). */
export const momentPatterns = [
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[Tt ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)?(?: ?(?<offset>[Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?: (?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?[ \u202f]?(?<half>[AaPp])[Mm](?: ?(?<offset>[Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/,
] as const

// The same patterns for other languages, in which named groups are written differently and \d may match digits of other
// scripts.
const pattern = momentPatterns
  .map(({ source }) => source.replace(/\?<\w+>/g, '?:').replaceAll('\\d', '[0-9]'))
  .join('|')

/** A moment as callers write it, in UTC if it has no offset (rule T-14). Whether the date exists is checked later. */
export const moment = withJsonSchema(z.string().max(64), { type: 'string', maxLength: 64, pattern })
