import { z } from 'zod'

/** The most tokens one `tokens.createMany` takes. */
export const mostAtOnce = 1000

/** New tokens at once. Each is checked by itself, so that one that is wrong keeps no other one out. */
export const newTokens = z.strictObject({
  tokens: z.array(z.unknown()).max(mostAtOnce),
  /** By place, ids made up at random for tokens that bring none; so that what is asked for again is recognised. */
  made_ids: z.array(z.uuid()).max(mostAtOnce).optional(),
  /** Check them and write nothing. */
  dry_run: z.boolean().default(false),
})

/** A token that was not made: its place in the list, and why. */
const refusedToken = z.object({
  index: z.int(),
  detail: z.string(),
  /** Its id is taken. */
  conflict: z.literal(true).optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})
export type RefusedToken = z.output<typeof refusedToken>

/** What became of new tokens: their ids in the order of the list, null for one that was refused. */
export const newTokensReport = z.object({
  ids: z.array(z.string().nullable()),
  refused: z.array(refusedToken),
})
