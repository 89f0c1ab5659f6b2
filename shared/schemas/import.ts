import { z } from 'zod'

/** A file of comma-separated text; a dry run reports and changes nothing. */
export const csvImport = z.strictObject({
  csv: z.string().max(64 * 1024 * 1024),
  dry_run: z.boolean().default(false),
})

/** What an import did, or would do: entries taken, and every line left out with its reason. */
export const importReport = z.object({
  dry_run: z.boolean(),
  entries: z.int(),
  added: z.int(),
  changed: z.int(),
  refused: z.array(z.object({ line: z.int(), message: z.string() })),
})
