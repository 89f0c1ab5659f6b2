import { formatCount } from './format-count.ts'
import type { ClockAhead, Overdue } from './schemas/clock-ahead.ts'

/** Counting stops here, which limits its cost; the text then says "more than 100,000". */
export const MAX_COUNTED_OVERDUE = 100_000

const names: Readonly<Record<keyof Overdue, readonly [one: string, several: string]>> = {
  tokens: ['token', 'tokens'],
  cvcs: ['CVC', 'CVCs'],
  applications: ['application', 'applications'],
  token_intents: ['token intent', 'token intents'],
  sessions: ['session', 'sessions'],
  client_keys: ['client encryption key', 'client encryption keys'],
  three_ds_sessions: ['3D Secure session', '3D Secure sessions'],
  log_records: ['log record', 'log records'],
}

/** Says how far ahead the clock is, and which expired data would be deleted. */
export function formatClockAhead({ days, overdue }: ClockAhead): string {
  const counts = Object.entries(names).flatMap(([kind, [one, several]]) => {
    const count = overdue[kind as keyof Overdue]
    if (count === 0) return []
    if (count > MAX_COUNTED_OVERDUE)
      return [`more than ${MAX_COUNTED_OVERDUE.toLocaleString('en-US')} ${several}`]
    return [`${count.toLocaleString('en-US')} ${count === 1 ? one : several}`]
  })
  const last = counts.pop() ?? ''
  const all = counts.length === 0 ? last : `${counts.join(', ')} and ${last}`
  return `The clock is ${formatCount(days.toLocaleString('en-US'), 'day')} ahead of when this vault was last in use. ${all} would be deleted as expired.`
}
