import { z } from '../zod.ts'
import { createdId } from './common.ts'

/** What a draft is: a request that the owner sent, a request saved by name, or an environment. */
const draftKind = z.enum(['sent', 'saved', 'environment'])
export type DraftKind = z.output<typeof draftKind>

/** The maximum length of the content, in characters. */
export const MAX_DRAFT_LENGTH = 256 * 1024

export const newDraft = z.strictObject({
  /** Replaces the draft with this id. */
  id: createdId.optional(),
  kind: draftKind,
  /** JSON that only the window reads. */
  content: z.string().min(2).max(MAX_DRAFT_LENGTH),
})

export const draft = z.object({
  id: z.string(),
  kind: draftKind,
  content: z.string(),
  created_at: z.string(),
})
export type Draft = z.output<typeof draft>

export const draftQuery = z.strictObject({ kind: draftKind })
