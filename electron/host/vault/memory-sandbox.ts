import fs from 'node:fs'
import path from 'node:path'
import { CofferError, invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { isoTime } from '../../../shared/time.ts'
import { databaseKey } from '../../engine/crypto/keyring.ts'
import { snapshot } from '../../engine/db/snapshot.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SandboxVault, SnapshotSummary } from '../../http/sandbox.ts'
import type { MovableClock } from './movable-clock.ts'

/** The parts of an in-memory vault that the sandbox works on. */
export type MemorySandboxParts = {
  /** The vault's own folder, removed with it. */
  readonly folder: string
  readonly database: string
  readonly clock: MovableClock
  withMaster<T>(use: (master: Buffer) => T): T
  engine(): Engine
  /**
   * Opens this database file in place of the current one, which is closed. If it cannot be opened, throws and changes
   * nothing.
   */
  swap(database: string): void
  /** Called when the clock was set, also by going back. */
  onClockSet(): void
}

type Copy = { readonly file: string; readonly offset_ms: number; readonly created_at: number }

const MOST = 100

function isSnapshotName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,50}$/.test(text)
}

/**
 * The controls that tests have over an in-memory vault. Snapshots are encrypted under the vault's own key, in its own
 * folder. Restoring opens a copy of the snapshot in place of the current file, so it takes as long for ten tokens as
 * for ten thousand.
 */
export class MemorySandbox implements SandboxVault {
  readonly #parts: MemorySandboxParts
  readonly #copies = new Map<string, Copy>()
  #start: Copy | null = null
  #database: string
  #files = 0
  #keepsEvents = false

  constructor(parts: MemorySandboxParts) {
    this.#parts = parts
    this.#database = parts.database
  }

  /** From now on, a reset returns to the current state. Throws `storage_full`. */
  begin(): void {
    this.#start = this.#copy()
  }

  reset(): void {
    if (!this.#start)
      throw new CofferError('conflict', 'The vault is still being filled. Try again in a moment.')
    this.#goBack(this.#start)
  }

  now(): number {
    return this.#parts.clock.now()
  }

  async setNow(ms: number): Promise<void> {
    const { clock, engine, onClockSet } = this.#parts
    // Wait for a sweep in progress, which uses the old time, so that the next one uses the new time.
    await engine().sweep()
    clock.set(ms)
    await engine().sweep()
    onClockSet()
  }

  events(): Json[] {
    const engine = this.#parts.engine()
    this.#keepsEvents = true
    engine.outbox.keepEvents()
    engine.flushLog()
    return engine.outbox.keptEvents()
  }

  saveSnapshot(name: string): void {
    if (!isSnapshotName(name)) throw invalid('name', 'must be 1 to 50 letters, digits, - or _')
    const before = this.#copies.get(name)
    if (!before && this.#copies.size >= MOST) {
      throw new CofferError(
        'unprocessable',
        `A vault has at most ${MOST} snapshots. Overwrite an existing one.`,
      )
    }
    this.#copies.set(name, this.#copy())
    if (before) fs.rmSync(before.file, { force: true })
  }

  restoreSnapshot(name: string): void {
    const copy = this.#copies.get(name)
    if (!copy) throw new CofferError('not_found', this.#missing(name))
    this.#goBack(copy)
  }

  #missing(name: string): string {
    // SECURITY: what cannot be a name may be anything, such as a key.
    const asked = isSnapshotName(name) ? `called ${name}` : 'with this name'
    const names = [...this.#copies.keys()]
    return `There is no snapshot ${asked}. ${names.length === 0 ? 'None was saved.' : `There are: ${names.join(', ')}.`}`
  }

  snapshots(): SnapshotSummary[] {
    return [...this.#copies].map(([name, { created_at }]) => ({ name, created_at: isoTime(created_at) }))
  }

  #copy(): Copy {
    const { engine, clock, withMaster } = this.#parts
    const file = this.#nextFile('copy')
    engine().flushLog()
    engine().outbox.flush()
    withMaster((master) => {
      const key = databaseKey(master)
      try {
        snapshot(this.#database, key, file)
      } finally {
        key.fill(0)
      }
    })
    return { file, offset_ms: clock.offset_ms, created_at: clock.now() }
  }

  #goBack(copy: Copy): void {
    const { clock, swap, onClockSet } = this.#parts
    const next = this.#nextFile('vault')
    const { offset_ms } = clock
    try {
      fs.copyFileSync(copy.file, next)
      // Set before the file is opened, because opening sweeps by this time.
      clock.offset_ms = copy.offset_ms
      swap(next)
    } catch (error) {
      clock.offset_ms = offset_ms
      fs.rmSync(next, { force: true })
      throw storageError(error, next)
    }
    if (this.#keepsEvents) this.#parts.engine().outbox.keepEvents()
    for (const end of ['', '-wal', '-shm']) fs.rmSync(this.#database + end, { force: true })
    this.#database = next
    onClockSet()
  }

  #nextFile(kind: string): string {
    return path.join(this.#parts.folder, `${kind}-${++this.#files}.db`)
  }
}
