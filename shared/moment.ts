import { createInvalidError } from './errors.ts'
import { momentPatterns } from './schemas/moment.ts'

const MINUTE_MS = 60_000
const MAX_OFFSET_MINUTES = 14 * 60

/**
 * Parses the time at which a token or an application expires (T-14). Accepts and returns the same forms as
 * `parseMoment`. Throws `invalid` for any other form, and for a time before `now` (epoch milliseconds).
 */
export function parseExpiresAt(value: string, now: number, path: string): { at: number; text: string } {
  const moment = parseMoment(value, path)
  if (moment.at < now) throw createInvalidError(path, 'must not be in the past')
  return moment
}

/**
 * Parses a moment as callers write it: an ISO date-time, `YYYY-MM-DD`, `M/D/YYYY` or `M/D/YYYY h:mm:ss AM ±hh:mm`.
 * Without an offset it is UTC; without a time, 00:00 UTC. Returns epoch milliseconds, and ISO text with the original
 * offset. Throws `invalid` for anything else, and for a date that does not exist.
 */
export function parseMoment(value: string, path: string): { at: number; text: string } {
  const parts = momentPatterns.map((pattern) => pattern.exec(value)).find((match) => match !== null)?.groups
  if (!parts) {
    throw createInvalidError(
      path,
      'must be an ISO 8601 date-time, YYYY-MM-DD, M/D/YYYY or M/D/YYYY h:mm:ss AM ±hh:mm',
    )
  }
  const offset = parseOffsetMinutes(parts.offset)
  const local = toLocalMs(parts)
  if (local === undefined || offset === undefined)
    throw createInvalidError(path, 'must be a date and time that exist')
  const at = local - offset * MINUTE_MS
  return { at, text: new Date(local).toISOString().replace('Z', formatOffset(offset)) }
}

/** Returns the epoch milliseconds of the date and time in UTC, or undefined if they do not exist. */
function toLocalMs(parts: Record<string, string | undefined>): number | undefined {
  const [year, month, day] = [Number(parts.year), Number(parts.month), Number(parts.day)]
  const [minute, second] = [Number(parts.minute ?? 0), Number(parts.second ?? 0)]
  const hour = toHourOfDay(Number(parts.hour ?? 0), parts.half?.toLowerCase())
  if (hour === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  const ms = Date.UTC(year, month - 1, day, hour, minute, second, parseMilliseconds(parts.fraction))
  const date = new Date(ms)
  // Date.UTC carries 30 February into March and reads year 30 as 1930.
  const exists =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? ms : undefined
}

function toHourOfDay(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half === 'p' ? 12 : 0)
}

function parseMilliseconds(fraction = ''): number {
  return Number(fraction.padEnd(3, '0').slice(0, 3))
}

function parseOffsetMinutes(offset: string | undefined): number | undefined {
  if (offset === undefined || /^z$/i.test(offset)) return 0
  const digits = offset.replace(':', '').slice(1)
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || 0)]
  const total = hours * 60 + minutes
  if (minutes > 59 || total > MAX_OFFSET_MINUTES) return undefined
  return offset.startsWith('-') ? -total : total
}

function formatOffset(offset: number): string {
  const total = Math.abs(offset)
  const padTwo = (value: number) => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${padTwo(Math.floor(total / 60))}:${padTwo(total % 60)}`
}
