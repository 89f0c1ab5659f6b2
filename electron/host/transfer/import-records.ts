import type { z } from 'zod'
import type { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { newTokensReport } from '../../../shared/schemas/token-batch.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import { owner } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'
import { ofFile } from '../files/yaml-file.ts'
import type { Watch } from '../work/background.ts'
import { mapped } from './mapping.ts'
import type { Batch, SourceRecord } from './source-records.ts'

type Counts = { readonly records: number; readonly created: number; readonly refused: number }

/** How far an import has come. */
export type Ledger = {
  readonly state: Counts
  /** Whether the import was begun before, so that tokens may be there that were not noted any more. */
  readonly resumed: boolean
  /** What was refused before, in the order of the file. */
  readonly lines: readonly RefusedLine[]
  /** Notes a refused line; `save` keeps it. */
  refuse(line: RefusedLine): void
  /** The id of the token of a record that brings none of its own. */
  idOf(record: number): string
  save(progress: Counts & { readonly finished: boolean }): void
}

export type RecordsOrder = {
  readonly batches: AsyncIterable<Batch>
  /** How many bytes the batches hold. */
  readonly total: number
  /** Null where each record is a token as `coffer export` writes it. */
  readonly mapping: ImportMapping | null
  /** Check every record and write nothing. */
  readonly dry_run: boolean
  readonly ledger: Ledger
  /** How many chunks share a commit, which is quicker but keeps others waiting. */
  readonly most_together: number
  /** How many refused lines are told. */
  readonly most_lines: number
  /** What an import that was stopped rejects with. */
  readonly stopped: (counts: Counts) => CofferError
}

export type RefusedLine = { readonly line: number; readonly message: string }

export type ImportReport = Counts & {
  readonly dry_run: boolean
  readonly resumed: boolean
  /** The refused lines of all runs in the order of the file, up to the most that were asked for. */
  readonly lines: readonly RefusedLine[]
}

type Numbered = { readonly record: SourceRecord; readonly number: number }
type Report = z.output<typeof newTokensReport>
/** A record that can be read, by its place in the file, and the token it becomes. */
type Readable = { readonly line: number; readonly number: number; readonly token: Json }
type Chunk = {
  readonly records: number
  readonly readable: readonly Readable[]
  readonly unreadable: readonly RefusedLine[]
}

/** One call of the engine: about as long as anybody else should have to wait for it. */
const CHUNK = 500
const SAVE_EVERY_MS = 250

/** Makes a token of every record, as the owner, from where the ledger says. A refused one keeps no other one out. */
export async function importRecords(
  engine: Engine,
  order: RecordsOrder,
  { signal, onProgress }: Watch = {},
): Promise<ImportReport> {
  const { batches, total } = order
  const run = new ImportRun(engine, order)
  let before = 0
  for await (const batch of batches) {
    const each = (batch.bytes - before) / batch.records.length
    for (const [at, record] of batch.records.entries()) {
      run.add(record)
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

/** One run of an import: the records that wait to be sent, and what came of those that were. */
class ImportRun {
  readonly #engine: Engine
  readonly #order: RecordsOrder
  readonly #lines: RefusedLine[]
  /** Records an earlier run has dealt with. */
  readonly #skip: number
  #counts: Counts
  /** A token may be there already, made by an earlier run that did not live to note it. */
  #unsure: boolean
  #seen = 0
  #waiting: Numbered[] = []
  /** How many chunks are sent at once; grows, so that a small import keeps nobody waiting. */
  #together = 1
  /** Whether the ledger is written down, so that a run after this one makes the same ids. */
  #isNoted: boolean
  #saved_at = performance.now()

  constructor(engine: Engine, order: RecordsOrder) {
    const { state, resumed, lines } = order.ledger
    this.#engine = engine
    this.#order = order
    this.#lines = [...lines]
    this.#counts = { records: state.records, created: state.created, refused: state.refused }
    this.#skip = state.records
    this.#unsure = resumed
    this.#isNoted = resumed
  }

  /** Takes the next record of the file. */
  add(record: SourceRecord): void {
    const number = this.#seen++
    if (number >= this.#skip) this.#waiting.push({ record, number })
  }

  /** Whether as many records wait as are sent at once. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#together * CHUNK
  }

  /** Sends the records that wait, and notes what came of them in the order of the file. */
  async flush(): Promise<void> {
    if (!this.#isNoted) this.#save(false)
    this.#isNoted = true
    const all = this.#waiting
    this.#waiting = []
    const chunks: Chunk[] = []
    for (let at = 0; at < all.length; at += CHUNK) chunks.push(this.#chunkOf(all.slice(at, at + CHUNK)))
    const sent = chunks.map(async (chunk) => ({ chunk, report: await this.#send(chunk) }))
    for (const { chunk, report } of await Promise.all(sent)) this.#settle(chunk, report)
    this.#together = Math.min(2 * this.#together, this.#order.most_together)
    if (performance.now() - this.#saved_at > SAVE_EVERY_MS) this.#save(false)
  }

  /** Notes how far it has come; gives the error that the import rejects with. */
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
      else readable.push({ line, number, token: tokenOf(record, this.#order.mapping) })
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
    // A token that is there may be one of this import's own.
    const isOurs = ({ conflict }: Report['refused'][number]) => this.#unsure && conflict === true
    const refused = report.refused
      .filter((each) => !isOurs(each))
      .map(({ index, detail, errors }) => ({
        line: readable[index]?.line ?? 0,
        message: sentenceOf(detail, errors),
      }))
    const made = readable.length - report.refused.length
    const found = report.refused.filter(isOurs).length
    // In the order of the file, which is not that of the reasons.
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
    // What comes after one that was not there yet is not there either.
    this.#unsure &&= made === 0 || report.refused.some(({ conflict }) => conflict)
  }

  #save(finished: boolean): void {
    this.#saved_at = performance.now()
    if (!this.#order.dry_run) this.#order.ledger.save({ ...this.#counts, finished })
  }
}

function tokenOf(
  { row, whole }: Extract<SourceRecord, { row: unknown }>,
  mapping: ImportMapping | null,
): Json {
  return mapping ? mapped(mapping, row) : whole
}

/** What is wrong, member by member; the checks' own words never hold a value (rule A-05). */
function sentenceOf(detail: string, errors: Report['refused'][number]['errors']): string {
  const named = Object.entries(errors ?? {}).map(
    ([path, messages]) => `${path} ${messages.map(ofFile).join(', ')}`,
  )
  return named.length > 0 ? named.join('; ') : detail
}
