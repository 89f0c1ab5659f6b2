import { z } from '../zod.ts'
import { importReport } from './import.ts'
import { brandDetails } from './token.ts'

/** The details of card numbers whose prefix is in a range (rule T-16). */
export const binEntry = z
  .object({
    from: z.string(),
    to: z.string(),
    ...brandDetails,
    additional: z.array(z.object(brandDetails)).optional(),
  })
  .meta({ id: 'BinEntry' })

/** The result of importing a BIN file: how many entries it added, and how many earlier ones they replaced. */
export const binImportReport = importReport.extend({ replaced: z.int() })
