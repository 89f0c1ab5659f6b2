import { Command, Option } from 'commander'
import type { ImportCommandOptions } from '../actions/import.ts'
import { withInMemory } from '../terminal/in-memory.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer import`: creates tokens from a file. */
export function importCommand(): Command {
  return withInMemory(withVaultOptions(new Command('import')))
    .description(
      'Create a token from every line of a CSV or NDJSON file; if interrupted, run it again to resume',
    )
    .argument('<file>', 'the file to import; - reads standard input')
    .option('--map <file>', 'mapping of a line to a token, in YAML or JSON; required for CSV')
    .addOption(
      new Option('--format <format>', 'format of the file, if its name does not say').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--dry-run', 'check every line and write nothing')
    .option('--again', 'import the file even if this vault has imported it before')
    .option('--report <file>', 'write every refused line to this file, as NDJSON')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer import cards.csv --map cards.map.yaml --dry-run
  coffer import tokens.ndjson                   a file that coffer export wrote
  gunzip -c cards.csv.gz | COFFER_PASSPHRASE=… coffer import - --format csv --map cards.map.yaml

cards.map.yaml, where $name refers to a column:
  type: card
  data: { number: $pan, expiration_month: $month, expiration_year: $year }
  containers: [/pci/high/]
  metadata: { customer: $customer_id }

Month and year of a card become numbers. If one column has both, such as 07/31, 0731, 07/2031 or 2031-07-31, write
$expiry | month and $expiry | year. $age | number and $active | boolean convert other columns. If a value cannot be
converted, its line is refused. expires_at is not the expiry of a card: it is when Coffer deletes the token.

The first line of a CSV file names its columns, separated by commas, semicolons or tabs. A line with fewer or more
fields than the first is refused. If lines are refused, the exit code is 1, and every other line is imported.
Both an import and a dry run report how many of the tokens will be deleted within 30 days.

Progress is saved next to the file, in a .coffer-import file for each vault; the same command resumes from there.
Input from a pipe cannot be resumed. A report covers all runs of an import. If its file exists and is not from
this import, it is not changed and nothing is imported. The vault may be open in coffer serve or in the window.`,
    )
    .action(async (file: string, options: ImportCommandOptions) =>
      (await import('../actions/import.ts')).importFile(file, options),
    )
}
