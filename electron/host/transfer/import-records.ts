import type { CofferError } from '../../../shared/errors.ts'
import { type Expiring, withExpiring } from '../../../shared/expiring.ts'
import { type CreatedTogether, MAX_CREATED_TOGETHER } from '../../../shared/find.ts'
import type { Json } from '../../../shared/json.ts'
import type { newTokensReport, StoredToken } from '../../../shared/schemas/token-batch.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import type { z } from '../../../shared/zod.ts'
import { owner } from '../../engine/index.ts'
import { rewordForFile } from '../files/member-location.ts'
import type { JobWatch } from '../jobs/background.ts'
import { createMapper, findColumn, type Mapped } from './mapping.ts'
import type { OwnersEngine } from './owner-client.ts'
import type { SourceBatch, SourceRecord } from './source-records.ts'

type ImportCounts = {
  readonly records: number
  readonly created: number
  readonly refused: number
  /** The created tokens that expire; null if none does. */
  readonly expiring: Expiring | null
}

/** The progress of an import. */
export type Ledger = {
  readonly state: ImportCounts
  /** Whether the import was started before. If so, it may have created tokens that were not recorded. */
  readonly resumed: boolean
  readonly lines: readonly RejectedLine[]
  addRefusal(line: RejectedLine): void
  getTokenId(record: number): string
  save(progress: ImportCounts & { readonly finished: boolean }): void
}

export type RecordsJob = {
  readonly batches: AsyncIterable<SourceBatch>
  /** The size of all batches, in bytes. */
  readonly total: number
  /** Null if each record is already a token, as `coffer export` writes it. */
  readonly mapping: ImportMapping | null
  /** Whether to only check every record, without writing anything. */
  readonly dry_run: boolean
  readonly ledger: Ledger
  /**
   * The maximum number of records per engine call, and therefore per commit. With more, the import is faster, but
   * other callers wait longer.
   */
  readonly most_at_once: number
  readonly most_lines: number
  /** Creates the error that an interrupted import rejects with. */
  readonly createStoppedError: (counts: ImportCounts) => CofferError
}

export type RejectedLine = { readonly line: number; readonly message: string }

export type ImportReport = ImportCounts & {
  readonly dry_run: boolean
  readonly resumed: boolean
  /** The tokens of this run. Null in a dry run, and if they are in too many groups to list. */
  readonly together: readonly CreatedTogether[] | null
  /** The rejected lines of all runs in file order, at most `most_lines`. */
  readonly lines: readonly RejectedLine[]
}

type NumberedRecord = { readonly record: SourceRecord; readonly number: number }
type NewTokensReport = z.output<typeof newTokensReport>
/** A readable record, its location in the file, and its token. */
type ReadableRecord = { readonly line: number; readonly number: number; readonly token: Json }
type ImportChunk = {
  readonly records: number
  readonly readable: readonly ReadableRecord[]
  readonly unreadable: readonly RejectedLine[]
}

/**
 * The maximum number of records in the first call, and roughly the maximum number of bytes of the source in any call.
 */
const FIRST_CALL_RECORDS = 500
const CHUNK_BYTES = 1024 * 1024
const SAVE_INTERVAL_MS = 250

/**
 * Creates a token from every record, as the owner, starting at the ledger's position. A rejected record does not stop
 * the others.
 */
export async function importRecords(
  engine: OwnersEngine,
  job: RecordsJob,
  { signal, onProgress }: JobWatch = {},
): Promise<ImportReport> {
  const { batches, total } = job
  const run = new ImportRun(engine, job)
  let before = 0
  for await (const batch of batches) {
    const each = (batch.bytes - before) / batch.records.length
    for (const [at, record] of batch.records.entries()) {
      run.addRecord(record, each)
      if (!run.isFull) continue
      if (signal?.aborted) throw run.stopImport()
      await run.flush()
      onProgress?.(Math.round(before + (at + 1) * each), total)
    }
    before = batch.bytes
  }
  if (signal?.aborted) throw run.stopImport()
  await run.flush()
  const report = run.finishImport()
  onProgress?.(total, total)
  return report
}

/** One run of an import: the records to send, and the results of those already sent. */
class ImportRun {
  readonly #engine: OwnersEngine
  readonly #job: RecordsJob
  readonly #mapper: ReturnType<typeof createMapper> | null
  readonly #lines: RejectedLine[]
  /** The number of records that earlier runs have handled. */
  readonly #skip: number
  #counts: ImportCounts
  /** Whether a token may exist already, created by an earlier run that died before recording it. */
  #mayExist: boolean
  #readCount = 0
  #pending: NumberedRecord[] = []
  /** The approximate size of the pending records in the source, in bytes. */
  #bytes = 0
  /**
   * The maximum number of records per call. It starts small and grows, so that a small import does not block other
   * callers.
   */
  #size = FIRST_CALL_RECORDS
  /** Whether the ledger was saved, so that a later run derives the same ids. */
  #isSaved: boolean
  #saved_at = performance.now()
  #together: CreatedTogether[] | null

  constructor(engine: OwnersEngine, job: RecordsJob) {
    const { state, resumed, lines } = job.ledger
    this.#engine = engine
    this.#job = job
    this.#mapper = job.mapping && createMapper(job.mapping)
    this.#lines = [...lines]
    const { records, created, refused, expiring } = state
    this.#counts = { records, created, refused, expiring }
    this.#together = job.dry_run ? null : []
    this.#skip = state.records
    this.#mayExist = resumed
    this.#isSaved = resumed
  }

