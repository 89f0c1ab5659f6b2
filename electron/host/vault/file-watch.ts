import fs from 'node:fs'
import path from 'node:path'
import type { Engine } from '../../engine/index.ts'
import { type Header, readHeader, writeHeader } from '../files/header.ts'
import { writeVaultMarker } from '../files/known-vaults.ts'
import type { VaultFiles } from '../files/vault-files.ts'
import type { VaultLock } from '../files/vault-lock.ts'
import type { Incidents } from '../incidents/incidents.ts'

const CHECK_INTERVAL_MS = 250

type WatchedVault = {
  readonly name: string
  readonly files: VaultFiles
  readonly vaultLock: VaultLock
  readonly incidents: Incidents
  engine(): Engine
  /** Called at every check while the vault's files are lost. */
  onLost(header: Header | null): void
}

/**
 * Watches the files of an open vault, also between requests: it acquires a removed lock again, rewrites a
 * removed `vault.json`, and detects the loss of other files.
 */
export class FileWatch {
  readonly #watched: WatchedVault
  readonly #timer: NodeJS.Timeout
  #header: Header | null = null
  #written = 0

  constructor(watched: WatchedVault) {
    this.#watched = watched
    this.#timer = setInterval(() => this.checkFiles(), CHECK_INTERVAL_MS).unref()
    this.checkFiles()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  checkFiles(): void {
    const { incidents, engine, vaultLock, files, onLost } = this.#watched
    try {
      engine().lifecycle.checkPresence()
      if (engine().lifecycle.isLost) onLost(this.#header)
      else {
        if (vaultLock.retakeIfRemoved()) incidents.reportError(new Error(), 'lock file taken again')
        this.#checkHeader(files.header)
      }
    } catch (error) {
      // The next check tries again.
      incidents.reportError(error, 'file watch')
    }
  }

  #checkHeader(file: string): void {
    const written = getModifiedTime(file)
    if (written === this.#written) return
    const isFirst = this.#header === null
    if (written === 0 && this.#header) {
      writeHeader(file, this.#header)
      this.#watched.incidents.reportError(new Error(), 'vault.json rewritten')
    } else this.#header = readHeader(file)
    this.#written = getModifiedTime(file)
    if (isFirst && this.#header) {
      const { files, name } = this.#watched
      writeVaultMarker(path.dirname(files.folder), name, this.#header.vault_id)
    }
  }
}

function getModifiedTime(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
