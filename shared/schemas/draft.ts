import { z } from '../zod.ts'
import { createdId } from './common.ts'

/** The requests that the owner has sent, or saved by name, and environments. */
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
