import fs from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { counted } from '../../../shared/counted.ts'
import { expiringText } from '../../../shared/expiring.ts'
import { type ImportMapping, importMapping } from '../../../shared/schemas/transfer.ts'
import { readYaml } from '../../host/files/yaml-file.ts'
import { type FileImportReport, importTokens } from '../../host/transfer/import-tokens.ts'
import { type Format, formatOf } from '../../host/transfer/source-records.ts'
import type { Watch } from '../../host/work/background.ts'
import { note, placeOf, say } from '../terminal/common.ts'
import type { InMemory } from '../terminal/in-memory.ts'
import { withProgress } from '../terminal/progress.ts'
import { openOrJoin, shown } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'

export async function importFile(given: string, options: Options): Promise<void> {
  if (options.report === '-') throw new UsageError('--report needs the name of a file.')
  const { file, stream } = sourceOf(given)
  const format = options.format ?? formatOf(file)
  if (!format) {
    throw new UsageError(
      `The name ${file} does not say which format it is in. Add --format csv or --format ndjson.`,
    )
  }
  const map: ImportMapping | null =
    options.map === undefined ? null : readYaml(options.map, importMapping).value
  if (format === 'csv' && !map) throw new UsageError('A CSV file needs --map.')
  for (const read of [file, options.map]) refuseReplacing(read, options.report)
  await using vault = await openOrJoin(placeOf(options), options)
  const order = {
    file,
    stream,
    format,
    mapping: map,
    dry_run: options.dryRun === true,
    again: options.again === true,
    report: options.report,
    isShared: vault.session !== null,
  }
  const run = (watch: Watch) => importTokens(vault.engine, order, watch)
  tell(await withProgress('Importing', (watch) => shown(vault, 'import', watch, run)), options)
}

export type Options = InMemory & {
  dataDir?: string
  vault: string
  map?: string
  format?: Format
  dryRun?: true
  again?: true
  report?: string
  json?: true
}

const SHOWN = 20

/** A path, or standard input. `/dev/stdin` cannot be opened where it is a socket. */
function sourceOf(given: string): { file: string; stream?: Readable } {
  if (given === '-' || given === '/dev/stdin') return { file: 'standard input', stream: process.stdin }
  return { file: path.resolve(given) }
}

/** Refuses a report that would overwrite an input file, under any name. */
function refuseReplacing(read: string | undefined, report: string | undefined): void {
  if (read === undefined || report === undefined) return
  const [one, other] = [read, report].map((each) => fs.statSync(each, { throwIfNoEntry: false }))
  if (!one?.isFile() || one.dev !== other?.dev || one.ino !== other.ino) return
  throw new UsageError(`The report would replace ${read}. Give it another name.`)
}

function tell(
  { lines, refusals, together: _, ...counts }: FileImportReport,
  { report: file, json }: Options,
): void {
  if (counts.refused > 0) process.exitCode = 1
  if (json) {
    say(JSON.stringify(file === undefined ? { ...counts, lines } : counts))
    return
  }
  for (const { line, message } of lines.slice(0, SHOWN)) note(`line ${line}: ${message}`)
  if (lines.length > SHOWN) {
    const all = file ?? refusals
    const where = all === undefined ? '--report <file> lists all of them' : `All of them are in ${all}`
    note(`… and ${lines.length - SHOWN} more. ${where}.`)
  }
  const { created, refused, records, dry_run, expiring } = counts
  const did = dry_run ? 'would be created' : 'created'
  say(
    `${counted(created, 'token')} ${did}, ${counted(refused, 'line')} refused, of ${counted(records, 'record')}`,
  )
  if (expiring) note(expiringText(expiring))
}
