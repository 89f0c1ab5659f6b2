import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { z } from 'zod'
import { CofferError } from '../../../shared/errors.ts'
import { writeAtomically } from '../atomic-write.ts'
import type { Ledger } from './import-records.ts'
import { recordId } from './record-id.ts'

const state = z.strictObject({
  /** Random, so that the ids that are made of it tell nothing of the data. */
  import_id: z.string(),
  tenant_id: z.string(),
  mapping: z.string(),
  size: z.int(),
  modified_ms: z.number(),
  records: z.int(),
  created: z.int(),
  refused: z.int(),
  finished: z.boolean(),
})
export type JournalState = z.output<typeof state>

type About = Pick<JournalState, 'tenant_id' | 'mapping'>

/** How far an import has come, in a file beside the one that is imported. It holds counts, never data. */
export class ImportJournal implements Ledger {
  readonly #file: string
  #state: JournalState
  readonly resumed: boolean

  private constructor(file: string, given: JournalState, resumed: boolean) {
    this.#file = file
    this.#state = given
    this.resumed = resumed
  }

  /**
   * The journal of a file's import into a vault: a new one, or the one of an import that was stopped. Throws
   * `conflict` where the import was finished, or the file, the mapping or the vault is another by now.
   */
  static open(source: string, about: About, again: boolean): ImportJournal {
    const file = `${source}.coffer-import`
    const { size, mtimeMs: modified_ms } = statOf(source)
    const before = again ? undefined : read(file)
    if (!before) {
      const import_id = randomBytes(16).toString('hex')
      const fresh = {
        import_id,
        ...about,
        size,
        modified_ms,
        records: 0,
        created: 0,
        refused: 0,
        finished: false,
      }
      return new ImportJournal(file, fresh, false)
    }
    const same =
      before.size === size &&
      before.modified_ms === modified_ms &&
      before.tenant_id === about.tenant_id &&
      before.mapping === about.mapping
    if (same && !before.finished) return new ImportJournal(file, before, true)
    const why = same
      ? 'was imported already'
      : 'was imported in part, and it, its mapping or the vault changed since'
    throw new CofferError('conflict', `${source} ${why}. To import all of it anew: --again.`)
  }

  get state(): JournalState {
    return this.#state
  }

  /** Notes how far the import has come. Throws `unavailable`, `storage_full`. */
  save(progress: Partial<Pick<JournalState, 'records' | 'created' | 'refused' | 'finished'>>): void {
    this.#state = { ...this.#state, ...progress }
    writeAtomically(this.#file, JSON.stringify(this.#state))
  }

  idOf(record: number): string {
    return recordId(this.#state.import_id, record)
  }
}

function statOf(source: string): fs.Stats {
  const stat = fs.statSync(source, { throwIfNoEntry: false })
  if (stat?.isFile()) return stat
  throw new CofferError('not_found', `There is no file ${source}.`)
}

function read(file: string): JournalState | undefined {
  try {
    return state.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
