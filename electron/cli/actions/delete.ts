import { counted } from '../../../shared/counted.ts'
import { type Deleted, type Doomed, deleteVault, toBeDeleted } from '../../host/vault/delete-vault.ts'
import { hintFor } from '../hint.ts'
import { note, type Place, placeOf, say } from '../terminal/common.ts'
import { confirmName } from '../terminal/confirm-name.ts'

export async function deleteForGood(options: Options): Promise<void> {
  const place = placeOf(options)
  const { dataDir, vault: name } = place
  const with_backups = options.withBackups === true
  const doomed = toBeDeleted({ dataDir, name })
  await confirmName(name, options.yesDelete, {
    warning: warningOf(place, doomed, with_backups),
    unasked: `A vault is deleted only when its owner confirms it. Add --yes-delete ${name}`,
  })
  tell(name, await deleteVault({ dataDir, name, with_backups }), doomed, options.json)
}

export type Options = {
  dataDir?: string
  vault: string
  yesDelete?: string
  withBackups?: true
  json?: true
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
