import { isNumber } from '../../../../shared/json.ts'
import { defineFilter } from '../filter.ts'
import { defineTextParam } from '../params.ts'
import type { Value } from '../value.ts'
import { compileFormat } from './strftime.ts'

/**
 * `date: '%Y-%m-%d'`, as in standard Liquid, but always in UTC and in English, so that an expression gives the same
 * result on every machine. A value that is not a date is returned unchanged.
 */
export const date = defineFilter('date', [defineTextParam('format')], (format) => {
  const write = compileFormat(format)
  return (value) => {
    const time = parseTime(value)
    return Number.isNaN(time) || format === '' ? value : write(new Date(time))
  }
})

const ZONED =
  /(?:\b(?:Z|UT|UTC|GMT|[ECMP][SD]T)|\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AP]M\s*)?[+-]\d{2}:?\d{2}|\dZ)$/i

function parseTime(value: Value): number {
  if (isNumber(value)) return new Date(Number(value) * 1000).getTime()
  if (typeof value !== 'string' || value.length > 100) return Number.NaN
  const trimmed = value.trim()
  if (/^-?\d{1,12}$/.test(trimmed)) return Number(trimmed) * 1000
  if (trimmed === 'now' || trimmed === 'today') return Date.now()
  if (ZONED.test(trimmed)) return Date.parse(trimmed)
  // UTC is added, because without a time zone, a date-time would be parsed in the time zone of the machine.
  return Date.parse(/\dT\d/.test(trimmed) ? `${trimmed}Z` : `${trimmed} UTC`)
}
