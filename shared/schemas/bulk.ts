import { find } from '../find.ts'
import { z } from '../zod.ts'

/** The maximum number of ids that a selection may list. A larger selection is a search with exceptions. */
const MAX_SELECTED_IDS = 50_000

/** The maximum number of ids that the window may copy. */
export const MAX_COPIED_IDS = 100_000

// An id of 400 characters may be twice as long in UTF-16.
const ids = z.array(z.string().max(800)).max(MAX_SELECTED_IDS).readonly()

/** The tokens that the owner has selected: a list of ids, or all tokens that match a search, with exceptions. */
export const selection = z.union([z.strictObject({ ids }), z.strictObject({ all: find, except: ids })])
export type TokenSelection = z.output<typeof selection>

/** The action for each selected token; its members are those of a merge patch (rule T-12). */
export const bulkAction = z.lazy(() =>
  z.discriminatedUnion('do', [
    z.strictObject({ do: z.literal('delete') }),
    z.strictObject({ do: z.literal('move'), containers: z.array(z.string().max(1000)).min(1).max(10) }),
    z.strictObject({
      do: z.literal('set metadata'),
      key: z.string().max(1000),
      value: z.string().max(10_000),
    }),
    z.strictObject({ do: z.literal('remove metadata'), key: z.string().max(1000) }),
    z.strictObject({ do: z.literal('expire'), expires_at: z.string().max(100).nullable() }),
  ]),
)
export type BulkAction = z.output<typeof bulkAction>

/** Tokens that were refused for the same reason. */
const rejectedTokens = z.object({
  /** SECURITY: a message of the error table, which never contains a value. */
  reason: z.string(),
  tokens: z.int(),
  /** The ids of the first of these tokens. */
  ids: z.array(z.string()),
})

export const bulkReport = z.lazy(() =>
  z.object({
    /** `undone`: cancelled before any change; `stopped`: ended early by the owner, a lock or a failure. */
    outcome: z.enum(['done', 'stopped', 'undone']),
    /** The number of selected tokens. */
    tokens: z.int(),
    done: z.int(),
    refused: z.array(rejectedTokens),
    problem: z.string().optional(),
  }),
)
export type BulkReport = z.output<typeof bulkReport>
