import { z } from '../zod.ts'

/**
 * An internal error. SECURITY: these members are all that may be stored; none may ever contain an error message, data,
 * a key or a file path outside the program.
 */
export const incident = z.object({
  time: z.string(),
  /** The trace id of the failed call, as in its response and the log. */
  trace_id: z.string().nullable(),
  /** The class of the error, such as `TypeError`. */
  class: z.string(),
  /** The error code: of SQLite or the system, such as `SQLITE_IOERR_WRITE`, or of a CofferError. */
  code: z.string().nullable(),
  /** The frames of the stack, innermost first. */
  stack: z.array(z.string()),
  /** The operation, command or maintenance task that failed. */
  where: z.string(),
  /** How many incidents of this kind were left out since the previous one, because there were too many at once. */
  left_out: z.int().optional(),
})
export type Incident = z.output<typeof incident>

/** The incidents, newest last, and their file. */
export const incidentReport = z.object({
  count: z.int(),
  /** The times of the first and the last one; null if there are none. */
  since: z.string().nullable(),
  last: z.string().nullable(),
  /** Null for an in-memory vault, whose incidents are not stored. */
  file: z.string().nullable(),
  /** The last 50. */
  incidents: z.array(incident),
})
export type IncidentReport = z.output<typeof incidentReport>

/** An error of the page, as the window reports it to the host. */
export const pageIncident = z.strictObject({
  class: z.string().max(100),
  stack: z.string().max(8000),
  where: z.enum(['screen', 'page']),
})
export type PageIncident = z.output<typeof pageIncident>
