import fs from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { formatExpiring } from '../../../shared/expiring.ts'
import { formatCount } from '../../../shared/format-count.ts'
import { type ImportMapping, importMapping } from '../../../shared/schemas/transfer.ts'
import { readYaml } from '../../host/files/yaml-file.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import { type FileImportReport, importTokens } from '../../host/transfer/import-tokens.ts'
import { detectFormat, type Format } from '../../host/transfer/source-records.ts'
import type { InMemory } from '../terminal/in-memory.ts'
import { withProgress } from '../terminal/progress.ts'
import { announceJob, openOrJoin } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'

export async function importFile(fileArgument: string, options: ImportCommandOptions): Promise<void> {
  if (options.report === '-') throw new UsageError('--report needs the name of a file.')
  const { file, stream } = openSource(fileArgument)
  const format = options.format ?? detectFormat(file)
  if (!format) {
    throw new UsageError(
      `The format of ${file} is not clear from its name. Add --format csv or --format ndjson.`,
    )
  }
  const map: ImportMapping | null =
    options.map === undefined ? null : readYaml(options.map, importMapping).value
  if (format === 'csv' && !map) throw new UsageError('A CSV file needs --map.')
  for (const read of [file, options.map]) rejectOverwriting(read, options.report)
  await using vault = await openOrJoin(toVaultLocation(options), options)
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
  const runImport = (watch: JobWatch) => importTokens(vault.engine, order, watch)
  printReport(
    await withProgress('Importing', (watch) => announceJob(vault, 'import', watch, runImport), 'byte'),
    options,
  )
}

export type ImportCommandOptions = InMemory & {
  dataDir?: string
  vault: string
  map?: string
  format?: Format
  dryRun?: true
  again?: true
  report?: string
  json?: true
}

const MAX_PRINTED_LINES = 20

/** Resolves a path, or returns standard input. `/dev/stdin` cannot be opened by name if it is a socket. */
function openSource(fileArgument: string): { file: string; stream?: Readable } {
  if (fileArgument === '-' || fileArgument === '/dev/stdin')
    return { file: 'standard input', stream: process.stdin }
  return { file: path.resolve(fileArgument) }
}

/** Throws a usage error if the report would overwrite an input file, even through a link or another path. */
function rejectOverwriting(read: string | undefined, report: string | undefined): void {
  if (read === undefined || report === undefined) return
  const [one, other] = [read, report].map((each) => fs.statSync(each, { throwIfNoEntry: false }))
  if (!one?.isFile() || one.dev !== other?.dev || one.ino !== other.ino) return
  throw new UsageError(`The report would replace ${read}. Give it another name.`)
}

function printReport(
  { lines, refusals, together: _, ...counts }: FileImportReport,
  { report: file, json }: ImportCommandOptions,
): void {
  if (counts.refused > 0) process.exitCode = 1
  if (json) {
    printLine(JSON.stringify(file === undefined ? { ...counts, lines } : counts))
    return
  }
  for (const { line, message } of lines.slice(0, MAX_PRINTED_LINES)) printHint(`line ${line}: ${message}`)
  if (lines.length > MAX_PRINTED_LINES) {
    const all = file ?? refusals
    const where = all === undefined ? 'To list all of them, add --report <file>' : `All of them are in ${all}`
    printHint(`… and ${lines.length - MAX_PRINTED_LINES} more. ${where}.`)
  }
  const { created, refused, records, dry_run, expiring } = counts
  const did = dry_run ? 'would be created' : 'created'
  printLine(
    `${formatCount(created, 'token')} ${did}, ${formatCount(refused, 'line')} refused, of ${formatCount(records, 'record')}`,
  )
  if (expiring) printHint(formatExpiring(expiring))
}
