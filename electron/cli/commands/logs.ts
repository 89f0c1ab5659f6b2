import { InvalidArgumentError, Option } from 'commander'
import type { LogsOptions } from '../actions/logs.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { parseDuration } from '../terminal/duration.ts'

const MAX_LIMIT = 5000

/** `coffer logs`: prints the log of a vault, and follows it. */
export function logsCommand(): CofferCommand {
  return new CofferCommand('logs')
    .withVault()
    .withInMemory()
    .description('Print the newest log records of a vault, and with --follow each new one')
    .option('--follow', 'print new records until stopped')
    .addOption(new Option('--status <status>', 'only this status, such as 404 or 4xx').argParser(parseStatus))
    .option('--app <application>', 'only calls of the application with this name or id')
    .option('--action <action>', 'only this action, such as tokens.create')
    .addOption(
      new Option('--since <duration>', 'only records of the last 15m, 1h, 7d or the like').argParser(
        parseDuration,
      ),
    )
    .addOption(
      new Option('--limit <count>', `the number of records, at most ${MAX_LIMIT}`)
        .argParser(parseLimit)
        .default(50),
    )
    .option('--json', 'print each record as one line of JSON for programs')
    .withHelp(`Examples:
  coffer logs --status 4xx
  coffer logs --follow --app Backend
  coffer logs --ephemeral --since 10m --json
  coffer logs --action tokens.create --limit 10

The newest record comes last. The vault may be closed, or open in coffer serve or in the window. If the vault on disk is
not open, and --vault does not name it, the log is that of the running in-memory vault. A record has no data: the
window shows it with its headers. Stop --follow with Ctrl-C.`)
    .action(async (options: LogsOptions, command) =>
      (await import('../actions/logs.ts')).printLogs(options, command),
    )
}

function parseStatus(text: string): string {
  if (/^[1-5](xx|\d\d)$/.test(text)) return text
  throw new InvalidArgumentError('It must be a status such as 404, or a class such as 4xx.')
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (/^\d{1,4}$/.test(text) && limit > 0 && limit <= MAX_LIMIT) return limit
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_LIMIT}.`)
}
