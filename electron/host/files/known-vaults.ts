import fs from 'node:fs'
import path from 'node:path'
import { writeAtomically } from './atomic-write.ts'
import { holdsVault, isVaultName, vaultExists, vaultFiles } from './vault-files.ts'

const KNOWN = /^\.vault-(.+)$/

/** Notes beside the vaults that there is one of this name, so that its loss is noticed. Throws `unavailable`, `storage_full`. */
export function writeVaultMarker(dataDir: string, name: string, vault_id: string): void {
  const file = getMarkerFile(dataDir, name)
  if (readMarker(file) !== vault_id) writeAtomically(file, `${vault_id}\n`)
}

/** Removes that note, because the owner deletes the vault. */
export function removeVaultMarker(dataDir: string, name: string): void {
  fs.rmSync(getMarkerFile(dataDir, name), { force: true })
}

/** Whether there was a vault of this name, which nobody deleted, and which is gone. Throws `unavailable`. */
export function isMissing(dataDir: string, name: string): boolean {
  if (!fs.existsSync(getMarkerFile(dataDir, name))) return false
  const files = vaultFiles(dataDir, name)
  return !vaultExists(files) || !holdsVault(files.folder)
}

/** The names of such vaults, sorted; none where the folder cannot be read. */
export function missingVaults(dataDir: string): string[] {
  try {
    return fs
      .readdirSync(dataDir)
      .map((each) => KNOWN.exec(each)?.[1] ?? '')
      .filter((name) => isVaultName(name) && isMissing(dataDir, name))
      .sort()
  } catch {
    // Listing the vaults reports it.
    return []
  }
}

function getMarkerFile(dataDir: string, name: string): string {
  return path.join(dataDir, `.vault-${path.basename(vaultFiles(dataDir, name).folder)}`)
}

function readMarker(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
