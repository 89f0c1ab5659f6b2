import fs from 'node:fs'
import path from 'node:path'
import { writeAtomically } from './atomic-write.ts'
import { getVaultFiles, holdsVault, isVaultName, vaultExists } from './vault-files.ts'

const KNOWN = /^\.vault-(.+)$/

/** Records that a vault of this name exists, so that its loss is noticed. Throws `unavailable`, `storage_full`. */
export function writeVaultMarker(dataDir: string, name: string, vault_id: string): void {
  const file = getMarkerFile(dataDir, name)
  if (readMarker(file) !== vault_id) writeAtomically(file, `${vault_id}\n`)
}

/** Removes the record that a vault of this name exists, because the owner deletes the vault. */
export function removeVaultMarker(dataDir: string, name: string): void {
  fs.rmSync(getMarkerFile(dataDir, name), { force: true })
}

/** Whether a vault of this name has disappeared without being deleted by its owner. Throws `unavailable`. */
export function isMissing(dataDir: string, name: string): boolean {
  if (!fs.existsSync(getMarkerFile(dataDir, name))) return false
  const files = getVaultFiles(dataDir, name)
  return !vaultExists(files) || !holdsVault(files.folder)
}

/**
 * Lists the names of vaults that have disappeared without being deleted by their owner, sorted. Empty if the folder
 * cannot be read.
 */
export function listMissingVaults(dataDir: string): string[] {
  try {
    return fs
      .readdirSync(dataDir)
      .map((each) => KNOWN.exec(each)?.[1] ?? '')
      .filter((name) => isVaultName(name) && isMissing(dataDir, name))
      .sort()
  } catch {
    // Listing the vaults reports this error.
    return []
  }
}

function getMarkerFile(dataDir: string, name: string): string {
  return path.join(dataDir, `.vault-${path.basename(getVaultFiles(dataDir, name).folder)}`)
}

function readMarker(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
