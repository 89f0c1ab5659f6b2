import { CofferError } from '../../../shared/errors.ts'
import { strings } from './strings.ts'

type Name<Draft> = keyof Draft & string

type Options<Draft, Stored> = {
  /** The draft that the form began with. */
  readonly before: Draft
  readonly read: () => Promise<Stored>
  readonly draftOf: (stored: Stored) => Draft
  readonly write: (draft: Draft, stored: Stored) => Promise<Stored>
  /** What the fields of the form are called. */
  readonly labels: Readonly<Record<Name<Draft>, string>>
}

export type Edit<Draft, Stored> = {
  /** Stores what was edited. Throws `conflict` once for each change of the same members elsewhere, which it names. */
  readonly save: (edited: Draft) => Promise<Stored>
  /** Puts back what the last `save` replaced, and nothing else. */
  readonly undo: () => Promise<Stored>
}

/**
 * An edit of something that other programs and windows may change while its form is open: what was edited is put over
 * what is stored by then, and the rest stays as it is stored.
 */
export function editOf<Draft extends object, Stored>(options: Options<Draft, Stored>): Edit<Draft, Stored> {
  const { before, read, draftOf, write, labels } = options
  /** What was stored when the form last knew. */
  let known = before
  let replaced: Partial<Draft> = {}
  return {
    async save(edited) {
      const stored = await read()
      const now = draftOf(stored)
      const mine = changed(edited, before)
      const both = changed(now, known).filter(
        (name) => mine.includes(name) && !isSame(now[name], edited[name]),
      )
      known = now
      if (both.length > 0)
        throw new CofferError('conflict', strings.changedElsewhere(both.map((name) => labels[name])))
      const written = await write({ ...now, ...members(edited, mine) }, stored)
      replaced = members(now, mine)
      return written
    },
    async undo() {
      const stored = await read()
      return write({ ...draftOf(stored), ...replaced }, stored)
    },
  }
}

function changed<Draft extends object>(draft: Draft, before: Draft): Name<Draft>[] {
  return (Object.keys(draft) as Name<Draft>[]).filter((name) => !isSame(draft[name], before[name]))
}

function members<Draft extends object>(draft: Draft, names: readonly Name<Draft>[]): Partial<Draft> {
  return Object.fromEntries(names.map((name) => [name, draft[name]])) as Partial<Draft>
}

/** Drafts are plain JSON. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
