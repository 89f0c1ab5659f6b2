import { z } from '../zod.ts'
import { hiddenAlias, nameObject, withJsonSchema } from './common.ts'

export const binQuery = z.strictObject({
  bin: withJsonSchema(z.string().regex(/^\d{6}$/, 'must be the first six digits of a card number'), {
    type: 'string',
    pattern: '^[0-9]{6}$',
  }),
})

/**
 * The details of cards; null if unknown. The ranges are present under two names, because the documentation has one and
 * the clients read the other.
 */
const cards = {
  brand: z.string().nullable(),
  funding: z.string().nullable(),
  segment: z.string().nullable(),
  issuer: z.object({ country: z.string().nullable(), name: z.string().nullable() }),
  bin_range: z.array(z.object({ bin_min: z.string(), bin_max: z.string() })),
  binRange: hiddenAlias(z.array(z.object({ binMin: z.string(), binMax: z.string() }))),
}

/** The details of a BIN (rule M-01). */
export const binDetails = nameObject('BinDetails', { ...cards, additional: z.array(z.object(cards)) })
