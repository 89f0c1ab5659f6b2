import { z } from '../zod.ts'

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
