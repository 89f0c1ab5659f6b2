import { Command } from 'commander'
import type { DeleteCommandOptions } from '../actions/delete.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer delete`: removes a vault permanently. */
export function deleteCommand(): Command {
  return withVaultOptions(new Command('delete'))
    .description('Permanently delete the files and keychain entry of a vault; backups are kept')
    .option('--yes-delete <name>', 'the name of the vault, to confirm without a prompt')
    .option('--with-backups', 'delete its backups in the data folder too')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer backup --vault work --out /media/stick/work.coffer-backup
  coffer delete --vault work                          asks for the name of the vault
  coffer delete --vault work --yes-delete work --with-backups

The vault must not be open in another process. If the command is killed, the vault is either complete or deleted.
Backups outside the data folder are not touched. A backup opens with the recovery key, or with the passphrase that the
vault had when the backup was created.`,
    )
    .action(async (options: DeleteCommandOptions) =>
      (await import('../actions/delete.ts')).deleteForGood(options),
    )
}
