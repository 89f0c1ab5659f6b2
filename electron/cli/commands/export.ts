import path from 'node:path'
import { Command, Option } from 'commander'
import { exportTokens, exportToStream } from '../../host/transfer/export-tokens.ts'
import { type Format, formatOf } from '../../host/transfer/source-records.ts'
import type { Watch } from '../../host/work/background.ts'
import { counted, note, placeOf, say, withPlace } from '../terminal/common.ts'
import { confirmClear } from '../terminal/confirm-clear.ts'
import { withProgress } from '../terminal/progress.ts'
import { type InMemory, nameOf, openOrJoin, shown, withInMemory } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'

type Options = InMemory & {
  dataDir?: string
  vault: string
  out: string
  format?: Format
  clear?: true
  confirm?: string
  json?: true
}

/** `coffer export`: writes the tokens of a vault to a file or to standard output. */
export function exportCommand(): Command {
  return withInMemory(withPlace(new Command('export')))
    .description('Write the tokens of a vault to a new file, masked unless --clear')
    .requiredOption('--out <file>', 'new file to write; - writes to standard output')
    .addOption(
      new Option(
        '--format <format>',
        'ndjson can be imported again, csv is for spreadsheets; by default from the file name, else ndjson',
      ).choices(['csv', 'ndjson']),
    )
    .option('--clear', 'write plain text; asks for the name of the vault to confirm')
    .option('--confirm <vault>', 'the name of the vault, to confirm without a prompt')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer export --out tokens.csv
  coffer export --out tokens.ndjson --clear     for importing elsewhere: coffer import tokens.ndjson
  coffer export --out - | jq -r .id

Applications, proxies and documents are not part of an export. coffer push copies them, coffer backup keeps them.
Until the file is complete, it is called <file>.part. If the command is killed, that stays until the next export to the
same name. The vault may be open in coffer serve or in the window: then --clear
asks for its passphrase again. The log records each export.`,
    )
    .action(async (options: Options) => {
      const place = placeOf(options)
      // Compared by name: `/dev/stdout` may lead to an existing file.
      const toOutput = options.out === '-' || options.out === '/dev/stdout'
      if (toOutput && options.json) {
        throw new UsageError('Standard output takes the tokens or the JSON, not both. Leave out --json.')
      }
      const file = toOutput ? 'standard output' : path.resolve(options.out)
      const format = options.format ?? formatOf(file) ?? 'ndjson'
      const clear = options.clear === true
      if (clear) {
        await confirmClear(
          nameOf(place, options),
          options.confirm,
          `Every value will be in plain text in ${file}.`,
        )
      }
      await using vault = await openOrJoin(place, { ...options, clear })
      const run = (watch: Watch) =>
        toOutput
          ? exportToStream(vault.engine, { format, clear }, process.stdout, watch)
          : exportTokens(vault.engine, { file, format, clear }, watch)
      const tokens = await withProgress('Exporting', (watch) => shown(vault, 'export', watch, run))
      const told = `Wrote ${counted(tokens, 'token')} to ${file}, ${clear ? 'in plain text' : 'masked'}`
      if (toOutput) note(told)
      else say(options.json ? JSON.stringify({ file, tokens, clear }) : told)
    })
}
