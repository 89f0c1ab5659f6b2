import { z } from '../zod.ts'

/** The maximum number of tokens in one `tokens.createMany`. */
export const MAX_BATCH_TOKENS = 4000

/** Several new tokens. Each is checked separately, so that an invalid one does not affect the others. */
export const newTokens = z.strictObject({
  tokens: z.array(z.unknown()).max(MAX_BATCH_TOKENS),
  /** Random ids by index in `tokens` for those without one, so that a repeated request creates no duplicates. */
  made_ids: z.array(z.uuid()).max(MAX_BATCH_TOKENS).optional(),
  /** Check the tokens without writing anything. */
  dry_run: z.boolean().default(false),
})

/** A token that was not created: its index in the list, and the reason. */
const rejectedToken = z.object({
  index: z.int(),
  detail: z.string(),
  /** Set if a token with this id already exists. */
  conflict: z.literal(true).optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})
export type RejectedToken = z.output<typeof rejectedToken>

/**
 * A stored token: its position in the order of creation, and the times of its creation and expiry in epoch
 * milliseconds. A position may be reused after its token is deleted, so only the position and the creation time
 * together identify a token.
 */
const storedToken = z.object({ seq: z.int(), created_at: z.int(), expires_at: z.int().nullable() })
export type StoredToken = z.output<typeof storedToken>

/** The report on several new tokens. `ids` and `stored` are in the order of the request. */
export const newTokensReport = z.object({
  /** The ids of the tokens; null for a rejected one. */
  ids: z.array(z.string().nullable()),
  /**
   * For each token in the request, the stored token that now exists: the new token, the token that it duplicates, or
   * the token that already has its id. Null if the token was rejected for another reason. In a dry run, the tokens
   * that would exist; their `seq` means nothing.
   */
  stored: z.array(storedToken.nullable()),
  refused: z.array(rejectedToken),
  /** The time of the vault, in epoch milliseconds. */
  now: z.int(),
})
