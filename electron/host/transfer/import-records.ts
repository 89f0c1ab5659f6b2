import type { CofferError } from '../../../shared/errors.ts'
import { type Expiring, withExpiring } from '../../../shared/expiring.ts'
import { type CreatedTogether, mostCreatedTogether } from '../../../shared/find.ts'
import type { Json } from '../../../shared/json.ts'
import type { newTokensReport, StoredToken } from '../../../shared/schemas/token-batch.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import type { z } from '../../../shared/zod.ts'
import { owner } from '../../engine/door/call.ts'
import { ofFile } from '../files/located.ts'
import type { Watch } from '../work/background.ts'
import { columnAt, type Mapped, mapperOf } from './mapping.ts'
import type { OwnersEngine } from './owners-engine.ts'
import type { Batch, SourceRecord } from './source-records.ts'

type Counts = {
  readonly records: number
  readonly created: number
  readonly refused: number
  /** Those of the created tokens that will be deleted; null if none will. */
  readonly expiring: Expiring | null
}

/** The progress of an import. */
export type Ledger = {
  readonly state: Counts
  /** Whether the import was started before: it may have created tokens that were not recorded. */
  readonly resumed: boolean
  /** The lines refused earlier, in file order. */
  readonly lines: readonly RefusedLine[]
  /** Adds a refused line; `save` stores it. */
  refuse(line: RefusedLine): void
  /** The id for the token of a record that has none. */
  idOf(record: number): string
  save(progress: Counts & { readonly finished: boolean }): void
}

export type RecordsOrder = {
  readonly batches: AsyncIterable<Batch>
  /** The size of all batches, in bytes. */
  readonly total: number
  /** Null where each record is already a token, as `coffer export` writes it. */
  readonly mapping: ImportMapping | null
  /** Check every record and write nothing. */
  readonly dry_run: boolean
  readonly ledger: Ledger
  /** How many records one call of the engine, and so one commit, may take: more is faster, but other calls wait longer. */
  readonly most_at_once: number
  /** How many refused lines to report. */
  readonly most_lines: number
  /** The error an interrupted import rejects with. */
  readonly stopped: (counts: Counts) => CofferError
}

export type RefusedLine = { readonly line: number; readonly message: string }

export type ImportReport = Counts & {
  readonly dry_run: boolean
  readonly resumed: boolean
  /** The tokens of this run; null in a dry run, and where they lie in too many places to list. */
  readonly together: readonly CreatedTogether[] | null
  /** The refused lines of all runs in file order, at most `most_lines`. */
  readonly lines: readonly RefusedLine[]
}

type Numbered = { readonly record: SourceRecord; readonly number: number }
type Report = z.output<typeof newTokensReport>
/** A readable record, its place in the file, and the token it becomes. */
type Readable = { readonly line: number; readonly number: number; readonly token: Json }
type Chunk = {
  readonly records: number
  readonly readable: readonly Readable[]
  readonly unreadable: readonly RefusedLine[]
}

/** How many records the first call takes, and about how many bytes of the source any call takes. */
const CHUNK = 500
const CHUNK_BYTES = 1024 * 1024
const SAVE_EVERY_MS = 250

/**
 * Creates a token from every record, as the owner, starting where the ledger says. A refused record does not stop the
 * others.
 */
export async function importRecords(
  engine: OwnersEngine,
  order: RecordsOrder,
  { signal, onProgress }: Watch = {},
): Promise<ImportReport> {
  const { batches, total } = order
  const run = new ImportRun(engine, order)
  let before = 0
  for await (const batch of batches) {
    const each = (batch.bytes - before) / batch.records.length
    for (const [at, record] of batch.records.entries()) {
      run.add(record, each)
      if (!run.isFull) continue
      if (signal?.aborted) throw run.stop()
      await run.flush()
      onProgress?.(Math.round(before + (at + 1) * each), total)
    }
    before = batch.bytes
  }
  if (signal?.aborted) throw run.stop()
  await run.flush()
  const report = run.finish()
  onProgress?.(total, total)
  return report
}

/** One run of an import: the records waiting to be sent, and the results of those sent. */
class ImportRun {
  readonly #engine: OwnersEngine
  readonly #order: RecordsOrder
  readonly #mapper: ReturnType<typeof mapperOf> | null
  readonly #lines: RefusedLine[]
  /** The number of records that earlier runs have handled. */
  readonly #skip: number
  #counts: Counts
  /** Whether a token may exist already, created by an earlier run that died before recording it. */
  #unsure: boolean
  #seen = 0
  #waiting: Numbered[] = []
  /** About how many bytes of the source are waiting. */
  #bytes = 0
  /** How many records one call takes. It grows, so that a small import blocks nobody. */
  #size = CHUNK
  /** Whether the ledger was saved, so that a later run derives the same ids. */
  #isNoted: boolean
  #saved_at = performance.now()
  #together: CreatedTogether[] | null

  constructor(engine: OwnersEngine, order: RecordsOrder) {
    const { state, resumed, lines } = order.ledger
    this.#engine = engine
    this.#order = order
    this.#mapper = order.mapping && mapperOf(order.mapping)
    this.#lines = [...lines]
    const { records, created, refused, expiring } = state
    this.#counts = { records, created, refused, expiring }
    this.#together = order.dry_run ? null : []
    this.#skip = state.records
    this.#unsure = resumed
    this.#isNoted = resumed
  }

