import { Command } from 'commander'
import type { RecoveryKeyCommandOptions } from '../actions/recovery-key.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'
import { keepMasterHelp, whileStopped } from './about.ts'

/** `coffer recovery-key`: creates a new recovery key. */
export function recoveryKeyCommand(): Command {
  return withVaultOptions(new Command('recovery-key'))
    .description('Create a new recovery key and show it; the old one no longer opens the vault')
    .option('--keep-master', keepMasterHelp)
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer recovery-key --vault work

The vault is copied under a new master secret, so that the old key opens only older backups. A passphrase
stays the same, unless you open the vault with the recovery key: you then set a new one (COFFER_NEW_PASSPHRASE).
${whileStopped}`,
    )
    .action(async (options: RecoveryKeyCommandOptions) =>
      (await import('../actions/recovery-key.ts')).createRecoveryKey(options),
    )
}
