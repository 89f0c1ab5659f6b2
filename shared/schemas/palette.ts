import { z } from '../zod.ts'
import { json } from './common.ts'

/** What the palette finds in a vault, in the order in which it is shown. */
const paletteKinds = [
  'token',
  'request',
  'document',
  'three_ds_session',
  'session',
  'token_intent',
  'merchant',
  'agent',
  'delivery',
] as const
export type PaletteKind = (typeof paletteKinds)[number]

/** The application whose view the window shows; then only what its key may see is found. */
const as = z.string().max(100).optional()

export const paletteQuery = z.strictObject({
  text: z.string().min(1).max(500),
  as,
  /** The `next` of an earlier response to the same text, from which the search for tokens continues. */
  start: z.string().max(1000).optional(),
})

const paletteHit = z.object({
  id: z.string(),
  /** What it is shown as, without plaintext. */
  name: z.string(),
  detail: z.string().optional(),
  /** The type of a token or an intent. */
  type: z.string().optional(),
  /** When it happened. */
  at: z.string().optional(),
  /** The webhook of a delivery. */
  webhook_id: z.string().optional(),
})
export type PaletteHit = z.output<typeof paletteHit>

export const paletteAnswer = z.object({
  groups: z.array(
    z.object({
      kind: z.enum(paletteKinds),
      hits: z.array(paletteHit),
      /** The number of all that match; null if they were not counted. */
      total: z.int().nullable(),
    }),
  ),
  /** Where the search for tokens continues; null at its end, or if there are enough. */
  next: z.string().nullable(),
})
export type PaletteAnswer = z.output<typeof paletteAnswer>

export const paletteExpression = z.strictObject({ expression: z.string().min(1).max(2000), as })

/** `is_masked` if the expression used a token, of which it then saw only what the mask shows. */
export const paletteResult = z.object({ result: json, is_masked: z.boolean() })