  /** Adds the next record of the file, with about how many bytes it takes there. */
  add(record: SourceRecord, bytes: number): void {
    const number = this.#seen++
    if (number < this.#skip) return
    this.#waiting.push({ record, number })
    this.#bytes += bytes
  }

  /** Whether enough records are waiting to be sent. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#size || this.#bytes >= CHUNK_BYTES
  }

  /** Sends the waiting records, and records the results in file order. */
  async flush(): Promise<void> {
    if (!this.#isNoted) this.#save(false)
    this.#isNoted = true
    if (this.#waiting.length === 0) return
    const chunk = this.#chunkOf(this.#waiting)
    this.#waiting = []
    this.#bytes = 0
    this.#settle(chunk, await this.#send(chunk))
    this.#size = Math.min(2 * this.#size, this.#order.most_at_once)
    if (performance.now() - this.#saved_at > SAVE_EVERY_MS) this.#save(false)
  }

  /** Saves the progress, and returns the error to reject with. */
  stop(): CofferError {
    this.#save(false)
    return this.#order.stopped(this.#counts)
  }

  finish(): ImportReport {
    this.#save(true)
    const { dry_run, ledger } = this.#order
    return { dry_run, ...this.#counts, resumed: ledger.resumed, together: this.#together, lines: this.#lines }
  }

  #chunkOf(records: readonly Numbered[]): Chunk {
    const readable: Readable[] = []
    const unreadable: RefusedLine[] = []
    for (const { record, number } of records) {
      const { line } = record
      const read = 'problem' in record ? record : this.#tokenOf(record)
      if ('problem' in read) unreadable.push({ line, message: read.problem })
      else readable.push({ line, number, token: read.token })
    }
    return { records: records.length, readable, unreadable }
  }

  #tokenOf({ row, whole }: Exclude<SourceRecord, { problem: string }>): Mapped | { token: Json } {
    // Only a line of NDJSON has JSON types.
    return this.#mapper ? this.#mapper(row, whole === null) : { token: whole }
  }

  #send({ readable }: Chunk): Promise<Report> {
    const { ledger, dry_run } = this.#order
    const input = {
      tokens: readable.map(({ token }) => token),
      made_ids: readable.map(({ number }) => ledger.idOf(number)),
      dry_run,
    }
    return this.#engine.as(owner).tokens.createMany(input)
  }

  #settle({ records, readable, unreadable }: Chunk, report: Report): void {
    // A token that exists may come from this import.
    const isOurs = ({ conflict }: Report['refused'][number]) => this.#unsure && conflict === true
    const refused = report.refused
      .filter((each) => !isOurs(each))
      .map(({ index, detail, errors }) => ({
        line: readable[index]?.line ?? 0,
        message: this.#sentenceOf(detail, errors),
      }))
    const made = readable.length - report.refused.length
    const found = report.refused.filter(isOurs).length
    // In file order, which is not the order of the reasons.
    const lines = [...unreadable, ...refused].sort((one, other) => one.line - other.line)
    for (const line of lines) {
      if (this.#lines.length < this.#order.most_lines) this.#lines.push(line)
      this.#order.ledger.refuse(line)
    }
    const others = new Set(report.refused.filter((each) => !isOurs(each)).map(({ index }) => index))
    const stored = report.stored.flatMap((token, index) => (token && !others.has(index) ? [token] : []))
    for (const token of stored) this.#list(token)
    this.#counts = {
      records: this.#counts.records + records,
      created: this.#counts.created + made + found,
      refused: this.#counts.refused + lines.length,
      expiring: stored.reduce(
        (sum, { expires_at }) => (expires_at === null ? sum : withExpiring(sum, expires_at, report.now)),
        this.#counts.expiring,
      ),
    }
    // After the first token that did not exist yet, none exists.
    this.#unsure &&= made === 0 || report.refused.some(({ conflict }) => conflict)
  }

  /** Lists a token of the import. A file may give the same token several times. */
  #list({ seq, created_at }: StoredToken): void {
    if (this.#together === null) return
    const last = this.#together.at(-1)
    if (last?.at === created_at && seq === last.last + 1) {
      this.#together[this.#together.length - 1] = { ...last, last: seq }
      return
    }
    if (this.#together.some((each) => each.first <= seq && seq <= each.last && each.at === created_at)) return
    if (this.#together.length === mostCreatedTogether) this.#together = null
    else this.#together.push({ first: seq, last: seq, at: created_at })
  }

  /** The problems, member by member, each with its column. Validation messages never contain a value (rule A-05). */
  #sentenceOf(detail: string, errors: Report['refused'][number]['errors']): string {
    const { mapping } = this.#order
    const named = Object.entries(errors ?? {}).map(([path, messages]) => {
      const column = mapping && columnAt(mapping, path)
      return `${path} ${messages.map(ofFile).join(', ')}${column ? ` (column ${column})` : ''}`
    })
    return named.length > 0 ? named.join('; ') : detail
  }

  #save(finished: boolean): void {
    this.#saved_at = performance.now()
    if (!this.#order.dry_run) this.#order.ledger.save({ ...this.#counts, finished })
  }
}
