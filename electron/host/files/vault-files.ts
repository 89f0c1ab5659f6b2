import fs from 'node:fs'
import path from 'node:path'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { getCountFile, toStorageError } from '../../engine/index.ts'
import { inDataFolder } from './data-folder.ts'
import { assertNotExposed, withEntries } from './exposed.ts'

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/
const RESERVED_BY_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)$/
/** Names of other folders in the data folder that would be valid vault names. */
const reserved: readonly string[] = Object.values(inDataFolder).filter((name) => NAME.test(name))

/** The rule of `isNewVaultName` as text for messages. */
export const vaultNameRule = `must be 1 to 64 lower-case letters, digits, hyphens or underscores, begin with a letter or digit, and be none of ${reserved.map((name) => `"${name}"`).join(', ')} and the names that Windows reserves`

/** Whether a vault may have this name, on every system. Vaults of version 0.2 may be called `packages` (X-74). */
export function isVaultName(name: string): boolean {
  return isNewVaultName(name) || name === inDataFolder.packagesBefore
}

/** Whether a new vault may have this name: it is valid and not reserved (X-74). */
export function isNewVaultName(name: string): boolean {
  return NAME.test(name) && !RESERVED_BY_WINDOWS.test(name) && !reserved.includes(name)
}

/**
 * Returns the paths of one vault, in `<data folder>/<name>`: `vault.db`, `vault.db-commits`, `vault.json`. Throws
 * `invalid` for an invalid name.
 */
export function getVaultFiles(directory: string, name: string) {
  if (!isVaultName(name)) {
    throw createInvalidError('name', vaultNameRule)
  }
  return getFilesIn(path.join(directory, name))
}

export type VaultFiles = ReturnType<typeof getFilesIn>

/** Returns the paths of a vault's files, which are in `folder`. */
export function getFilesIn(folder: string) {
  const database = path.join(folder, 'vault.db')
  return { folder, database, header: path.join(folder, 'vault.json'), count: getCountFile(database) }
}

/**
 * Whether a folder holds a vault or the remains of one: its database or its header. True if that cannot be determined.
 */
export function holdsVault(folder: string): boolean {
  try {
    return fs.readdirSync(folder).some((name) => name === 'vault.db' || name === 'vault.json')
  } catch (error) {
    // SECURITY: a vault that cannot be reached may well exist.
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}

/**
 * Returns whether a vault, or any other file or folder, exists at the path of the vault. Throws `unavailable` if that
 * cannot be determined: the data folder cannot be read, or a link leads to a folder that is missing, as on an
 * unmounted disk.
 */
export function vaultExists({ folder }: VaultFiles): boolean {
  // SECURITY: a vault that cannot be reached may well exist, and must not be replaced by another.
  if (fs.existsSync(folder)) return true
  try {
    if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  } catch (error) {
    // The data folder or one above it is a file, so no vault can be there. Creating the folder reports that.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw toStorageError(error, folder)
  }
  throw new CofferError(
    'unavailable',
    `${folder} leads to ${fs.readlinkSync(folder)}, which cannot be reached. Mount the disk it is on, or remove the link, then try again.`,
  )
}

/**
 * Returns the paths of an existing vault. Throws `not_found` with the names of existing vaults, `unavailable` as
 * `vaultExists` does, and `forbidden` if another user could change the data folder or the vault's files (X-68).
 */
export function requireExistingVault(directory: string, name: string): VaultFiles {
  const files = getVaultFiles(directory, name)
  const isTaken = vaultExists(files)
  try {
    assertNotExposed(directory, ...(isTaken ? withEntries(files.folder) : []))
  } catch (error) {
    throw toStorageError(error, directory)
  }
  if (isTaken && holdsVault(files.folder)) return files
  const names = listVaults(directory)
  const occupiedNote = isTaken ? ` ${files.folder} holds no vault. It was not changed.` : ''
  const vaultsNote = names.length === 0 ? '' : ` The folder holds: ${names.join(', ')}.`
  throw new CofferError('not_found', `There is no vault ${name} in ${directory}.${occupiedNote}${vaultsNote}`)
}

/** Returns the folder for a vault's backups. It is outside the vault's folder, so that the backups outlive it. */
export function getBackupFolder(directory: string, name: string): string {
  return path.join(getBackupsFolder(directory), path.basename(getVaultFiles(directory, name).folder))
}

/** Returns the parent of all backup folders. */
export function getBackupsFolder(directory: string): string {
  return path.join(directory, inDataFolder.backups)
}

/**
 * Lists the names of the vaults in a data folder, sorted. Empty if there is no such folder. Throws `unavailable`
 * (X-26).
 */
export function listVaults(directory: string): string[] {
  if (!fs.existsSync(directory)) return []
  try {
    return fs
      .readdirSync(directory)
      .filter((name) => isVaultName(name) && holdsVault(path.join(directory, name)))
      .sort()
  } catch (error) {
    throw toStorageError(error, directory)
  }
}
