import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from '../../engine/db/storage-error.ts'
import { listBackups } from '../backups/backup-folder.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { inDataFolder } from '../files/data-folder.ts'
import { type Header, readHeader } from '../files/header.ts'
import { removeVaultMarker } from '../files/known-vaults.ts'
import { migratePackages } from '../files/packages-folder.ts'
import { backupFolder, backupsFolder, existingVault, type VaultFiles } from '../files/vault-files.ts'
import { VaultLock } from '../files/vault-lock.ts'
import type { KeychainEntry } from '../keys/keychain.ts'
import { discardDraft, discardDrafts, doomedFiles } from './drafts.ts'

type VaultLocation = { readonly dataDir: string; readonly name: string }

export type DeletionPreview = {
  readonly folder: string
  /** Null where the vault's files do not say. */
  readonly protection: Header['protection'] | null
  /** Its backups; all under its name where ownership is unknown. */
  readonly backups: readonly string[]
  readonly backups_in: string
}

export type DeletedVault = {
  readonly backups_removed: number
  readonly backups_kept: number
  /** Entries the keychain did not remove. */
  readonly keychain_left: readonly KeychainEntry[]
}

/** What deleting a vault would remove. Throws what `deleteVault` refuses with. */
export function previewDeletion({ dataDir, name }: VaultLocation): DeletionPreview {
  const files = requireDeletableFiles(dataDir, name)
  VaultLock.acquire(files.folder).release()
  const header = findHeader(files)
  const backups = listOwnBackups(dataDir, name, header)
  const backups_in = backupFolder(dataDir, name)
  return { folder: files.folder, protection: header?.protection ?? null, backups, backups_in }
}

/**
 * Deletes a vault: its folder, its keychain entries and, with `with_backups`, the backups that name it as theirs. If
 * killed at any moment, the vault is either whole or gone; remnants are removed when the next vault is created or
 * deleted. Throws `not_found` (no vault there), `conflict` (open in a process, a link, other files in its folder),
 * `unavailable`; then nothing was deleted, or the message says so.
 */
export async function deleteVault({
  dataDir,
  name,
  with_backups,
}: VaultLocation & { readonly with_backups: boolean }): Promise<DeletedVault> {
  const { folder } = requireDeletableFiles(dataDir, name)
  const deleted = await deleteLocked(folder, { dataDir, name, with_backups })
  // Nothing of Coffer is left where this was the last vault, and nothing else was there.
  for (const each of [backupsFolder(dataDir), dataDir]) removeIfEmpty(each)
  return deleted
}

async function deleteLocked(
  folder: string,
  { dataDir, name, with_backups }: VaultLocation & { readonly with_backups: boolean },
): Promise<DeletedVault> {
  using vaultLock = VaultLock.acquire(folder)
  try {
    // Checked again: another vault may have been here before the claim.
    const header = findHeader(requireDeletableFiles(dataDir, name))
    const backups = listOwnBackups(dataDir, name, header)
    await discardDrafts(dataDir, name)
    const doomed = doomedFiles(dataDir, name)
    removeVaultMarker(dataDir, name)
    fs.renameSync(folder, doomed.folder)
    syncFolder(dataDir)
    try {
      const removed = with_backups && header ? backups : []
      for (const file of removed) fs.rmSync(file, { force: true })
      removeIfEmpty(backupFolder(dataDir, name))
      const keychain_left = await discardDraft(doomed)
      const backups_kept = backups.length - removed.length
      return { backups_removed: removed.length, backups_kept, keychain_left }
    } catch (error) {
      const text = `The vault ${name} is deleted, but what is left in ${doomed.folder} could not be removed. Remove it.`
      throw new CofferError('unavailable', text, { cause: error })
    } finally {
      vaultLock.remove()
    }
  } catch (error) {
    throw toStorageError(error, folder)
  }
}

/** The files of a vault that can be deleted as it is. */
function requireDeletableFiles(dataDir: string, name: string): VaultFiles {
  const files = existingVault(dataDir, name)
  const { folder } = files
  // Packages of reactors that version 0.2 put into a vault's folder are not the vault's.
  if (name === inDataFolder.packagesBefore) migratePackages(dataDir)
  if (fs.lstatSync(folder).isSymbolicLink()) {
    const target = fs.realpathSync(folder)
    throw new CofferError(
      'conflict',
      `${folder} is a link to ${target}, which was not changed. Remove the link, then delete the folder it points to.`,
    )
  }
  const inside = listNames(folder)
  const other = inside.find((each) => !isVaultFile(each) && !isClutter(each))
  if (other !== undefined) {
    throw new CofferError(
      'conflict',
      `${folder} also holds ${other}, which does not belong to the vault. Nothing was deleted. Move it elsewhere first.`,
    )
  }
  return files
}

/** The database, the header, and the files beside them during a change. */
function isVaultFile(name: string): boolean {
  return /^vault\.(db|json)([.-][\w.-]+)?$/.test(name)
}

/** Files that file managers leave behind. */
function isClutter(name: string): boolean {
  return name === '.DS_Store' || name === 'Thumbs.db' || name === 'desktop.ini'
}

function listOwnBackups(dataDir: string, name: string, header: Header | undefined): string[] {
  return listBackups(dataDir, name)
    .filter(({ vault_id }) => !header || vault_id === header.vault_id)
    .map(({ file }) => file)
}

function findHeader({ header }: VaultFiles): Header | undefined {
  try {
    return readHeader(header)
  } catch {
    // A damaged header does not prevent deletion.
    return undefined
  }
}

function listNames(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    throw toStorageError(error, folder)
  }
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder)
  } catch {
    // It holds something that stays, or never existed.
  }
}
