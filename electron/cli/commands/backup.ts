import { Command } from 'commander'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer backup`: writes one encrypted, verified file, even while another process has the vault open. */
export function backupCommand(): Command {
  return withVaultOptions(new Command('backup'))
    .description('Back up a vault to one encrypted, verified file, even while it is open')
    .option('--out <file>', 'new file to write; by default in the folder "backups" of the data folder')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer backup                              into the folder for daily backups
  coffer backup --out /media/stick/coffer.coffer-backup
  COFFER_PASSPHRASE=… coffer backup --json

coffer restore opens it with the passphrase or keychain of the vault, or on any machine with its recovery key.`,
    )
    .action(async (options: { dataDir?: string; vault: string; out?: string; json?: true }) =>
      (await import('../actions/backup.ts')).backUp(options),
    )
}
