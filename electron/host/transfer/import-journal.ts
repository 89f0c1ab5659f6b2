import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { expiring } from '../../../shared/expiring.ts'
import { z } from '../../../shared/zod.ts'
import { toStorageError } from '../../engine/index.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import type { Ledger, RejectedLine } from './import-records.ts'
import { deriveRecordId } from './record-id.ts'

const state = z.strictObject({
  /** The id of the import. It is random, so the token ids that derive from it reveal nothing about the data. */
  import_id: z.string(),
  /** Whether the ids of consecutive records share a prefix. Imports started by an older version have other ids. */
  grouped_ids: z.boolean().default(false),
  tenant_id: z.string(),
  mapping: z.string(),
  size: z.int(),
  modified_ms: z.number(),
  records: z.int(),
  created: z.int(),
  refused: z.int(),
  expiring: expiring.nullable().default(null),
  /** The length of the file of rejected lines in this state, in bytes. Later bytes are ignored. */
  refused_bytes: z.int(),
  finished: z.boolean(),
})
export type JournalState = z.output<typeof state>

type ImportTarget = Pick<JournalState, 'tenant_id' | 'mapping'>

/**
 * The record of importing a file into a vault, in two files next to the imported one: one holds the progress, the other
 * the lines rejected so far. They contain counts, line numbers and reasons, never data. Each vault has its own files.
 */
export class ImportJournal implements Ledger {
  readonly #file: string
  readonly #refusals: string
  #state: JournalState
  #unsaved: RejectedLine[] = []
  readonly #lines: RejectedLine[]
  readonly resumed: boolean

  private constructor(
    files: JournalFiles,
    initial: JournalState,
    before: readonly RejectedLine[],
    resumed: boolean,
  ) {
    this.#file = files.journal
    this.#refusals = files.refusals
    this.#state = initial
    this.#lines = [...before]
    this.resumed = resumed
  }

  /**
   * Opens the journal of an import: a new one, or that of an interrupted import. Throws `conflict` if the import was
   * finished, the file or the mapping has changed since, or the journal cannot be read.
   */
  static open(source: string, target: ImportTarget, ignoreEarlier: boolean): ImportJournal {
    const files = getJournalFiles(source, target.tenant_id)
    const { size, mtimeMs: modified_ms } = readFileStat(source)
    const before = ignoreEarlier
      ? undefined
      : (readJournal(files.journal) ?? assertNoOlderJournal(source, target))
    if (!before) {
      const counts = { records: 0, created: 0, refused: 0, expiring: null, refused_bytes: 0 }
      const import_id = randomBytes(16).toString('hex')
      const fresh = { import_id, grouped_ids: true, ...target, size, modified_ms, ...counts, finished: false }
      return new ImportJournal(files, fresh, [], false)
    }
    const isSame =
      before.size === size &&
      before.modified_ms === modified_ms &&
      before.tenant_id === target.tenant_id &&
      before.mapping === target.mapping
    if (isSame && !before.finished) {
      return new ImportJournal(files, before, readRefusals(files.refusals, before.refused_bytes), true)
    }
    const refusalsNote = fs.existsSync(files.refusals) ? ` Its refused lines are in ${files.refusals}.` : ''
    throw new CofferError(
      'conflict',
      isSame
        ? `${source} was already imported into this vault.${refusalsNote} Use --again to import the whole file again.`
        : `${source} was imported into this vault before, and the file or its mapping has changed since.${refusalsNote} Use --again to import the whole file.`,
    )
  }

  get state(): JournalState {
    return this.#state
  }

  /** Every saved rejected line, including those of earlier runs. */
  get lines(): readonly RejectedLine[] {
    return this.#lines
  }

  get refusals(): string | undefined {
    return this.#state.refused_bytes > 0 ? this.#refusals : undefined
  }

  addRefusal(line: RejectedLine): void {
    this.#unsaved.push(line)
  }

  save(
    progress: Partial<Pick<JournalState, 'records' | 'created' | 'refused' | 'expiring' | 'finished'>>,
  ): void {
    const refused_bytes = this.#appendRefusals()
    this.#state = { ...this.#state, ...progress, refused_bytes }
    writeAtomically(this.#file, JSON.stringify(this.#state))
    this.#lines.push(...this.#unsaved.splice(0))
  }

  /**
   * Appends the unsaved rejected lines to their file and returns its new length in bytes. Runs before the journal is
   * written, and overwrites lines that a killed run wrote but did not record.
   */
  #appendRefusals(): number {
    const { refused_bytes: from } = this.#state
    if (this.#unsaved.length === 0) return from
    const text = Buffer.from(formatRefusedLines(this.#unsaved))
    try {
      const to = fs.openSync(this.#refusals, from === 0 ? 'w' : 'r+', 0o600)
      try {
        fs.ftruncateSync(to, from)
        fs.writeSync(to, text, 0, text.length, from)
        fs.fsyncSync(to)
      } finally {
        fs.closeSync(to)
      }
    } catch (error) {
      throw toStorageError(error, this.#refusals)
    }
    return from + text.length
  }

  /** Removes the file of rejected lines, because the report now contains them. */
  removeRefusals(): void {
    fs.rmSync(this.#refusals, { force: true })
  }

  getTokenId(record: number): string {
    const { import_id, grouped_ids } = this.#state
    return deriveRecordId(import_id, record, grouped_ids)
  }
}

/** Formats rejected lines for a file. */
export function formatRefusedLines(lines: readonly RejectedLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

type JournalFiles = { readonly journal: string; readonly refusals: string }

function getJournalFiles(source: string, tenant_id: string): JournalFiles {
  const vault = `${source}.${tenant_id.slice(0, 8)}`
  return { journal: `${vault}.coffer-import`, refusals: `${vault}.coffer-refused` }
}

function readFileStat(source: string): fs.Stats {
  const stat = fs.statSync(source, { throwIfNoEntry: false })
  if (stat?.isFile()) return stat
  throw new CofferError('not_found', stat ? `${source} is not a file.` : `There is no file ${source}.`)
}

function readJournal(file: string): JournalState | undefined {
  if (!fs.existsSync(file)) return undefined
  try {
    return state.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch (error) {
    // Without the journal, the import would create its earlier tokens a second time.
    const message = `${file} cannot be read, so the progress of the import is unknown. Use --again to import the whole file again.`
    throw new CofferError('conflict', message, { cause: error })
  }
}

function readRefusals(file: string, bytes: number): RejectedLine[] {
  if (bytes === 0) return []
  try {
    const text = fs.readFileSync(file).subarray(0, bytes)
    if (text.length < bytes) throw new Error('It is cut off.')
    const lines = text.toString().trimEnd().split('\n')
    return lines.map((line) => refusedLine.parse(JSON.parse(line)))
  } catch (error) {
    const message = `${file} does not list all lines that were refused. Use --again to import the whole file again.`
    throw new CofferError('conflict', message, { cause: error })
  }
}

const refusedLine = z.strictObject({ line: z.int(), message: z.string() })

/**
 * Throws `conflict` if an older version has started to import this file into this vault. Older versions wrote a single
 * journal for all vaults.
 */
function assertNoOlderJournal(source: string, { tenant_id }: ImportTarget): undefined {
  const file = `${source}.coffer-import`
  if (!fs.existsSync(file) || !fs.readFileSync(file, 'utf8').includes(tenant_id)) return undefined
  throw new CofferError(
    'conflict',
    `${source} was imported into this vault by an older version of Coffer, completely or partly. Use --again to import the whole file again.`,
  )
}
