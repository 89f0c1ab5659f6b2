import { formatCount } from '../../../shared/format-count.ts'
import { hasAuthority } from '../../host/authority/authority-record.ts'
import {
  type DeletedVault,
  type DeletionPreview,
  deleteVault,
  previewDeletion,
} from '../../host/vault/delete-vault.ts'
import { formatFolderCommand, formatVaultCommand } from '../hint.ts'
import { confirmName } from '../terminal/confirm-name.ts'
import { printHint, printLine, toVaultLocation, type VaultLocation } from '../terminal/vault-options.ts'

export async function deleteForGood(options: DeleteCommandOptions): Promise<void> {
  const location = toVaultLocation(options)
  const { dataDir, vault: name } = location
  const with_backups = options.withBackups === true
  const doomed = previewDeletion({ dataDir, name })
  await confirmName(name, options.yesDelete, {
    warning: formatWarning(location, doomed, with_backups),
    unasked: `A vault is deleted only when its owner confirms it. Add --yes-delete ${name}`,
  })
  printResult(name, await deleteVault({ dataDir, name, with_backups }), doomed, options.json)
  if (hasAuthority(dataDir))
    printHint(
      `The lasting authority is still there. Remove it with: ${formatFolderCommand(dataDir, 'trust', '--remove')}`,
    )
}

export type DeleteCommandOptions = {
  dataDir?: string
  vault: string
  yesDelete?: string
  withBackups?: true
  json?: true
}

function formatWarning(location: VaultLocation, doomed: DeletionPreview, with_backups: boolean): string {
  const about = describeBackups(
    doomed,
    with_backups,
    formatVaultCommand(location, 'backup', '--out', '<file>'),
  )
  return `The vault ${location.vault} in ${doomed.folder} will be deleted permanently. ${about}`
}

function describeBackups(
  { backups, backups_in, protection }: DeletionPreview,
  with_backups: boolean,
  backup: string,
): string {
  const many = formatCount(backups.length, 'backup')
  if (backups.length === 0 && protection === null) {
    return `There is no backup of it in ${backups_in}, and its vault.json cannot be read, so it cannot be backed up now. To keep a copy, stop here and copy the folder.`
  }
  if (backups.length === 0) {
    return `There is no backup of it in ${backups_in}. To keep a copy, stop here and run: ${backup}`
  }
  if (protection === null) {
    return `The files of the vault do not say which backups belong to it. ${many} in ${backups_in} will be kept.`
  }
  if (with_backups) return `${many} of it in ${backups_in} will be deleted too.`
  const them = backups.length === 1 ? 'it' : 'them'
  const required =
    protection === 'keychain'
      ? 'the recovery key, because the keychain entry is deleted with the vault'
      : 'its recovery key, or the passphrase from the time of the backup'
  return `${many} of it in ${backups_in} will be kept. Restoring ${them} requires ${required}.`
}

function printResult(
  name: string,
  done: DeletedVault,
  { backups_in }: DeletionPreview,
  json: true | undefined,
): void {
  const { backups_kept, backups_removed, keychain_left } = done
  for (const { service, account } of keychain_left) {
    printHint(
      `The keychain still has the entry ${account} of ${service}. Remove it by hand, unless a backup needs it.`,
    )
  }
  if (json) {
    printLine(JSON.stringify({ name, backups_kept, backups_removed, keychain_left }))
    return
  }
  const keptText =
    backups_kept > 0
      ? ` ${formatCount(backups_kept, 'backup')} ${formatToBe(backups_kept)} kept in ${backups_in}.`
      : ''
  const removed =
    backups_removed > 0
      ? ` ${formatCount(backups_removed, 'backup')} ${formatToBe(backups_removed)} deleted too.`
      : ''
  printLine(`The vault ${name} is deleted.${keptText}${removed}`)
}

function formatToBe(count: number): string {
  return count === 1 ? 'is' : 'are'
}
