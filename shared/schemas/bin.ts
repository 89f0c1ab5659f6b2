import { z } from '../zod.ts'
import { nameObject } from './common.ts'
import { importReport } from './import.ts'
import { brandDetails } from './token.ts'

const details = {
  ...brandDetails,
  facts: z
    .object({
      issuer: z.string().optional(),
      country: z.string().optional(),
      segment: z.string().optional(),
      product: z.string().optional(),
    })
    .optional(),
}

/** The details of card numbers whose prefix is in a range (rule T-16). */
export const binEntry = nameObject('BinEntry', {
  from: z.string(),
  to: z.string(),
  ...details,
  additional: z.array(z.object(details)).optional(),
})

/** The result of importing a BIN file: how many entries it added, and how many earlier ones they replaced. */
export const binImportReport = importReport.extend({ replaced: z.int() })
