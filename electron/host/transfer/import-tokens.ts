import fs from 'node:fs'
import type { z } from 'zod'
import { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { newTokensReport } from '../../../shared/schemas/token-batch.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Watch } from '../background.ts'
import { ImportJournal } from './import-journal.ts'
import { checkColumns, type Mapping, mapped } from './mapping.ts'
import { type Format, readRecords, type SourceRecord } from './source-records.ts'

export type ImportOrder = {
  readonly file: string
  readonly format: Format
  /** Null where each line is a token as `coffer export` writes it. */
  readonly mapping: Mapping | null
  /** Check every line and write nothing. */
  readonly dry_run: boolean
  /** Forget an import of this file that was finished or stopped. */
  readonly again: boolean
}

export type RefusedLine = { readonly line: number; readonly message: string }

export type ImportReport = {
  readonly dry_run: boolean
  readonly records: number
  /** Tokens made, those of an import that was stopped before included. */
  readonly created: number
  readonly refused: number
  readonly resumed: boolean
  /** Every refused line of this run, up to a thousand. */
  readonly lines: readonly RefusedLine[]
}

type Numbered = { readonly record: SourceRecord; readonly number: number }
type Report = z.output<typeof newTokensReport>

/** Each chunk is a commit of its own. */
const CHUNK = 500
const MOST_LINES = 1000
const SAVE_EVERY_MS = 250
const owner = { kind: 'owner' } as const

/**
 * Makes a token of every record of a file, as the owner. A line that is refused keeps no other one out. What was made
 * is kept when it is stopped (`conflict`), and the next run goes on from there without making any twice.
 */
export async function importTokens(
  engine: Engine,
  order: ImportOrder,
  { signal, onProgress }: Watch = {},
): Promise<ImportReport> {
  const { file, format, mapping, dry_run, again } = order
  const about = { tenant_id: engine.tenant_id, mapping: JSON.stringify(mapping) }
  const journal = ImportJournal.open(file, about, again || dry_run)
  const total = fs.statSync(file).size
  const lines: RefusedLine[] = []
  let { records, created, refused } = journal.state
  const skip = records
  let unsure = journal.resumed
  let saved_at = performance.now()
  let seen = 0
  let waiting: Numbered[] = []

  const refuse = (line: number, message: string) => {
    refused++
    if (lines.length < MOST_LINES) lines.push({ line, message })
  }
  const save = (finished = false) => {
    saved_at = performance.now()
    if (!dry_run) journal.save({ records, created, refused, finished })
  }
  const stop = () => {
    save()
    return stopped(dry_run)
  }
  const flush = async () => {
    const chunk = waiting
    waiting = []
    if (chunk.length === 0) return
    const readable = chunk.flatMap(({ record, number }) => {
      if ('problem' in record) {
        refuse(record.line, record.problem)
        return []
      }
      return [{ line: record.line, token: tokenOf(record, mapping, journal.idOf(number)) }]
    })
    const { output } = await engine.call(
      'tokens.createMany',
      { tokens: readable.map(({ token }) => token), dry_run },
      owner,
    )
    const report = output as Report
    created += readable.length - report.refused.length
    for (const { index, detail, errors, conflict } of report.refused) {
      // After going on, a token may be there because it was made and that was not noted any more.
      if (conflict && unsure) created++
      else refuse(readable[index]?.line ?? 0, sentenceOf(detail, errors))
    }
    unsure &&= report.refused.some(({ conflict }) => conflict)
    records += chunk.length
    if (performance.now() - saved_at > SAVE_EVERY_MS) save()
  }

  for await (const batch of readRecords(
    file,
    format,
    (columns) => mapping && checkColumns(mapping, columns),
  )) {
    for (const record of batch.records) {
      const number = seen++
      if (number < skip) continue
      waiting.push({ record, number })
      if (waiting.length < CHUNK) continue
      if (signal?.aborted) throw stop()
      await flush()
      onProgress?.(batch.bytes, total)
    }
  }
  if (signal?.aborted) throw stop()
  await flush()
  save(true)
  onProgress?.(total, total)
  return { dry_run, records, created, refused, resumed: journal.resumed, lines }
}

function tokenOf(record: Extract<SourceRecord, { row: unknown }>, mapping: Mapping | null, id: string): Json {
  const token = mapping ? mapped(mapping, record.row) : (record.whole as Record<string, Json>)
  return token.id === undefined || token.id === null ? { ...token, id } : token
}

/** What is wrong, member by member; the checks' own words never hold a value (rule A-05). */
function sentenceOf(detail: string, errors: Report['refused'][number]['errors']): string {
  const named = Object.entries(errors ?? {}).map(([path, messages]) => `${path} ${messages.join(', ')}`)
  return named.length > 0 ? named.join('; ') : detail
}

function stopped(dry_run: boolean): CofferError {
  return new CofferError(
    'conflict',
    dry_run
      ? 'Stopped. Nothing was written.'
      : 'Stopped. What was imported is kept; the same command goes on from there.',
  )
}
