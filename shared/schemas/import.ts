import { z } from '../zod.ts'

/** The text of a CSV file. A dry run returns the report without changing anything. */
export const csvImport = z.strictObject({
  csv: z.string().max(64 * 1024 * 1024),
  dry_run: z.boolean().default(false),
})

/** The maximum number of skipped lines in a report. */
export const MAX_REFUSED_LINES = 1000

/** What every import reports: entries accepted, and lines skipped with the reasons. */
export const importReport = z.object({
  dry_run: z.boolean(),
  entries: z.int(),
  refused_lines: z.int(),
  refused: z.array(z.object({ line: z.int(), message: z.string() })),
})
