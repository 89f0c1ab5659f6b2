import { Command } from 'commander'
import type { RestoreCommandOptions } from '../actions/restore.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer restore`: creates a new vault from a backup. */
export function restoreCommand(): Command {
  return withVaultOptions(new Command('restore'))
    .argument('<file>', 'the backup')
    .description('Create a new vault from a backup; an existing vault is never touched')
    .option('--yes', 'restore even if that brings back what has been deleted since')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer restore work.coffer-backup --vault work
  COFFER_PASSPHRASE=<recovery key> COFFER_NEW_PASSPHRASE=… coffer restore work.coffer-backup

COFFER_PASSPHRASE, or what you type, is the passphrase or recovery key the vault had when it was backed up.
The new vault is protected by what opened the backup. If that was a recovery key, the keychain protects it, or a
new passphrase (COFFER_NEW_PASSPHRASE). Its recovery key stays the same.
What has been deleted since the backup comes back, and deleted application keys work again. If the vault that was
backed up is in the data folder and can be opened, Coffer counts what would come back, and asks or takes --yes.`,
    )
    .action(async (file: string, options: RestoreCommandOptions) =>
      (await import('../actions/restore.ts')).restoreBackup(file, options),
    )
}
