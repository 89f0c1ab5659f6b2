import { z } from '../zod.ts'

/**
 * Something that failed inside. SECURITY: a list of what may be kept; no member may ever hold a message, data, a key or
 * a path outside the program.
 */
export const incident = z.object({
  time: z.string(),
  /** Of the call that failed, as its answer and the log have it. */
  trace_id: z.string().nullable(),
  /** The class of the error, such as `TypeError`. */
  class: z.string(),
  /** The code of SQLite or the system, such as `SQLITE_IOERR_WRITE`; that of the error table for an error of ours. */
  code: z.string().nullable(),
  /** The frames of the stack, innermost first. */
  stack: z.array(z.string()),
  /** The operation, command or piece of upkeep that failed. */
  where: z.string(),
  /** How many incidents of this kind were left out since the one before, because there were too many at once. */
  left_out: z.int().optional(),
})
export type Incident = z.output<typeof incident>

/** The incidents there are, the newest last, and the file that keeps them. */
export const incidentReport = z.object({
  count: z.int(),
  /** The times of the first and last; null where there is none. */
  since: z.string().nullable(),
  last: z.string().nullable(),
  /** Null for a vault in memory, whose incidents are kept in no file. */
  file: z.string().nullable(),
  /** The last fifty. */
  incidents: z.array(incident),
})
export type IncidentReport = z.output<typeof incidentReport>

/** An error of the page, as the window tells the host of it. */
export const pageIncident = z.strictObject({
  class: z.string().max(100),
  stack: z.string().max(8000),
  where: z.enum(['screen', 'page']),
})
export type PageIncident = z.output<typeof pageIncident>
