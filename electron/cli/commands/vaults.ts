import type { DeleteCommandOptions } from '../actions/delete.ts'
import type { StatusCommandOptions } from '../actions/status.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { createPublishedPortOption } from '../terminal/published-port.ts'

/** `coffer init`: creates a vault with its starter applications. */
export function initCommand(): CofferCommand {
  return new CofferCommand('init')
    .withVault()
    .description('Create a vault with three starter applications')
    .withJson()
    .withHelp(`Examples:
  coffer init                                 protected by the keychain, or by a passphrase it asks for
  COFFER_PASSPHRASE=… coffer init --vault work`)
    .action(async (options: { dataDir?: string; vault: string; json?: true }) =>
      (await import('../actions/init.ts')).initVault(options),
    )
}

/** `coffer status`: lists the vaults and where each is open. */
export function statusCommand(): CofferCommand {
  return new CofferCommand('status')
    .withVault()
    .description('List the vaults in the data folder and in memory, and where each is open')
    .addOption(createPublishedPortOption())
    .withJson()
    .withHelp('Examples:\n  coffer status\n  coffer status --json')
    .action(async (options: StatusCommandOptions) =>
      (await import('../actions/status.ts')).showStatus(options),
    )
}

/** `coffer delete`: removes a vault permanently. */
export function deleteCommand(): CofferCommand {
  return new CofferCommand('delete')
    .withVault()
    .description('Permanently delete the files and keychain entry of a vault; backups are kept')
    .option('--yes-delete <name>', 'the name of the vault, to confirm without a prompt')
    .option('--with-backups', 'delete its backups in the data folder too')
    .withJson()
    .withHelp(`Examples:
  coffer backup --vault work --out /media/stick/work.coffer-backup
  coffer delete --vault work                          asks for the name of the vault
  coffer delete --vault work --yes-delete work --with-backups

The vault must not be open in another process. If the command is killed, the vault is either complete or deleted.
Backups outside the data folder are not touched. A backup opens with the recovery key, or with the passphrase that the
vault had when the backup was created.`)
    .action(async (options: DeleteCommandOptions) =>
      (await import('../actions/delete.ts')).deleteForGood(options),
    )
}

/** `coffer doctor`: checks a vault and its environment for problems. */
export function doctorCommand(): CofferCommand {
  return new CofferCommand('doctor')
    .withVault()
    .description('Check a vault and its environment, and suggest what to do')
    .option(
      '--open',
      'also open the vault with its passphrase or recovery key, and check every page and the log',
    )
    .withJson()
    .withHelp(`Examples:
  coffer doctor                        needs no key, but uses one from the keychain
  COFFER_PASSPHRASE=… coffer doctor --open --vault work

It changes nothing, and the vault may be open. Each line starts with ok, warn or fail. If any fails, the exit code is 1.`)
    .action(async (options: { dataDir?: string; vault: string; open?: true; json?: true }) =>
      (await import('../actions/doctor.ts')).examineVault(options),
    )
}
