import { Command } from 'commander'
import type { RestoreCommandOptions } from '../actions/restore.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer restore`: creates a new vault from a backup. */
export function restoreCommand(): Command {
  return withVaultOptions(new Command('restore'))
    .argument('<file>', 'the backup')
    .description('Create a new vault from a backup; an existing vault is never touched')
    .option('--yes', 'restore even if that brings back deleted data')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer restore work.coffer-backup --vault work
  COFFER_PASSPHRASE=<recovery key> COFFER_NEW_PASSPHRASE=… coffer restore work.coffer-backup

Set COFFER_PASSPHRASE to the passphrase or recovery key that the vault had when it was backed up, or type it.
The new vault is protected in the same way as the backup. If you use the recovery key, the keychain protects it, or a
new passphrase (COFFER_NEW_PASSPHRASE). Its recovery key stays the same.
Everything deleted since the backup comes back, and deleted application keys work again. If the vault that was backed
up is in the data folder and can be opened, Coffer counts what would come back and asks for confirmation, unless --yes
is set.`,
    )
    .action(async (file: string, options: RestoreCommandOptions) =>
      (await import('../actions/restore.ts')).restoreBackup(file, options),
    )
}
