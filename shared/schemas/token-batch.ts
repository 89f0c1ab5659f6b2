import { z } from '../zod.ts'

/** The most tokens one `tokens.createMany` takes. */
export const MAX_BATCH_TOKENS = 4000

/** Several new tokens. Each is checked separately, so that an invalid one does not keep the others out. */
export const newTokens = z.strictObject({
  tokens: z.array(z.unknown()).max(MAX_BATCH_TOKENS),
  /** By index, random ids for tokens that have none, so that a repeated request is recognised. */
  made_ids: z.array(z.uuid()).max(MAX_BATCH_TOKENS).optional(),
  /** Check them without writing anything. */
  dry_run: z.boolean().default(false),
})

/** A token that was not created: its index in the list, and why. */
const rejectedToken = z.object({
  index: z.int(),
  detail: z.string(),
  /** Its id is taken. */
  conflict: z.literal(true).optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})
export type RejectedToken = z.output<typeof rejectedToken>

/**
 * A stored token: its place in the order of creation, when it was created, and when it will be deleted; times in epoch
 * milliseconds. A place may be given again once its token is deleted, so it takes both to name a token.
 */
const storedToken = z.object({ seq: z.int(), created_at: z.int(), expires_at: z.int().nullable() })
export type StoredToken = z.output<typeof storedToken>

/** In the order of the list. */
export const newTokensReport = z.object({
  /** The ids of the tokens; null for one that was refused. */
  ids: z.array(z.string().nullable()),
  /**
   * The tokens that now exist for each: the new one, the one it duplicates, or the one that has its id already; null for
   * one that was refused for another reason. In a dry run, those there would be.
   */
  stored: z.array(storedToken.nullable()),
  refused: z.array(rejectedToken),
  /** The time of the vault, in epoch milliseconds. */
  now: z.int(),
})
