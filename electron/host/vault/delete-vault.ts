import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from '../../engine/index.ts'
import { listBackups } from '../backups/backup-folder.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { inDataFolder } from '../files/data-folder.ts'
import { type Header, readHeader } from '../files/header.ts'
import { removeVaultMarker } from '../files/known-vaults.ts'
import { migratePackages } from '../files/packages-folder.ts'
import {
  getBackupFolder,
  getBackupsFolder,
  requireExistingVault,
  type VaultFiles,
} from '../files/vault-files.ts'
import { VaultLock } from '../files/vault-lock.ts'
import type { KeychainEntry } from '../keys/keychain.ts'
import { discardDraft, discardDrafts, listFilesToDelete } from './drafts.ts'

type NamedVault = { readonly dataDir: string; readonly name: string }

export type DeletionPreview = {
  readonly folder: string
  /** How the vault is protected; null if its files do not say. */
  readonly protection: Header['protection'] | null
  /** The backups of this vault, or all backups under its name if the vault's files do not say which are its own. */
  readonly backups: readonly string[]
  readonly backups_in: string
}

export type DeletedVault = {
  readonly backups_removed: number
  readonly backups_kept: number
  /** Entries that the keychain did not remove. */
  readonly keychain_left: readonly KeychainEntry[]
}

/** Returns what deleting a vault would remove. Throws what `deleteVault` throws before it deletes anything. */
export function previewDeletion({ dataDir, name }: NamedVault): DeletionPreview {
  const files = requireDeletableFiles(dataDir, name)
  VaultLock.acquire(files.folder).release()
  const header = findHeader(files)
  const backups = listOwnBackups(dataDir, name, header)
  const backups_in = getBackupFolder(dataDir, name)
  return { folder: files.folder, protection: header?.protection ?? null, backups, backups_in }
}

/**
 * Deletes a vault: its folder, its keychain entries and, with `with_backups`, its own backups. If killed at any moment,
 * the vault is either complete or deleted. Leftovers are removed when the next vault is created or deleted. Throws
 * `not_found` (no such vault), `conflict` (open in a process, a link, other files in its folder), `unavailable`. If it
 * throws, nothing was deleted, unless the message says so.
 */
export async function deleteVault({
  dataDir,
  name,
  with_backups,
}: NamedVault & { readonly with_backups: boolean }): Promise<DeletedVault> {
  const { folder } = requireDeletableFiles(dataDir, name)
  const deleted = await deleteLocked(folder, { dataDir, name, with_backups })
  // Removes empty folders, if this was the last vault and they hold nothing else.
  for (const each of [getBackupsFolder(dataDir), dataDir]) removeIfEmpty(each)
  return deleted
}

async function deleteLocked(
  folder: string,
  { dataDir, name, with_backups }: NamedVault & { readonly with_backups: boolean },
): Promise<DeletedVault> {
  using vaultLock = VaultLock.acquire(folder)
  try {
    // Checked again, because the files may have been replaced by another vault before the lock was acquired.
    const header = findHeader(requireDeletableFiles(dataDir, name))
    const backups = listOwnBackups(dataDir, name, header)
    await discardDrafts(dataDir, name)
    const doomed = listFilesToDelete(dataDir, name)
    removeVaultMarker(dataDir, name)
    fs.renameSync(folder, doomed.folder)
    syncFolder(dataDir)
    try {
      const removed = with_backups && header ? backups : []
      for (const file of removed) fs.rmSync(file, { force: true })
      removeIfEmpty(getBackupFolder(dataDir, name))
      const keychain_left = await discardDraft(doomed)
      const backups_kept = backups.length - removed.length
      return { backups_removed: removed.length, backups_kept, keychain_left }
    } catch (error) {
      const text = `The vault ${name} is deleted, but ${doomed.folder} could not be removed. Remove it.`
      throw new CofferError('unavailable', text, { cause: error })
    } finally {
      vaultLock.remove()
    }
  } catch (error) {
    throw toStorageError(error, folder)
  }
}

/** Returns the files of a vault. Throws `conflict` if its folder must not be deleted. */
function requireDeletableFiles(dataDir: string, name: string): VaultFiles {
  const files = requireExistingVault(dataDir, name)
  const { folder } = files
  // Packages that version 0.2 put into a vault's folder do not belong to the vault.
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
      `${folder} also holds ${other}, which does not belong to the vault. Nothing was deleted. Move it to another folder first.`,
    )
  }
  return files
}

/** Matches the database, the header, and their temporary files during a change. */
function isVaultFile(name: string): boolean {
  return /^vault\.(db|json)([.-][\w.-]+)?$/.test(name)
}

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
    // The folder is not empty, or never existed.
  }
}
