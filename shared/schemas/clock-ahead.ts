import { z } from 'zod'

/** Counts stop here: "more than 100,000" costs no more than this. */
export const MOST_OVERDUE = 100_000

const count = z.int()

/** What would be deleted by the clock's time; at most `MOST_OVERDUE` + 1 of each. */
const overdue = z.object({
  tokens: count,
  cvcs: count,
  applications: count,
  token_intents: count,
  sessions: count,
  client_keys: count,
  three_ds_sessions: count,
  log_records: count,
})
export type Overdue = z.output<typeof overdue>

/** The clock is far ahead of the latest time the vault has seen, so nothing is deleted until the owner decides. */
export const clockAhead = z.object({
  /** Whole days. */
  days: z.int(),
  overdue,
})
export type ClockAhead = z.output<typeof clockAhead>

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
  return `The clock is ${days.toLocaleString('en-US')} days ahead of when this vault was last in use. ${all} would be deleted as expired.`
}
