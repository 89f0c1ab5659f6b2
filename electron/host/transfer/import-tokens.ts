import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import type { Readable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import { MAX_BATCH_TOKENS } from '../../../shared/schemas/token-batch.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import { toStorageError } from '../../engine/index.ts'
import type { JobWatch } from '../jobs/background.ts'
import { formatRefusedLines, ImportJournal } from './import-journal.ts'
import {
  type ImportReport,
  importRecords,
  type Ledger,
  type RecordsJob,
  type RejectedLine,
} from './import-records.ts'
import { assertColumns } from './mapping.ts'
import type { OwnersEngine } from './owner-client.ts'
import { isPipe, openPipe } from './pipe.ts'
import { deriveRecordId } from './record-id.ts'
import { type Format, readRecords } from './source-records.ts'

export type ImportJob = {
  readonly file: string
  /** A stream to read instead of the file. `file` is then only used as a name in messages. */
  readonly stream?: Readable | undefined
  readonly format: Format
  /** Null if each line is already a token, as `coffer export` writes it. */
  readonly mapping: ImportMapping | null
  /** Whether to only check every line, without writing anything. */
  readonly dry_run: boolean
  /** Whether to ignore an earlier import of this file, finished or interrupted. */
  readonly again: boolean
  readonly report?: string | undefined
  /** Whether other callers use the vault during the import. */
  readonly isShared?: boolean
}

export type FileImportReport = ImportReport & {
  /** The file with the rejected lines, if no report was requested. */
  readonly refusals?: string
}

/**
 * Creates a token from every record of a file or a pipe, as the owner. A rejected line does not stop the others. An
 * interrupted import (`cancelled`) keeps its tokens. The next import of the same file resumes at that point and
 * creates no token twice. Throws `conflict` if the report would replace another file.
 */
export async function importTokens(
  engine: OwnersEngine,
  job: ImportJob,
  watch: JobWatch = {},
): Promise<FileImportReport> {
  const { file, stream } = job
  return stream || isPipe(file) ? importPipe(engine, job, watch) : importFile(engine, job, watch)
}

async function importFile(engine: OwnersEngine, job: ImportJob, watch: JobWatch): Promise<FileImportReport> {
  const { file, mapping, dry_run, again } = job
  const about = { tenant_id: engine.tenant_id, mapping: JSON.stringify(mapping) }
  const journal = ImportJournal.open(file, about, again || dry_run)
  const report = job.report === undefined ? undefined : ReportFile.open(job.report, journal.lines)
  const stoppedText = dry_run
    ? 'Stopped. Nothing was written.'
    : 'Stopped. The imported tokens stay in the vault. Run the same command again to import the rest.'
  const records = {
    ...createRecordsJob(job, fs.createReadStream(file, { highWaterMark: READ_CHUNK_BYTES }), watch),
    total: fs.statSync(file).size,
    ledger: journal,
    createStoppedError: () => new CofferError('cancelled', stoppedText),
  }
  let done: ImportReport
  try {
    done = await importRecords(engine, records, watch)
  } catch (error) {
    report?.appendLines(journal.lines)
    throw error
  }
  report?.appendLines(done.lines)
  if (report && !dry_run) journal.removeRefusals()
  const { refusals } = journal
  return { ...done, ...(!report && refusals !== undefined && { refusals }) }
}

/** Imports from a pipe, without a journal, because a pipe can be read only once. */
async function importPipe(engine: OwnersEngine, job: ImportJob, watch: JobWatch): Promise<FileImportReport> {
  const report = job.report === undefined ? undefined : ReportFile.open(job.report, [])
  const import_id = randomBytes(16).toString('hex')
  const lines: Ledger['lines'][number][] = []
  const ledger: Ledger = {
    state: { records: 0, created: 0, refused: 0, expiring: null },
    resumed: false,
    lines: [],
    addRefusal: (line) => void lines.push(line),
    getTokenId: (record) => deriveRecordId(import_id, record),
    save() {},
  }
  const describeStop = ({ created }: { created: number }) =>
    job.dry_run
      ? 'Stopped. Nothing was written.'
      : `Stopped. ${describeCreatedTokens(created)} A pipe cannot be resumed: the same command would create them again.`
  try {
    const stream = job.stream ?? (await openPipe(job.file, 'r', watch.signal))
    const records = {
      ...createRecordsJob(job, stream as Readable, watch),
      total: 0,
      ledger,
      createStoppedError: (counts: { created: number }) => new CofferError('cancelled', describeStop(counts)),
    }
    return await importRecords(engine, records, watch)
  } catch (error) {
    if (!watch.signal?.aborted || error instanceof CofferError) throw toStorageError(error, job.file)
    throw new CofferError('cancelled', 'Stopped. Nothing was imported.', { cause: error })
  } finally {
    report?.appendLines(lines.toSorted((one, other) => one.line - other.line))
  }
}

/** Describes how many tokens an interrupted import leaves behind, as a sentence. */
export function describeCreatedTokens(created: number): string {
  const tokens = formatCount(created.toLocaleString('en'), 'token')
  return created === 1
    ? `${tokens} was created and stays in the vault.`
    : `${tokens} were created and stay in the vault.`
}

const READ_CHUNK_BYTES = 256 * 1024

function createRecordsJob(
  { file, format, mapping, dry_run, isShared = false }: ImportJob,
  stream: Readable,
  { signal }: JobWatch,
): Pick<RecordsJob, 'batches' | 'mapping' | 'dry_run' | 'most_at_once' | 'most_lines'> {
  const onColumns = (columns: readonly string[]) => mapping && assertColumns(mapping, columns)
  return {
    batches: readRecords(stream, { format, name: file, signal }, onColumns),
    mapping,
    dry_run,
    // A large commit writes fewer pages per token, but delays other callers, so it is used only if nobody else uses the
    // vault.
    most_at_once: isShared ? 500 : MAX_BATCH_TOKENS,
    most_lines: Number.POSITIVE_INFINITY,
  }
}

/** The report of an import: every rejected line once, over all its runs. */
class ReportFile {
  readonly #file: string
  #written: number

  private constructor(file: string, written: number) {
    this.#file = file
    this.#written = written
  }

  /**
   * Opens a new report, or the one that an earlier run of the same import wrote: its lines must be the first of
   * `known`. Throws `unavailable`, `storage_full`, and `conflict` if the file holds anything else. Call this before
   * creating tokens, so that an unwritable report is noticed in time.
   */
  static open(file: string, known: readonly RejectedLine[]): ReportFile {
    try {
      fs.closeSync(fs.openSync(file, 'a', 0o600))
      const existing = fs.statSync(file).isFile() ? fs.readFileSync(file) : Buffer.alloc(0)
      const expected = Buffer.from(formatRefusedLines(known))
      if (expected.subarray(0, existing.length).equals(existing)) return new ReportFile(file, existing.length)
    } catch (error) {
      throw toStorageError(error, file)
    }
    throw new CofferError(
      'conflict',
      `${file} already exists and is not the report of this import. It was not changed. Name another file with --report, or remove it.`,
    )
  }

  /** Appends the lines that the report does not contain yet. Throws `unavailable`, `storage_full`. */
  appendLines(lines: readonly RejectedLine[]): void {
    const text = Buffer.from(formatRefusedLines(lines)).subarray(this.#written)
    try {
      fs.appendFileSync(this.#file, text)
    } catch (error) {
      throw toStorageError(error, this.#file)
    }
    this.#written += text.length
  }
}
