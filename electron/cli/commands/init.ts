import { Command } from 'commander'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer init`: creates a vault with its starter applications. */
export function initCommand(): Command {
  return withVaultOptions(new Command('init'))
    .description('Create a vault with three starter applications')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer init                                 protected by the keychain, or by a passphrase it asks for
  COFFER_PASSPHRASE=… coffer init --vault work`,
    )
    .action(async (options: { dataDir?: string; vault: string; json?: true }) =>
      (await import('../actions/init.ts')).initVault(options),
    )
}
