import fs from 'node:fs'
import path from 'node:path'
import { formatIsoTime } from '../../../shared/time.ts'
import { type Engine, toStorageError } from '../../engine/index.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { prepareDataDirectory } from '../files/data-dir.ts'
import { type Header, readHeader, writeHeader } from '../files/header.ts'
import { writeVaultMarker } from '../files/known-vaults.ts'
import { getFilesIn, getVaultFiles, type VaultFiles } from '../files/vault-files.ts'

type LostVault = {
  readonly name: string
  readonly files: VaultFiles
  readonly engine: Engine
  readonly header: Header
  readonly now: number
}

/**
 * Rescues an open vault whose files were removed, moved, replaced or truncated, and closes it. Returns sentences
 * for its owner: what happened and where the vault is. A moved vault stays where it is. Otherwise, all data that the
 * connection can still read is written to a new folder, which takes the vault's place, and the remains of the old
 * folder are set aside. If anything else is in that place, the new folder gets another name next to it. Nothing is
 * overwritten. If data is lost that the connection cannot read either, the files stay unchanged, and the sentences say
 * so. Throws `storage_full`, `unavailable`; if it throws, the vault stays open.
 */
export function bringToSafety(lost: LostVault, master: Buffer): string {
  const { name, files, engine, header, now } = lost
  const dataDir = path.dirname(files.folder)
  const moved = engine.lifecycle.closeIfMoved(master)
  if (moved !== null) {
    tryWriteMarker(dataDir, name, header.vault_id)
    return `The vault ${name} was moved to ${path.dirname(moved)} while it was open. Coffer has closed it. It is complete there, as ${path.basename(moved)}: move it back to ${files.folder} and open it again.`
  }
  prepareDataDirectory(dataDir)
  tryWriteMarker(dataDir, name, header.vault_id)
  const stamp = formatIsoTime(now).replace(/\D/g, '').slice(0, 14)
  const fresh = getFilesIn(path.join(dataDir, `.rescued-${name}-${stamp}`))
  fs.rmSync(fresh.folder, { recursive: true, force: true })
  try {
    fs.mkdirSync(fresh.folder, { mode: 0o700 })
    writeHeader(fresh.header, header)
    engine.lifecycle.rescueInto(fresh.database, master)
    syncFolder(fresh.folder)
  } catch (error) {
    fs.rmSync(fresh.folder, { recursive: true, force: true })
    const failure = toStorageError(error, fresh.folder)
    if (failure.code !== 'damaged') throw failure
    engine.close()
    return `The files of the vault ${name} were cut off or overwritten while it was open, and some of the data can no longer be read. Coffer has closed it. The remaining files are in ${files.folder}: copy them to another folder, then restore the newest backup.`
  }
  const start = `The files of the vault ${name} were removed or replaced while it was open. Coffer has written all of its data, including every answered call, to`
  const quarantineFolder = path.join(dataDir, `.put-aside-${name}-${stamp}`)
  const isLeft = fs.existsSync(files.folder)
  if (isLeft && !isOwnRemnant(lost)) {
    const other = getVaultFiles(dataDir, `${name.slice(0, 40)}-rescued-${stamp}`)
    writeHeader(fresh.header, { ...header, name: path.basename(other.folder) })
    engine.close()
    fs.renameSync(fresh.folder, other.folder)
    syncFolder(dataDir)
    return `${start} ${other.folder}, because something else is in the original place, which was not changed. Open the vault ${path.basename(other.folder)}.`
  }
  if (isLeft) fs.renameSync(files.folder, quarantineFolder)
  // Once the database has been moved, closing it does not remove the write-ahead log, so the remains stay complete.
  engine.close()
  fs.renameSync(fresh.folder, files.folder)
  syncFolder(dataDir)
  const left = isLeft ? ` The remains of the old folder are in ${quarantineFolder}.` : ''
  return `${start} ${files.folder}.${left} Open it again.`
}

/**
 * Writes the marker of the vault again, because the whole data folder may be lost. Without the marker, the next start
 * may offer to create a first vault.
 */
function tryWriteMarker(dataDir: string, name: string, vault_id: string): void {
  try {
    prepareDataDirectory(dataDir)
    writeVaultMarker(dataDir, name, vault_id)
  } catch {
    // The sentences still say where the vault is.
  }
}

/** Whether only the vault's own remains are at its path: no other database and no other vault's header. */
function isOwnRemnant({ files, engine, header }: LostVault): boolean {
  if (!engine.lifecycle.isAtItsPath && fs.existsSync(files.database)) return false
  if (!fs.existsSync(files.header)) return true
  try {
    return readHeader(files.header).vault_id === header.vault_id
  } catch {
    return false
  }
}
