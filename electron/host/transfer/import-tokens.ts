import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import type { Readable } from 'node:stream'
import { counted } from '../../../shared/counted.ts'
import { CofferError } from '../../../shared/errors.ts'
import { mostAtOnce } from '../../../shared/schemas/token-batch.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import type { Watch } from '../work/background.ts'
import { ImportJournal } from './import-journal.ts'
import { type ImportReport, importRecords, type Ledger, type RecordsOrder } from './import-records.ts'
import { checkColumns } from './mapping.ts'
import type { OwnersEngine } from './owners-engine.ts'
import { isPipe, openPipe } from './pipe.ts'
import { recordId } from './record-id.ts'
import { ReportFile } from './report-file.ts'
import { type Format, readRecords } from './source-records.ts'

export type ImportOrder = {
  readonly file: string
  /** Read instead of the file, which is then only a name. */
  readonly stream?: Readable | undefined
  readonly format: Format
  /** Null where each line is already a token, as `coffer export` writes it. */
  readonly mapping: ImportMapping | null
  /** Check every line and write nothing. */
  readonly dry_run: boolean
  /** Ignore an earlier import of this file, finished or interrupted. */
  readonly again: boolean
  /** The file to write every refused line to. */
  readonly report?: string | undefined
  /** Whether other callers use the vault meanwhile. */
  readonly isShared?: boolean
}

export type FileImportReport = ImportReport & {
  /** The file with the refused lines, where no report was requested. */
  readonly refusals?: string
}

/**
 * Creates a token from every record of a file or a pipe, as the owner. A refused line does not stop the others. An
 * interrupted import (`cancelled`) keeps its tokens; the next run of a file resumes there and creates nothing twice.
 * Throws `conflict` where the report would replace something else.
 */
export async function importTokens(
  engine: OwnersEngine,
  order: ImportOrder,
  watch: Watch = {},
): Promise<FileImportReport> {
  const { file, stream } = order
  return stream || isPipe(file) ? importPipe(engine, order, watch) : importFile(engine, order, watch)
}

async function importFile(engine: OwnersEngine, order: ImportOrder, watch: Watch): Promise<FileImportReport> {
  const { file, mapping, dry_run, again } = order
  const about = { tenant_id: engine.tenant_id, mapping: JSON.stringify(mapping) }
  const journal = ImportJournal.open(file, about, again || dry_run)
  const report = order.report === undefined ? undefined : ReportFile.open(order.report, journal.lines)
  const stopped = dry_run
    ? 'Stopped. Nothing was written.'
    : 'Stopped. What was imported is kept. Run the same command again to import the rest.'
  const records = {
    ...recordsOrder(order, fs.createReadStream(file, { highWaterMark: PIECE }), watch),
    total: fs.statSync(file).size,
    ledger: journal,
    stopped: () => new CofferError('cancelled', stopped),
  }
  let done: ImportReport
  try {
    done = await importRecords(engine, records, watch)
  } catch (error) {
    report?.write(journal.lines)
    throw error
  }
  report?.write(done.lines)
  if (report && !dry_run) journal.removeRefusals()
  const { refusals } = journal
  return { ...done, ...(!report && refusals !== undefined && { refusals }) }
}

/** A pipe can be read only once, so there is no journal. */
async function importPipe(engine: OwnersEngine, order: ImportOrder, watch: Watch): Promise<FileImportReport> {
  const report = order.report === undefined ? undefined : ReportFile.open(order.report, [])
  const import_id = randomBytes(16).toString('hex')
  const lines: Ledger['lines'][number][] = []
  const ledger: Ledger = {
    state: { records: 0, created: 0, refused: 0, expiring: null },
    resumed: false,
    lines: [],
    refuse: (line) => void lines.push(line),
    idOf: (record) => recordId(import_id, record),
    save() {},
  }
  const stopped = ({ created }: { created: number }) =>
    order.dry_run
      ? 'Stopped. Nothing was written.'
      : `Stopped. ${keptText(created)} A pipe cannot be resumed: the same command would create them again.`
  try {
    const stream = order.stream ?? (await openPipe(order.file, 'r', watch.signal))
    const records = {
      ...recordsOrder(order, stream as Readable, watch),
      total: 0,
      ledger,
      stopped: (counts: { created: number }) => new CofferError('cancelled', stopped(counts)),
    }
    return await importRecords(engine, records, watch)
  } catch (error) {
    if (!watch.signal?.aborted || error instanceof CofferError) throw storageError(error, order.file)
    throw new CofferError('cancelled', 'Stopped. Nothing was imported.', { cause: error })
  } finally {
    report?.write(lines.toSorted((one, other) => one.line - other.line))
  }
}

/** How many tokens an interrupted import leaves behind, as a sentence. */
export function keptText(created: number): string {
  const tokens = counted(created.toLocaleString('en'), 'token')
  return created === 1 ? `${tokens} was created and is kept.` : `${tokens} were created and are kept.`
}

const PIECE = 256 * 1024

function recordsOrder(
  { file, format, mapping, dry_run, isShared = false }: ImportOrder,
  stream: Readable,
  { signal }: Watch,
): Pick<RecordsOrder, 'batches' | 'mapping' | 'dry_run' | 'most_at_once' | 'most_lines'> {
  const onColumns = (columns: readonly string[]) => mapping && checkColumns(mapping, columns)
  return {
    batches: readRecords(stream, { format, name: file, signal }, onColumns),
    mapping,
    dry_run,
    // Where the command line has the vault to itself, no other caller waits. A large commit writes fewer pages a token.
    most_at_once: isShared ? 500 : mostAtOnce,
    most_lines: Number.POSITIVE_INFINITY,
  }
}
