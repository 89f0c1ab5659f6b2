import { Command } from 'commander'
import { type Deleted, type Doomed, deleteVault, toBeDeleted } from '../../host/vault/delete-vault.ts'
import { hintFor } from '../hint.ts'
import { counted, note, type Place, placeOf, say, withPlace } from '../terminal/common.ts'
import { confirmName } from '../terminal/confirm-name.ts'

type Options = {
  dataDir?: string
  vault: string
  yesDelete?: string
  withBackups?: true
  json?: true
}

/** `coffer delete`: removes a vault permanently. */
export function deleteCommand(): Command {
  return withPlace(new Command('delete'))
    .description('Permanently delete the files and keychain entry of a vault; its backups stay')
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

The vault must not be open elsewhere. If the command is killed, the vault is either whole or gone.
Backups elsewhere are not touched. A backup opens with the recovery key, or with the passphrase it was made under.`,
    )
    .action(async (options: Options) => {
      const place = placeOf(options)
      const { dataDir, vault: name } = place
      const with_backups = options.withBackups === true
      const doomed = toBeDeleted({ dataDir, name })
      await confirmName(name, options.yesDelete, {
        warning: warningOf(place, doomed, with_backups),
        unasked: `A vault is deleted only when its owner confirms it. Add --yes-delete ${name}`,
      })
      tell(name, await deleteVault({ dataDir, name, with_backups }), doomed, options.json)
    })
}

function warningOf(place: Place, doomed: Doomed, with_backups: boolean): string {
  const about = aboutBackups(doomed, with_backups, hintFor(place, 'backup', '--out', '<file>'))
  return `The vault ${place.vault} in ${doomed.folder} will be deleted permanently. ${about}`
}

function aboutBackups(
  { backups, backups_in, protection }: Doomed,
  with_backups: boolean,
  backup: string,
): string {
  const many = counted(backups.length, 'backup')
  if (backups.length === 0 && protection === null) {
    return `There is no backup of it in ${backups_in}, and its vault.json cannot be read, so it cannot be backed up now. To keep a copy, stop here and copy the folder.`
  }
  if (backups.length === 0) {
    return `There is no backup of it in ${backups_in}. To keep a copy, stop here and run: ${backup}`
  }
  if (protection === null) {
    return `Its files do not say which backups belong to it. ${many} in ${backups_in} will be kept.`
  }
  if (with_backups) return `${many} of it in ${backups_in} will be deleted too.`
  const them = backups.length === 1 ? 'it' : 'them'
  const takes =
    protection === 'keychain'
      ? 'the recovery key: the keychain entry goes with the vault'
      : 'its recovery key, or the passphrase it had'
  return `${many} of it in ${backups_in} will be kept. Restoring ${them} takes ${takes}.`
}

function tell(name: string, done: Deleted, { backups_in }: Doomed, json: true | undefined): void {
  const { backups_kept, backups_removed, keychain_left } = done
  for (const { service, account } of keychain_left) {
    note(
      `The keychain still holds the entry ${account} of ${service}. Only backups may still need it. Remove it there.`,
    )
  }
  if (json) {
    say(JSON.stringify({ name, backups_kept, backups_removed, keychain_left }))
    return
  }
  const kept =
    backups_kept > 0
      ? ` ${counted(backups_kept, 'backup')} ${areIs(backups_kept)} kept in ${backups_in}.`
      : ''
  const removed =
    backups_removed > 0 ? ` ${counted(backups_removed, 'backup')} ${areIs(backups_removed)} deleted too.` : ''
  say(`The vault ${name} is deleted.${kept}${removed}`)
}

function areIs(count: number): string {
  return count === 1 ? 'is' : 'are'
}
