import fs from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { Command, Option } from 'commander'
import { type ImportMapping, importMapping } from '../../../shared/schemas/transfer.ts'
import { readYaml } from '../../host/files/yaml-file.ts'
import { type FileImportReport, importTokens } from '../../host/transfer/import-tokens.ts'
import { type Format, formatOf } from '../../host/transfer/source-records.ts'
import type { Watch } from '../../host/work/background.ts'
import { counted, note, placeOf, say, withPlace } from '../terminal/common.ts'
import { withProgress } from '../terminal/progress.ts'
import { type InMemory, openOrJoin, shown, withInMemory } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'

type Options = InMemory & {
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

/** `coffer import`: creates tokens from a file. */
export function importCommand(): Command {
  return withInMemory(withPlace(new Command('import')))
    .description(
      'Create a token from every line of a CSV or NDJSON file; if interrupted, run it again to resume',
    )
    .argument('<file>', 'the file to import; - reads standard input')
    .option('--map <file>', 'how a line becomes a token, in YAML or JSON; required for CSV')
    .addOption(
      new Option('--format <format>', 'format of the file, if its name does not say').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--dry-run', 'check every line and write nothing')
    .option('--again', 'import the whole file, even if this vault has imported it before')
    .option('--report <file>', 'write every refused line to this file, as NDJSON')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer import cards.csv --map cards.map.yaml --dry-run
  coffer import tokens.ndjson                   a file that coffer export wrote
  gunzip -c cards.csv.gz | COFFER_PASSPHRASE=… coffer import - --format csv --map cards.map.yaml

cards.map.yaml, where $name stands for a column:
  type: card
  data: { number: $pan, expiration_month: $month, expiration_year: $year }
  containers: [/pci/high/]
  metadata: { customer: $customer_id }
  expires_at: $valid_until

The first line of a CSV file names its columns, separated by commas, semicolons or tabs. A line with fewer or more
fields than the first is refused. Refused lines end the command with exit code 1, and every other line is imported.

Progress is saved beside the file, in a .coffer-import file for each vault; the same command resumes from there.
Input from a pipe cannot be resumed. A report covers all runs of an import. If it already exists and belongs to
something else, it is left as it is and nothing is imported. The vault may be open in coffer serve or in the window.`,
    )
    .action(async (given: string, options: Options) => {
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
    })
}

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

function tell({ lines, refusals, ...counts }: FileImportReport, { report: file, json }: Options): void {
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
  const { created, refused, records, dry_run } = counts
  const did = dry_run ? 'would be created' : 'created'
  say(
    `${counted(created, 'token')} ${did}, ${counted(refused, 'line')} refused, of ${counted(records, 'record')}`,
  )
}
