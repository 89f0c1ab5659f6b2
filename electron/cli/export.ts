import path from 'node:path'
import { Command, Option } from 'commander'
import { exportTokens } from '../host/transfer/export-tokens.ts'
import { type Format, formatOf } from '../host/transfer/source-records.ts'
import { placeOf, say, withPlace } from './common.ts'
import { confirmClear } from './confirm-clear.ts'
import { withProgress } from './progress.ts'
import { unlock } from './unlock.ts'

type Options = {
  dataDir?: string
  vault: string
  out: string
  format?: Format
  clear?: true
  confirm?: string
  json?: true
}

/** `coffer export`: the tokens of a vault in a file. */
export function exportCommand(): Command {
  return withPlace(new Command('export'))
    .description('Write the tokens of a vault to a new file, masked unless --clear')
    .requiredOption('--out <file>', 'new file to write')
    .addOption(
      new Option(
        '--format <format>',
        'NDJSON can be imported again, CSV is for spreadsheets; else what the name says',
      ).choices(['csv', 'ndjson']),
    )
    .option('--clear', 'write plaintext; the owner confirms it by the name of the vault')
    .option('--confirm <vault>', 'the name of the vault, to confirm without being asked')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer export --out tokens.csv
  coffer export --out tokens.ndjson --clear     to import them elsewhere: coffer import tokens.ndjson

The vault must not be open elsewhere. The log keeps that tokens were exported.`,
    )
    .action(async (options: Options) => {
      const place = placeOf(options)
      const file = path.resolve(options.out)
      const format = options.format ?? formatOf(file) ?? 'ndjson'
      const clear = options.clear === true
      if (clear)
        await confirmClear(place.vault, options.confirm, `${file} will hold every value in plain text.`)
      const { vault } = await unlock(place, { create: 'no' })
      try {
        const tokens = await withProgress('Exporting', (watch) =>
          exportTokens(vault.engine, { file, format, clear }, watch),
        )
        say(options.json ? JSON.stringify({ file, tokens, clear }) : `${tokens} tokens in ${file}`)
      } finally {
        vault.lock()
      }
    })
}
