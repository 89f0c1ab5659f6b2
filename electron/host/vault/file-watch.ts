import fs from 'node:fs'
import path from 'node:path'
import type { Engine } from '../../engine/engine.ts'
import type { Claim } from '../files/claim.ts'
import { type Header, readHeader, writeHeader } from '../files/header.ts'
import { rememberVault } from '../files/known-vaults.ts'
import type { VaultFiles } from '../files/vault-files.ts'
import type { Incidents } from '../incidents/incidents.ts'

const EVERY_MS = 250

type Watched = {
  readonly name: string
  readonly files: VaultFiles
  readonly claim: Claim
  readonly incidents: Incidents
  engine(): Engine
  /** Called at every look while the vault's files are lost. */
  onLost(header: Header | null): void
}

/**
 * Looks after the files of an open vault, also while no request does: a lock that was removed is taken again,
 * `vault.json` is written again, and the loss of the rest is noticed.
 */
export class FileWatch {
  readonly #watched: Watched
  readonly #timer: NodeJS.Timeout
  #header: Header | null = null
  #written = 0

  constructor(watched: Watched) {
    this.#watched = watched
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref()
    this.look()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Looks now. Never throws. */
  look(): void {
    const { incidents, engine, claim, files, onLost } = this.#watched
    try {
      engine().checkPresence()
      if (engine().isLost) onLost(this.#header)
      else {
        if (claim.keep()) incidents.report(new Error(), 'lock file taken again')
        this.#lookAtHeader(files.header)
      }
    } catch (error) {
      // The next look tries again; what cannot be kept now was kept until now.
      incidents.report(error, 'file watch')
    }
  }

  #lookAtHeader(file: string): void {
    const written = modified(file)
    if (written === this.#written) return
    const isFirst = this.#header === null
    if (written === 0 && this.#header) {
      writeHeader(file, this.#header)
      this.#watched.incidents.report(new Error(), 'vault.json written again')
    } else this.#header = readHeader(file)
    this.#written = modified(file)
    if (isFirst && this.#header) {
      const { files, name } = this.#watched
      rememberVault(path.dirname(files.folder), name, this.#header.vault_id)
    }
  }
}

/** When a file was written; 0 where there is none. */
function modified(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
