import { InvalidArgumentError, Option } from 'commander'
import type { CompareOptions, ConformCommandOptions } from '../actions/conform.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'

/** `coffer conform`: checks a server against what the documents of the hosted service say. */
export function conformCommand(): CofferCommand {
  return new CofferCommand('conform')
    .withDataDir()
    .withVerbose()
    .description('Check what a server answers against the documents of the hosted service')
    .requiredOption('--url <url>', 'base URL of the server')
    .addOption(new Option('--key <key>', 'private key of a test tenant').env('COFFER_CONFORM_KEY'))
    .addOption(
      new Option('--management <key>', 'management key of the same tenant, for many of the statements').env(
        'COFFER_CONFORM_MANAGEMENT_KEY',
      ),
    )
    .withRun()
    .withHelp(`Examples:
  coffer conform --url http://127.0.0.1:4747 --key key_local_pvt_… --management key_local_mgt_…
  COFFER_CONFORM_KEY=… COFFER_CONFORM_MANAGEMENT_KEY=… \\
    coffer conform --url https://api.test.basistheory.com --report report.html
  coffer conform --url https://api.test.basistheory.com --only tokens --dry-run

Use keys of a test tenant; a key of production is refused. The server gets test cards and made-up values only, never a
value of a vault. The run deletes everything that it has created, also after Ctrl-C. What a crash has left is deleted by the
next run. A run stays within the limits of a test tenant, so that it takes some minutes.

The report has no key and no id. With --report, it is written as HTML, as JSON, as Markdown to send to Coffer's authors,
or as text, by the name of the file. Where the documents are silent, a difference is listed apart.

The exit code is 1 if an answer differs from the documents, or if there was none.`)
    .action(async (options: ConformCommandOptions) =>
      (await import('../actions/conform.ts')).checkConformance(options),
    )
}

/** `coffer compare`: the same statements against two servers. */
export function compareCommand(): CofferCommand {
  return new CofferCommand('compare')
    .withDataDir()
    .withVerbose()
    .description('Find out where two servers answer the same requests differently')
    .addOption(
      new Option('--url <url>', 'base URL of a server; set it twice')
        .argParser(collectValue)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--key <key>', 'private keys in the same order, repeated or with a comma')
        .env('COFFER_CONFORM_KEY')
        .argParser(collectValue),
    )
    .addOption(
      new Option('--management <key>', 'management keys in the same order')
        .env('COFFER_CONFORM_MANAGEMENT_KEY')
        .argParser(collectValue),
    )
    .withRun()
    .withHelp(`Examples:
  coffer compare --url http://127.0.0.1:4747 --url http://127.0.0.1:4748 --key key_local_pvt_a… --key key_local_pvt_b…

The statements are those of coffer conform, and a statement differs where the two servers do not agree. The exit code is
then 1, and also if one of them did not answer. All that coffer conform promises about keys, values and what a run creates
holds for both servers.`)
    .action(async (options: CompareOptions) =>
      (await import('../actions/conform.ts')).compareServers(options),
    )
}

function collectValue(text: string, before: readonly string[] = []): readonly string[] {
  const values = text.split(',')
  if (values.includes('')) throw new InvalidArgumentError('A value is empty.')
  return [...before, ...values]
}