  /** Adds the next record of the file. `bytes` is its approximate size in the file. */
  addRecord(record: SourceRecord, bytes: number): void {
    const number = this.#readCount++
    if (number < this.#skip) return
    this.#pending.push({ record, number })
    this.#bytes += bytes
  }

  get isFull(): boolean {
    return this.#pending.length >= this.#size || this.#bytes >= CHUNK_BYTES
  }

  async flush(): Promise<void> {
    if (!this.#isSaved) this.#saveProgress(false)
    this.#isSaved = true
    if (this.#pending.length === 0) return
    const chunk = this.#toChunk(this.#pending)
    this.#pending = []
    this.#bytes = 0
    this.#recordResults(chunk, await this.#sendChunk(chunk))
    this.#size = Math.min(2 * this.#size, this.#job.most_at_once)
    if (performance.now() - this.#saved_at > SAVE_INTERVAL_MS) this.#saveProgress(false)
  }

  stopImport(): CofferError {
    this.#saveProgress(false)
    return this.#job.createStoppedError(this.#counts)
  }

  finishImport(): ImportReport {
    this.#saveProgress(true)
    const { dry_run, ledger } = this.#job
    return { dry_run, ...this.#counts, resumed: ledger.resumed, together: this.#together, lines: this.#lines }
  }

  #toChunk(records: readonly NumberedRecord[]): ImportChunk {
    const readable: ReadableRecord[] = []
    const unreadable: RejectedLine[] = []
    for (const { record, number } of records) {
      const { line } = record
      const read = 'problem' in record ? record : this.#toToken(record)
      if ('problem' in read) unreadable.push({ line, message: read.problem })
      else readable.push({ line, number, token: read.token })
    }
    return { records: records.length, readable, unreadable }
  }

  #toToken({ row, json }: Exclude<SourceRecord, { problem: string }>): Mapped | { token: Json } {
    // Without a mapping, each line of NDJSON is a token.
    return this.#mapper ? this.#mapper(row, json === null) : { token: json }
  }

  #sendChunk({ readable }: ImportChunk): Promise<NewTokensReport> {
    const { ledger, dry_run } = this.#job
    const input = {
      tokens: readable.map(({ token }) => token),
      made_ids: readable.map(({ number }) => ledger.getTokenId(number)),
      dry_run,
    }
    return this.#engine.as(owner).tokens.createMany(input)
  }

  #recordResults({ records, readable, unreadable }: ImportChunk, report: NewTokensReport): void {
    // A token that already exists may have been created by an earlier run of this import.
    const isOurs = ({ conflict }: NewTokensReport['refused'][number]) => this.#mayExist && conflict === true
    const rejected = report.refused
      .filter((each) => !isOurs(each))
      .map(({ index, detail, errors }) => ({
        line: readable[index]?.line ?? 0,
        message: this.#describeErrors(detail, errors),
      }))
    const createdCount = readable.length - report.refused.length
    const foundCount = report.refused.filter(isOurs).length
    // Sorted into file order, because unreadable and rejected lines were collected separately.
    const lines = [...unreadable, ...rejected].sort((one, other) => one.line - other.line)
    for (const line of lines) {
      if (this.#lines.length < this.#job.most_lines) this.#lines.push(line)
      this.#job.ledger.addRefusal(line)
    }
    const rejectedIndexes = new Set(report.refused.filter((each) => !isOurs(each)).map(({ index }) => index))
    const stored = report.stored.flatMap((token, index) =>
      token && !rejectedIndexes.has(index) ? [token] : [],
    )
    for (const token of stored) this.#listToken(token)
    this.#counts = {
      records: this.#counts.records + records,
      created: this.#counts.created + createdCount + foundCount,
      refused: this.#counts.refused + lines.length,
      expiring: stored.reduce(
        (sum, { expires_at }) => (expires_at === null ? sum : withExpiring(sum, expires_at, report.now)),
        this.#counts.expiring,
      ),
    }
    // Records are created in order, so once a chunk has created tokens without any conflict, no later record has a
    // token from an earlier run.
    this.#mayExist &&= createdCount === 0 || report.refused.some(({ conflict }) => conflict)
  }

  /**
   * Adds a stored token to the list of groups, unless it is listed already: a file may contain the same token several
   * times.
   */
  #listToken({ seq, created_at }: StoredToken): void {
    if (this.#together === null) return
    const last = this.#together.at(-1)
    if (last?.at === created_at && seq === last.last + 1) {
      this.#together[this.#together.length - 1] = { ...last, last: seq }
      return
    }
    if (this.#together.some((each) => each.first <= seq && seq <= each.last && each.at === created_at)) return
    if (this.#together.length === MAX_CREATED_TOGETHER) this.#together = null
    else this.#together.push({ first: seq, last: seq, at: created_at })
  }

  /**
   * Describes the errors of each member, with the column that supplies it. Validation messages never contain a value
   * (rule A-05).
   */
  #describeErrors(detail: string, errors: NewTokensReport['refused'][number]['errors']): string {
    const { mapping } = this.#job
    const fieldMessages = Object.entries(errors ?? {}).map(([path, messages]) => {
      const column = mapping && findColumn(mapping, path)
      return `${path} ${messages.map(rewordForFile).join(', ')}${column ? ` (column ${column})` : ''}`
    })
    return fieldMessages.length > 0 ? fieldMessages.join('; ') : detail
  }

  #saveProgress(finished: boolean): void {
    this.#saved_at = performance.now()
    if (!this.#job.dry_run) this.#job.ledger.save({ ...this.#counts, finished })
  }
}
