import { Command } from 'commander'
import type { StatusCommandOptions } from '../actions/status.ts'
import { createPublishedPortOption } from '../terminal/published-port.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer status`: lists the vaults and where each is open. */
export function statusCommand(): Command {
  return withVaultOptions(new Command('status'))
    .description('List the vaults in the data folder and in memory, and where each is open')
    .addOption(createPublishedPortOption())
    .option('--json', 'print one line of JSON for programs')
    .addHelpText('after', '\nExamples:\n  coffer status\n  coffer status --json')
    .action(async (options: StatusCommandOptions) =>
      (await import('../actions/status.ts')).showStatus(options),
    )
}
