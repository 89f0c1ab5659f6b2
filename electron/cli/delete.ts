import { Command } from 'commander'
import { type Deleted, type Doomed, deleteVault, toBeDeleted } from '../host/delete-vault.ts'
import { note, placeOf, say, withPlace } from './common.ts'
import { confirmName } from './confirm-name.ts'

type Options = {
  dataDir?: string
  vault: string
  yesDelete?: string
  withBackups?: true
  json?: true
}

/** `coffer delete`: removes a vault for good. */
export function deleteCommand(): Command {
  return withPlace(new Command('delete'))
    .description('Delete a vault for good: its files and its keychain entry; its backups stay')
    .option('--yes-delete <name>', 'the name of the vault, to confirm without being asked')
    .option('--with-backups', 'delete its backups in the data folder too')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer backup --vault work --out /media/stick/work.coffer-backup
  coffer delete --vault work                          asks for the name of the vault
  coffer delete --vault work --yes-delete work --with-backups

The vault must not be open elsewhere. Killed at any moment, the vault is whole or gone.
Backups elsewhere stay as they are. A backup opens with the recovery key, or the passphrase it was made under.`,
    )
    .action(async (options: Options) => {
      const { dataDir, vault: name } = placeOf(options)
      const with_backups = options.withBackups === true
      const doomed = toBeDeleted({ dataDir, name })
      await confirmName(name, options.yesDelete, {
        warning: warningOf(name, doomed, with_backups),
        unasked: `A vault is deleted only when its owner confirms it: --yes-delete ${name}`,
      })
      tell(name, await deleteVault({ dataDir, name, with_backups }), doomed, options.json)
    })
}

function warningOf(name: string, doomed: Doomed, with_backups: boolean): string {
  return `The vault ${name} in ${doomed.folder} will be deleted for good. ${aboutBackups(doomed, with_backups)}`
}

function aboutBackups({ backups, backups_in, protection }: Doomed, with_backups: boolean): string {
  const many = counted(backups.length)
  if (backups.length === 0) {
    return `There is no backup of it in ${backups_in}: to keep a copy, run coffer backup --out first.`
  }
  if (protection === null) {
    return `Its files do not say which backups are its own: ${many} in ${backups_in} will be kept.`
  }
  if (with_backups) return `${many} of it in ${backups_in} will be deleted too.`
  const opens =
    protection === 'keychain' ? 'Its recovery key alone opens' : 'Passphrase or recovery key opens'
  return `${many} of it in ${backups_in} will be kept. ${opens} them: have it at hand.`
}

function tell(name: string, done: Deleted, { backups_in }: Doomed, json: true | undefined): void {
  const { backups_kept, backups_removed, keychain_left } = done
  for (const { service, account } of keychain_left) {
    note(`The keychain still has the entry ${account} of ${service}, for backups at most. Remove it there.`)
  }
  if (json) {
    say(JSON.stringify({ name, backups_kept, backups_removed, keychain_left }))
    return
  }
  const kept = backups_kept > 0 ? ` ${counted(backups_kept)} kept in ${backups_in}.` : ''
  const removed = backups_removed > 0 ? ` ${counted(backups_removed)} deleted too.` : ''
  say(`The vault ${name} is deleted.${kept}${removed}`)
}

function counted(backups: number): string {
  return backups === 1 ? '1 backup' : `${backups} backups`
}
