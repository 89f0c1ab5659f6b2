import { z } from '../zod.ts'
import { createdId } from './common.ts'

/** What the owner keeps of requests: what was sent, what was saved by name, and environments. */
const draftKind = z.enum(['sent', 'saved', 'environment'])
export type DraftKind = z.output<typeof draftKind>

/** The longest content, in characters. */
export const MAX_DRAFT_LENGTH = 256 * 1024

export const newDraft = z.strictObject({
  /** Replaces the draft with this id. */
  id: createdId.optional(),
  kind: draftKind,
  /** JSON of the window. */
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
