import { CofferError } from '../../../shared/errors.ts'
import { strings } from './strings.ts'

type EditField<Draft> = keyof Draft & string

type EditFormOptions<Draft, Stored> = {
  /** The draft that the form began with. */
  readonly before: Draft
  readonly read: () => Promise<Stored>
  readonly toDraft: (stored: Stored) => Draft
  readonly write: (draft: Draft, stored: Stored) => Promise<Stored>
  /** What the fields of the form are called. */
  readonly labels: Readonly<Record<EditField<Draft>, string>>
}

export type FormEdit<Draft, Stored> = {
  /** Stores what was edited. Throws `conflict` once for each change of the same members elsewhere, which it names. */
  readonly save: (edited: Draft) => Promise<Stored>
  /** Puts back what the last `save` replaced, and nothing else. */
  readonly undo: () => Promise<Stored>
}

/**
 * An edit of something that other programs and windows may change while its form is open: what was edited is put over
 * what is stored by then, and the rest stays as it is stored.
 */
export function createEdit<Draft extends object, Stored>(
  options: EditFormOptions<Draft, Stored>,
): FormEdit<Draft, Stored> {
  const { before, read, toDraft, write, labels } = options
  /** What was stored when the form last knew. */
  let known = before
  let replaced: Partial<Draft> = {}
  return {
    async save(edited) {
      const stored = await read()
      const now = toDraft(stored)
      const ownFields = listChangedFields(edited, before)
      const both = listChangedFields(now, known).filter(
        (name) => ownFields.includes(name) && !isSame(now[name], edited[name]),
      )
      known = now
      if (both.length > 0)
        throw new CofferError('conflict', strings.changedElsewhere(both.map((name) => labels[name])))
      const written = await write({ ...now, ...pickMembers(edited, ownFields) }, stored)
      replaced = pickMembers(now, ownFields)
      return written
    },
    async undo() {
      const stored = await read()
      return write({ ...toDraft(stored), ...replaced }, stored)
    },
  }
}

function listChangedFields<Draft extends object>(draft: Draft, before: Draft): EditField<Draft>[] {
  return (Object.keys(draft) as EditField<Draft>[]).filter((name) => !isSame(draft[name], before[name]))
}

function pickMembers<Draft extends object>(draft: Draft, names: readonly EditField<Draft>[]): Partial<Draft> {
  return Object.fromEntries(names.map((name) => [name, draft[name]])) as Partial<Draft>
}

/** Drafts are plain JSON. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
