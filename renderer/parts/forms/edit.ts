import { CofferError } from '../../../shared/errors.ts'
import { strings } from './strings.ts'

type EditField<Draft> = keyof Draft & string

type EditFormOptions<Draft, Stored> = {
  readonly before: Draft
  readonly read: () => Promise<Stored>
  readonly toDraft: (stored: Stored) => Draft
  readonly write: (draft: Draft, stored: Stored) => Promise<Stored>
  readonly labels: Readonly<Record<EditField<Draft>, string>>
}

export type FormEdit<Draft, Stored> = {
  /**
   * Saves the edited fields. If someone else has changed some of them, throws a `conflict` that names these
   * fields; saving again then overwrites that change.
   */
  readonly save: (edited: Draft) => Promise<Stored>
  /** Restores the fields that the last `save` replaced, and no others. */
  readonly undo: () => Promise<Stored>
}

/**
 * Edits an object that other programs and windows may change while its form is open. Only edited fields are
 * written; all others keep their stored values.
 */
export function createEdit<Draft extends object, Stored>(
  options: EditFormOptions<Draft, Stored>,
): FormEdit<Draft, Stored> {
  const { before, read, toDraft, write, labels } = options
  /** The stored draft at the time of the last check. */
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

/** Compares drafts, which are plain JSON. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
