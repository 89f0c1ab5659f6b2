import { strings } from '../strings.ts'

const units = [
  ['y', 31_557_600_000],
  ['mo', 2_629_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** A duration in its largest unit: `4 h`, `12 d`. */
function formatLength(ms: number): string {
  const size = Math.abs(ms)
  const unit = units.find(([, length]) => size >= length) ?? units[units.length - 1]
  return unit ? `${Math.floor(size / unit[1])} ${unit[0]}` : ''
}

/** How far a clock is ahead or behind, in its two largest units: `+1 d 2 h`. */
export function formatLead(ms: number): string {
  const sign = ms < 0 ? '−' : '+'
  const size = Math.round(Math.abs(ms) / 1000) * 1000
  const [unit, length] = units.find(([, each]) => size >= each) ?? units[units.length - 1] ?? ['s', 1000]
  const rest = size % length
  const whole = `${sign}${Math.floor(size / length)} ${unit}`
  return rest >= 1000 ? `${whole} ${formatLength(rest)}` : whole
}

/** Tolerance for clocks that differ and for responses in flight. */
const JUST_NOW_MS = 5000
const DIFFERENCE_MS = 60_000

/**
 * Formats how long ago something happened. A time slightly in the future is `just now`. A time far in the
 * future means that the clock was set back since: `2 h ahead`.
 */
export function formatAge(age: number, withoutSuffix: boolean): string {
  if (age <= -DIFFERENCE_MS) return strings.aheadOf(formatLength(age))
  if (age < JUST_NOW_MS) return strings.justNow
  return withoutSuffix ? formatLength(age) : strings.ago(formatLength(age))
}

/** Formats the time until something happens; `now` until a minute after it. */
export function formatAhead(left: number): string {
  if (left >= 1000) return strings.ahead(formatLength(left))
  return left > -DIFFERENCE_MS ? strings.now : strings.ago(formatLength(left))
}

/** A duration to the second, for a countdown: `2 d 04:11:09`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const padTwo = (n: number) => String(n).padStart(2, '0')
  const days = Math.floor(seconds / 86_400)
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
    .map(padTwo)
    .join(':')
  return days > 0 ? `${days} d ${clock}` : clock
}

/** A time of day such as `14:02`, with the date unless it is today. */
export function formatClockTime(ms: number, now: number): string {
  const time = new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  const formatDay = (at: number) =>
    new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return formatDay(ms) === formatDay(now) ? time : `${formatDay(ms)}, ${time}`
}

// Created once, because creating a formatter is far slower than using it, and every row has a time.
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** The time to the second, in this machine's time zone. */
export function formatExactTime(ms: number): string {
  return exact.format(ms)
}
