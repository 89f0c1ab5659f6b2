import { counted } from './counted.ts'
import type { ClockAhead, Overdue } from './schemas/clock-ahead.ts'

/** Counts stop here: "more than 100,000" costs no more than this. */
export const MOST_OVERDUE = 100_000

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

/** Says how far ahead the clock is, and what would be deleted as expired. */
export function clockAheadText({ days, overdue }: ClockAhead): string {
  const counts = Object.entries(names).flatMap(([kind, [one, several]]) => {
    const found = overdue[kind as keyof Overdue]
    if (found === 0) return []
    if (found > MOST_OVERDUE) return [`more than ${MOST_OVERDUE.toLocaleString('en-US')} ${several}`]
    return [`${found.toLocaleString('en-US')} ${found === 1 ? one : several}`]
  })
  const last = counts.pop() ?? ''
  const all = counts.length === 0 ? last : `${counts.join(', ')} and ${last}`
  return `The clock is ${counted(days.toLocaleString('en-US'), 'day')} ahead of when this vault was last in use. ${all} would be deleted as expired.`
}
