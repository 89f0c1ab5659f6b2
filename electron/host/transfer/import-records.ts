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
/** A chunk on its way. */
type Sent = {
  readonly records: number
  /** Of the records that can be read, in the order they were sent. */
  readonly lines: readonly number[]
  readonly unreadable: readonly RefusedLine[]
  readonly report: Promise<Report>
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
  const { batches, total, mapping, dry_run, ledger } = order
  const lines: RefusedLine[] = [...ledger.lines]
  let { records, created, refused } = ledger.state
  const skip = records
  let unsure = ledger.resumed
  let saved_at = performance.now()
  let seen = 0
  let waiting: Numbered[] = []
  let together = 1
  let unnoted = !ledger.resumed
  let refusing: RefusedLine[] = []

  const refuse = (line: number, message: string) => {
    refused++
    refusing.push({ line, message })
  }
  const save = (finished = false) => {
    saved_at = performance.now()
    if (!dry_run) ledger.save({ records, created, refused, finished })
  }
  const stop = () => {
    save()
    return order.stopped({ records, created, refused })
  }
  /** Sends a chunk; what came of it is told by `settle`, in the order of the chunks. */
  const send = (chunk: readonly Numbered[]): Sent => {
    const readable: { line: number; number: number; token: Json }[] = []
    const unreadable: RefusedLine[] = []
    for (const { record, number } of chunk) {
      const { line } = record
      if ('problem' in record) unreadable.push({ line, message: record.problem })
      else readable.push({ line, number, token: tokenOf(record, mapping) })
    }
    const input = {
      tokens: readable.map(({ token }) => token),
      made_ids: readable.map(({ number }) => ledger.idOf(number)),
      dry_run,
    }
    return {
      records: chunk.length,
      lines: readable.map(({ line }) => line),
      unreadable,
      report: engine.as(owner).tokens.createMany(input),
    }
  }
  const settle = ({ records: asked, lines: sent, unreadable }: Sent, report: Report) => {
    for (const { line, message } of unreadable) refuse(line, message)
    const made = sent.length - report.refused.length
    created += made
    for (const { index, detail, errors, conflict } of report.refused) {
      // After going on, a token may be there because it was made and that was not noted any more.
      if (conflict && unsure) created++
      else refuse(sent[index] ?? 0, sentenceOf(detail, errors))
    }
    // What comes after one that was not there yet is not there either.
    unsure &&= made === 0 || report.refused.some(({ conflict }) => conflict)
    // In the order of the file, which is not that of the reasons.
    refusing.sort((one, other) => one.line - other.line)
    for (const line of refusing) {
      if (lines.length < order.most_lines) lines.push(line)
      ledger.refuse(line)
    }
    refusing = []
    records += asked
  }
  const flush = async () => {
    // Before anything is made, so that a run after this one makes the same ids.
    if (unnoted) save()
    unnoted = false
    const all = waiting
    waiting = []
    const sent: Sent[] = []
    for (let at = 0; at < all.length; at += CHUNK) sent.push(send(all.slice(at, at + CHUNK)))
    await Promise.all(sent.map(({ report }) => report))
    for (const each of sent) settle(each, await each.report)
    together = Math.min(2 * together, order.most_together)
    if (performance.now() - saved_at > SAVE_EVERY_MS) save()
  }

  let before = 0
  for await (const batch of batches) {
    const each = (batch.bytes - before) / batch.records.length
    for (const [at, record] of batch.records.entries()) {
      const number = seen++
      if (number < skip) continue
      waiting.push({ record, number })
      if (waiting.length < together * CHUNK) continue
      if (signal?.aborted) throw stop()
      await flush()
      onProgress?.(Math.round(before + (at + 1) * each), total)
    }
    before = batch.bytes
  }
  if (signal?.aborted) throw stop()
  await flush()
  save(true)
  onProgress?.(total, total)
  return { dry_run, records, created, refused, resumed: ledger.resumed, lines }
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
