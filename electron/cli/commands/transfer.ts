import { Option } from 'commander'
import type { ExportCommandOptions } from '../actions/export.ts'
import type { ImportCommandOptions } from '../actions/import.ts'
import type { PushCommandOptions } from '../actions/push.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'

/** `coffer import`: creates tokens from a file. */
export function importCommand(): CofferCommand {
  return new CofferCommand('import')
    .withVault()
    .withInMemory()
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
    .withJson()
    .withHelp(`Examples:
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
this import, it is not changed and nothing is imported. The vault may be open in coffer serve or in the window.`)
    .action(async (file: string, options: ImportCommandOptions) =>
      (await import('../actions/import.ts')).importFile(file, options),
    )
}

/** `coffer export`: writes the tokens of a vault to a file or to standard output. */
export function exportCommand(): CofferCommand {
  return new CofferCommand('export')
    .withVault()
    .withInMemory()
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
    .withJson()
    .withHelp(`Examples:
  coffer export --out tokens.csv
  coffer export --out tokens.ndjson --clear     for another vault: coffer import tokens.ndjson
  coffer export --out - | jq -r .id

An export has no applications, proxies or documents. coffer push copies them, and coffer backup includes them.
Until the file is complete, it is called <file>.part. If the command is killed, that file stays until the next export to
the same name. The vault may be open in coffer serve or in the window: then --clear asks for its passphrase again. The log
records each export.`)
    .action(async (options: ExportCommandOptions) =>
      (await import('../actions/export.ts')).exportVault(options),
    )
}

/** `coffer push`: copies the vault to another server with the same API. */
export function pushCommand(): CofferCommand {
  return new CofferCommand('push')
    .withVault()
    .withInMemory()
    .description('Copy a vault to another server with the same API; if interrupted, run it again to resume')
    .requiredOption('--to <url>', 'base URL of the server')
    .addOption(
      new Option('--key <key>', "that server's private key, with permission to create tokens").env(
        'COFFER_PUSH_KEY',
      ),
    )
    .addOption(
      new Option(
        '--management-key <key>',
        "that server's management key; without it, only tokens and documents are copied",
      ).env('COFFER_PUSH_MANAGEMENT_KEY'),
    )
    .option('--state <file>', 'file that records the progress of the push; by default in the data folder')
    .option('--report <file>', 'then read every token from the server, and write how it differs, as NDJSON')
    .option('--confirm <vault>', 'the name of the vault, to confirm without a prompt')
    .option('--dry-run', 'list what would be copied, and change nothing')
    .withJson()
    .withHelp(`Examples:
  coffer push --to http://127.0.0.1:4748 --key key_local_pvt_…
  COFFER_PUSH_KEY=… coffer push --to https://api.example.com --confirm default

Tokens, documents, code and configuration are sent unencrypted (apart from TLS). With a management key,
applications, proxies, reactors, merchants, webhooks, the settings of the tenant and its security contact are copied
too. Application keys and client encryption keys cannot be copied: create new ones there. The server gives each proxy a
new key. Invitations are not copied, because the server might send them by email, network tokens are not, because
the networks of the server make their own, and agents and enrollments are not, because the server verifies cardholders
itself.
The server keeps what it already has: a token with the same id, an application with the same name, type, permissions
and rules, or a proxy, reactor, merchant or webhook with the same name.
With --report, the new file lists what was refused or not copied, and each token: the same on the server, different, or
missing. It contains no data, masks or values of metadata. With --dry-run too, it is written without a push, and data
is not compared.
Documents get new ids. --json lists them, and the --state file records them, so that the next push sends no document twice.
The vault may be open in coffer serve or in the window: then you are asked for its passphrase again.`)
    .action(async (options: PushCommandOptions) => (await import('../actions/push.ts')).pushTokens(options))
}
