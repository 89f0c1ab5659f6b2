import { Command, Option } from 'commander'
import type { ExportCommandOptions } from '../actions/export.ts'
import { withInMemory } from '../terminal/in-memory.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer export`: writes the tokens of a vault to a file or to standard output. */
export function exportCommand(): Command {
  return withInMemory(withVaultOptions(new Command('export')))
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
  coffer export --out tokens.ndjson --clear     for another vault: coffer import tokens.ndjson
  coffer export --out - | jq -r .id

An export has no applications, proxies or documents. coffer push copies them, and coffer backup includes them.
Until the file is complete, it is called <file>.part. If the command is killed, that file stays until the next export to
the same name. The vault may be open in coffer serve or in the window: then --clear asks for its passphrase again. The log
records each export.`,
    )
    .action(async (options: ExportCommandOptions) =>
      (await import('../actions/export.ts')).exportVault(options),
    )
}
