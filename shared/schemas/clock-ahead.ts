import { z } from '../zod.ts'

const count = z.int()

/** How much overdue data would be deleted, by kind. Counting stops at `MAX_COUNTED_OVERDUE` + 1. */
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

/**
 * Set while the clock is far ahead of the last time that the vault has recorded: no expired data is deleted until the
 * owner decides.
 */
export const clockAhead = z.object({
  /** Whole days. */
  days: z.int(),
  overdue,
})
export type ClockAhead = z.output<typeof clockAhead>
