import fs from 'node:fs'
import path from 'node:path'
import { Command, Option } from 'commander'
import { CofferError } from '../../shared/errors.ts'
import { type ImportMapping, importMapping } from '../../shared/schemas/transfer.ts'
import type { ImportReport } from '../host/transfer/import-records.ts'
import { importTokens } from '../host/transfer/import-tokens.ts'
import { type Format, formatOf } from '../host/transfer/source-records.ts'
import { readYaml } from '../host/yaml-file.ts'
import { note, placeOf, say, withPlace } from './common.ts'
import { withProgress } from './progress.ts'
import { unlock } from './unlock.ts'
import { UsageError } from './usage-error.ts'
import { writeFile } from './write-file.ts'

type Options = {
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

/** `coffer import`: tokens from a file. */
export function importCommand(): Command {
  return withPlace(new Command('import'))
    .description('Make a token of every line of a CSV or NDJSON file; stopped, it goes on where it was')
    .argument('<file>', 'the file to import')
    .option('--map <file>', 'how a line becomes a token, in YAML or JSON; needed for CSV')
    .addOption(
      new Option('--format <format>', 'what the file is, where its name does not say').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--dry-run', 'check every line and write nothing')
    .option('--again', 'import the file anew though it was imported before')
    .option('--report <file>', 'write the refused lines to a file, as NDJSON')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer import cards.csv --map cards.map.yaml --dry-run
  coffer import tokens.ndjson                   what coffer export wrote

cards.map.yaml, where $name stands for a column:
  type: card
  data: { number: $pan, expiration_month: $month, expiration_year: $year }
  containers: [/pci/high/]
  metadata: { customer: $customer_id }
  expires_at: $valid_until

The first line of a CSV file names its columns; commas, semicolons or tabs separate them.
The vault must not be open elsewhere.`,
    )
    .action(async (given: string, options: Options) => {
      const file = path.resolve(given)
      const format = options.format ?? formatOf(file)
      if (!format)
        throw new UsageError(
          `The name ${given} does not tell the format. Add --format csv or --format ndjson.`,
        )
      const map: ImportMapping | null =
        options.map === undefined ? null : readYaml(options.map, importMapping).value
      if (format === 'csv' && !map) throw new UsageError('A CSV file needs --map.')
      for (const read of [file, options.map]) refuseReplacing(read, options.report)
      // Before anything is made, as a report that cannot be written would be missed afterwards.
      if (options.report !== undefined) writeFile(options.report, '', 0o600)
      const { vault } = await unlock(placeOf(options), { create: 'no' })
      try {
        const order = {
          file,
          format,
          mapping: map,
          dry_run: options.dryRun === true,
          again: options.again === true,
        }
        const report = await withProgress('Importing', (watch) => importTokens(vault.engine, order, watch))
        tell(report, options)
      } finally {
        vault.lock()
      }
    })
}

/** A file that is to be read is not written over, by whichever name. */
function refuseReplacing(read: string | undefined, report: string | undefined): void {
  if (read === undefined || report === undefined) return
  const [one, other] = [read, report].map((each) => fs.statSync(each, { throwIfNoEntry: false }))
  if (!one || one.dev !== other?.dev || one.ino !== other.ino) return
  throw new CofferError('invalid', `The report would replace ${read}. Give it another name.`)
}

function tell(report: ImportReport, { report: file, json }: Options): void {
  const { lines, ...counts } = report
  if (file !== undefined) {
    writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 0o600)
  }
  if (report.refused > 0) process.exitCode = 1
  if (json) {
    say(JSON.stringify(file === undefined ? report : counts))
    return
  }
  for (const { line, message } of lines.slice(0, SHOWN)) note(`line ${line}: ${message}`)
  if (lines.length > SHOWN && file === undefined) note('… and more; all of them with --report <file>')
  const did = report.dry_run ? 'would be made' : 'made'
  say(`${report.created} tokens ${did}, ${report.refused} lines refused, of ${report.records} records`)
}
