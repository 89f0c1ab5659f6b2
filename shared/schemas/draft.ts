import { z } from '../zod.ts'
import { madeId } from './common.ts'

/** What the owner keeps of requests: what was sent, what was saved by name, and environments. */
const draftKind = z.enum(['sent', 'saved', 'environment'])
export type DraftKind = z.output<typeof draftKind>

/** The longest content, in characters. */
export const MOST_DRAFT = 256 * 1024

export const newDraft = z.strictObject({
  /** Replaces the draft with this id. */
  id: madeId.optional(),
  kind: draftKind,
  /** JSON of the window. */
  content: z.string().min(2).max(MOST_DRAFT),
})

export const draft = z.object({
  id: z.string(),
  kind: draftKind,
  content: z.string(),
  created_at: z.string(),
})
export type Draft = z.output<typeof draft>

export const draftQuery = z.strictObject({ kind: draftKind })
