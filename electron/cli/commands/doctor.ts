import { Command } from 'commander'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer doctor`: checks a vault and its environment for problems. */
export function doctorCommand(): Command {
  return withVaultOptions(new Command('doctor'))
    .description('Check a vault and its environment, and suggest what to do')
    .option(
      '--open',
      'also open the vault with its passphrase or recovery key, and check every page and the log',
    )
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer doctor                        needs no key, but uses one from the keychain
  COFFER_PASSPHRASE=… coffer doctor --open --vault work

It changes nothing, and the vault may be open. Each line starts with ok, warn or fail. If any fails, the exit code is 1.`,
    )
    .action(async (options: { dataDir?: string; vault: string; open?: true; json?: true }) =>
      (await import('../actions/doctor.ts')).examineVault(options),
    )
}
