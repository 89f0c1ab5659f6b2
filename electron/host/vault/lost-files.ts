import fs from 'node:fs'
import path from 'node:path'
import { formatIsoTime } from '../../../shared/time.ts'
import { toStorageError } from '../../engine/db/storage-error.ts'
import type { Engine } from '../../engine/engine.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { prepareDataDirectory } from '../files/data-dir.ts'
import { type Header, readHeader, writeHeader } from '../files/header.ts'
import { writeVaultMarker } from '../files/known-vaults.ts'
import { filesIn, type VaultFiles, vaultFiles } from '../files/vault-files.ts'

type LostVault = {
  readonly name: string
  readonly files: VaultFiles
  readonly engine: Engine
  /** `vault.json` as it was last seen. */
  readonly header: Header
  readonly now: number
}

/**
 * Brings an open vault whose files were removed, moved, replaced or cut to safety, closes it, and returns
 * sentences for its owner: what happened and where the vault is. What somebody moved stays there. Otherwise all that the
 * connection still has open is written to a new folder, which takes the vault's place; what is left of the old folder is
 * put aside. Where something else stands in its place, the new folder takes a name beside it. Nothing is overwritten.
 * Where bytes are gone that the connection does not have either, the files stay as they are, and the sentences say so.
 * Throws `storage_full`, `unavailable`; then nothing is closed.
 */
export function bringToSafety(lost: LostVault, master: Buffer): string {
  const { name, files, engine, header, now } = lost
  const dataDir = path.dirname(files.folder)
  const moved = engine.closeIfMoved(master)
  if (moved !== null) {
    tryWriteMarker(dataDir, name, header.vault_id)
    return `The vault ${name} was moved to ${path.dirname(moved)} while it was open. Coffer has closed it. It is whole there, as ${path.basename(moved)}: move it back to ${files.folder} and open it again.`
  }
  prepareDataDirectory(dataDir)
  tryWriteMarker(dataDir, name, header.vault_id)
  const stamp = formatIsoTime(now).replace(/\D/g, '').slice(0, 14)
  const fresh = filesIn(path.join(dataDir, `.rescued-${name}-${stamp}`))
  fs.rmSync(fresh.folder, { recursive: true, force: true })
  try {
    fs.mkdirSync(fresh.folder, { mode: 0o700 })
    writeHeader(fresh.header, header)
    engine.rescueInto(fresh.database, master)
    syncFolder(fresh.folder)
  } catch (error) {
    fs.rmSync(fresh.folder, { recursive: true, force: true })
    const failure = toStorageError(error, fresh.folder)
    if (failure.code !== 'damaged') throw failure
    engine.close()
    return `The files of the vault ${name} were cut off or overwritten while it was open, and a part of it cannot be read any more. Coffer has closed it. What is left is in ${files.folder}: copy it elsewhere, then restore the newest backup.`
  }
  const start = `The files of the vault ${name} were removed or replaced while it was open. Coffer has written all of it, every answered call included, to`
  const quarantineFolder = path.join(dataDir, `.put-aside-${name}-${stamp}`)
  const isLeft = fs.existsSync(files.folder)
  if (isLeft && !isOwnRemnant(lost)) {
    const other = vaultFiles(dataDir, `${name.slice(0, 40)}-rescued-${stamp}`)
    writeHeader(fresh.header, { ...header, name: path.basename(other.folder) })
    engine.close()
    fs.renameSync(fresh.folder, other.folder)
    syncFolder(dataDir)
    return `${start} ${other.folder}: something else is in its place, which was not changed. Open the vault ${path.basename(other.folder)}.`
  }
  if (isLeft) fs.renameSync(files.folder, quarantineFolder)
  // SQLite removes no log by its path once the database has left its own, so closing leaves what was put aside.
  engine.close()
  fs.renameSync(fresh.folder, files.folder)
  syncFolder(dataDir)
  const left = isLeft ? ` What was left of the old folder is in ${quarantineFolder}.` : ''
  return `${start} ${files.folder}.${left} Open it again.`
}

/** The data folder may be gone with the vault. Without the note, the next start may take this for a first run. */
function tryWriteMarker(dataDir: string, name: string, vault_id: string): void {
  try {
    prepareDataDirectory(dataDir)
    writeVaultMarker(dataDir, name, vault_id)
  } catch {
    // The sentences still say where the vault is.
  }
}

/** Whether what is in the vault's place is only what is left of it: no other database and no other vault's header. */
function isOwnRemnant({ files, engine, header }: LostVault): boolean {
  if (!engine.isAtItsPath && fs.existsSync(files.database)) return false
  if (!fs.existsSync(files.header)) return true
  try {
    return readHeader(files.header).vault_id === header.vault_id
  } catch {
    return false
  }
}
