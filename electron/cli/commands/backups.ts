import type { RestoreCommandOptions } from '../actions/restore.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'

/** `coffer backup`: writes one encrypted, verified file, even while another process has the vault open. */
export function backupCommand(): CofferCommand {
  return new CofferCommand('backup')
    .withVault()
    .description('Back up a vault to one encrypted, verified file, even while it is open')
    .option('--out <file>', 'new file to write; by default in the folder "backups" of the data folder')
    .withJson()
    .withHelp(`Examples:
  coffer backup                              into the folder for daily backups
  coffer backup --out /media/stick/coffer.coffer-backup
  COFFER_PASSPHRASE=… coffer backup --json

coffer restore opens it with the passphrase or keychain of the vault, or on any machine with its recovery key.`)
    .action(async (options: { dataDir?: string; vault: string; out?: string; json?: true }) =>
      (await import('../actions/backup.ts')).backUp(options),
    )
}

/** `coffer restore`: creates a new vault from a backup. */
export function restoreCommand(): CofferCommand {
  return new CofferCommand('restore')
    .withVault()
    .argument('<file>', 'the backup')
    .description('Create a new vault from a backup; an existing vault is never touched')
    .option('--yes', 'restore even if that brings back deleted data')
    .withJson()
    .withHelp(`Examples:
  coffer restore work.coffer-backup --vault work
  COFFER_PASSPHRASE=<recovery key> COFFER_NEW_PASSPHRASE=… coffer restore work.coffer-backup

Set COFFER_PASSPHRASE to the passphrase or recovery key that the vault had when it was backed up, or type it.
The new vault is protected in the same way as the backup. If you use the recovery key, the keychain protects it, or a
new passphrase (COFFER_NEW_PASSPHRASE). Its recovery key stays the same.
Everything deleted since the backup comes back, and deleted application keys work again. If the vault that was backed
up is in the data folder and can be opened, Coffer counts what would come back and asks for confirmation, unless --yes
is set.`)
    .action(async (file: string, options: RestoreCommandOptions) =>
      (await import('../actions/restore.ts')).restoreBackup(file, options),
    )
}

/** `coffer verify`: checks that a backup is intact. */
export function verifyCommand(): CofferCommand {
  return new CofferCommand('verify')
    .argument('<file>', 'the backup')
    .description('Verify the checksum of a backup, and with --open its database')
    .option(
      '--open',
      'open its database with the passphrase, recovery key or keychain, and check every page and the log',
    )
    .withJson()
    .withHelp(`Examples:
  coffer verify work.coffer-backup                     needs no key
  COFFER_PASSPHRASE=… coffer verify work.coffer-backup --open

If the backup is damaged, the exit code is 1.`)
    .action(async (file: string, options: { open?: true; json?: true }) =>
      (await import('../actions/verify.ts')).verifyFile(file, options),
    )
}
