import { z } from 'zod'
import { importReport } from './import.ts'
import { brandDetails } from './token.ts'

/** What the vault knows of card numbers that start with a prefix in a range (rule T-16). */
export const binEntry = z
  .object({
    from: z.string(),
    to: z.string(),
    ...brandDetails,
    additional: z.array(z.object(brandDetails)).optional(),
  })
  .meta({ id: 'BinEntry' })

/** What importing a BIN file did: how many entries it took, and how many earlier ones they replaced. */
export const binImportReport = importReport.extend({ replaced: z.int() })
