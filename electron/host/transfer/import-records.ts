import type { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { newTokensReport } from '../../../shared/schemas/token-batch.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import type { z } from '../../../shared/zod.ts'
import { owner } from '../../engine/door/call.ts'
import { ofFile } from '../files/located.ts'
import type { Watch } from '../work/background.ts'
import { mapperOf } from './mapping.ts'
import type { OwnersEngine } from './owners-engine.ts'
import type { Batch, SourceRecord } from './source-records.ts'

type Counts = { readonly records: number; readonly created: number; readonly refused: number }

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

  constructor(engine: OwnersEngine, order: RecordsOrder) {
    const { state, resumed, lines } = order.ledger
    this.#engine = engine
    this.#order = order
    this.#mapper = order.mapping && mapperOf(order.mapping)
    this.#lines = [...lines]
    this.#counts = { records: state.records, created: state.created, refused: state.refused }
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
    return { dry_run, ...this.#counts, resumed: ledger.resumed, lines: this.#lines }
  }

  #chunkOf(records: readonly Numbered[]): Chunk {
    const readable: Readable[] = []
    const unreadable: RefusedLine[] = []
    for (const { record, number } of records) {
      const { line } = record
      if ('problem' in record) unreadable.push({ line, message: record.problem })
      else readable.push({ line, number, token: this.#mapper ? this.#mapper(record.row) : record.whole })
    }
    return { records: records.length, readable, unreadable }
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
        message: sentenceOf(detail, errors),
      }))
    const made = readable.length - report.refused.length
    const found = report.refused.filter(isOurs).length
    // In file order, which is not the order of the reasons.
    const lines = [...unreadable, ...refused].sort((one, other) => one.line - other.line)
    for (const line of lines) {
      if (this.#lines.length < this.#order.most_lines) this.#lines.push(line)
      this.#order.ledger.refuse(line)
    }
    this.#counts = {
      records: this.#counts.records + records,
      created: this.#counts.created + made + found,
      refused: this.#counts.refused + lines.length,
    }
    // After the first token that did not exist yet, none exists.
    this.#unsure &&= made === 0 || report.refused.some(({ conflict }) => conflict)
  }

  #save(finished: boolean): void {
    this.#saved_at = performance.now()
    if (!this.#order.dry_run) this.#order.ledger.save({ ...this.#counts, finished })
  }
}

/** The problems, member by member. Validation messages never contain a value (rule A-05). */
function sentenceOf(detail: string, errors: Report['refused'][number]['errors']): string {
  const named = Object.entries(errors ?? {}).map(
    ([path, messages]) => `${path} ${messages.map(ofFile).join(', ')}`,
  )
  return named.length > 0 ? named.join('; ') : detail
}
