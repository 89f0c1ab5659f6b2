import { z } from '../zod.ts'

/** The most tokens one `tokens.createMany` takes. */
export const mostAtOnce = 4000

/** Several new tokens. Each is checked separately, so that an invalid one does not keep the others out. */
export const newTokens = z.strictObject({
  tokens: z.array(z.unknown()).max(mostAtOnce),
  /** By index, random ids for tokens that have none, so that a repeated request is recognised. */
  made_ids: z.array(z.uuid()).max(mostAtOnce).optional(),
  /** Check them without writing anything. */
  dry_run: z.boolean().default(false),
})

/** A token that was not created: its index in the list, and why. */
const refusedToken = z.object({
  index: z.int(),
  detail: z.string(),
  /** Its id is taken. */
  conflict: z.literal(true).optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})
export type RefusedToken = z.output<typeof refusedToken>

/** The ids of the new tokens in the order of the list; null for one that was refused. */
export const newTokensReport = z.object({
  ids: z.array(z.string().nullable()),
  refused: z.array(refusedToken),
})
