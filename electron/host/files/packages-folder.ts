import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { inDataFolder } from './data-folder.ts'
import { describeExposure } from './exposed.ts'
import { holdsVault } from './vault-files.ts'

/** The entries that npm creates in an installation folder. */
const npmFiles = ['node_modules', 'package.json', 'package-lock.json']

/** Returns the folder of the packages that code may use (rule F-03), which need not exist. Changes nothing. */
export function getPackagesFolder(dataDir: string): string {
  const folder = path.join(dataDir, inDataFolder.packages)
  const before = path.join(dataDir, inDataFolder.packagesBefore)
  // SECURITY: never returns the folder of a vault, because code could then read the vault.
  const isBefore = !fs.existsSync(folder) && fs.existsSync(before) && !holdsVault(before)
  return isBefore ? before : folder
}

/**
 * Moves packages that version 0.2 installed in `packages`, even if a vault of that name holds them. Returns the
 * folder of the packages that code may use, as `getPackagesFolder` does if they cannot be moved.
 */
export function migratePackages(dataDir: string): string {
  const folder = path.join(dataDir, inDataFolder.packages)
  const before = path.join(dataDir, inDataFolder.packagesBefore)
  try {
    if (fs.existsSync(folder) || !fs.existsSync(before)) return folder
    if (!holdsVault(before)) {
      fs.renameSync(before, folder)
      return folder
    }
    const movable = npmFiles.filter((name) => fs.existsSync(path.join(before, name)))
    if (movable.length > 0) fs.mkdirSync(folder, { mode: 0o700 })
    for (const name of movable) fs.renameSync(path.join(before, name), path.join(folder, name))
    return folder
  } catch {
    return getPackagesFolder(dataDir)
  }
}

/**
 * Returns the packages folder. Throws `unavailable` if another user could change it, because Coffer runs the
 * code in it.
 */
export function requireTrustedPackages(dataDir: string): string {
  const folder = migratePackages(dataDir)
  if (describeExposure(folder) === null) return folder
  const text =
    'Another user could change the packages of reactors, so no code runs. Run coffer doctor for details.'
  throw new CofferError('unavailable', text)
}
