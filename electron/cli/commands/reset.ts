import { Command } from 'commander'
import { type DiscardOptions, withJson, withServerOptions, withYes } from '../terminal/server-options.ts'

/** `coffer reset`: returns a running in-memory vault to its initial state. */
export function resetCommand(): Command {
  return withJson(withYes(withServerOptions(new Command('reset'))))
    .description('Return a running in-memory vault to its seed, or to the state it started in')
    .addHelpText(
      'after',
      `
Examples:
  coffer reset --key key_local_mgt_…
  COFFER_BASE_URL=http://127.0.0.1:5000 COFFER_MANAGEMENT_KEY=key_local_mgt_… coffer reset
  coffer reset --yes

If neither a key nor a URL is set, on the command line or in the environment (as coffer run does), the command asks for
confirmation, unless --yes is set.`,
    )
    .action(async (options: DiscardOptions, command: Command) => {
      const { returnVault } = await import('../actions/return-vault.ts')
      await returnVault(options, command, {
        path: '/_coffer/reset',
        to: 'its seed, or to the state it started in',
      })
    })
}
