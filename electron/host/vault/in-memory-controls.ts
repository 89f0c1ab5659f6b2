import fs from 'node:fs'
import path from 'node:path'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import { copyDatabaseFile, deriveDatabaseKey, type Engine, toStorageError } from '../../engine/index.ts'
import { LAST_MS, type SnapshotSummary, type VaultControls } from '../../http/test-controls.ts'
import type { MovableClock } from './movable-clock.ts'

/** The parts of an in-memory vault that the test controls use. */
export type InMemoryControlsDeps = {
  /** The folder of the vault, which is deleted together with the vault. */
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
  /** Called after the clock was set, forwards or backwards. */
  onClockSet(): void
}

type SnapshotFile = { readonly file: string; readonly offset_ms: number; readonly created_at: number }

const MAX_SNAPSHOTS = 100

function isSnapshotName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,50}$/.test(text)
}

/**
 * The test controls of an in-memory vault. Snapshots are encrypted under the vault's own key, in its own folder.
 * Restoring opens a copy of the snapshot in place of the current file, so it takes the same time for ten tokens as
 * for ten thousand.
 */
export class InMemoryControls implements VaultControls {
  readonly #deps: InMemoryControlsDeps
  readonly #copies = new Map<string, SnapshotFile>()
  #initialState: SnapshotFile | null = null
  #database: string
  #files = 0
  #keepsEvents = false

  constructor(deps: InMemoryControlsDeps) {
    this.#deps = deps
    this.#database = deps.database
  }

  /** Makes the current state the one that a reset returns to. Throws `storage_full`. */
  markInitialState(): void {
    this.#initialState = this.#saveCopy()
  }

  reset(): void {
    if (!this.#initialState)
      throw new CofferError('conflict', 'The vault is still being filled. Try again in a moment.')
    this.#restoreCopy(this.#initialState)
  }

  now(): number {
    return this.#deps.clock.now()
  }

  /** How far the clock is ahead of this computer's clock, in ms; negative if it is behind. */
  get offset_ms(): number {
    return this.#deps.clock.offset_ms
  }

  /** Moves the clock ahead by some seconds. Throws `invalid` if that is after 9999. */
  async moveBy(seconds: number): Promise<void> {
    const ms = this.now() + seconds * 1000
    if (ms > LAST_MS) throw createInvalidError('advance', 'must keep the clock between 1970 and 9999')
    await this.setNow(ms)
  }

  /** Moves the clock to the time at which the next thing expires, and deletes it. Throws `unprocessable` if none does. */
  async moveToNextExpiry(): Promise<void> {
    const next = this.#deps.engine().sweeper.findNextExpiry()
    if (next === null) throw new CofferError('unprocessable', 'Nothing in this vault is going to expire.')
    await this.setNow(next)
  }

  async setNow(ms: number): Promise<void> {
    const { clock, engine, onClockSet } = this.#deps
    // Wait for a running sweep, which uses the old time, so that the next one uses the new time.
    await engine().sweeper.sweep()
    clock.setTime(ms)
    await engine().sweeper.sweep()
    onClockSet()
  }

  listEvents(): Json[] {
    const engine = this.#deps.engine()
    this.#keepsEvents = true
    engine.outbox.keepEvents()
    engine.outcomes.flushLog()
    return engine.outbox.listStoredEvents()
  }

  saveSnapshot(name: string): void {
    if (!isSnapshotName(name)) throw createInvalidError('name', 'must be 1 to 50 letters, digits, - or _')
    const before = this.#copies.get(name)
    if (!before && this.#copies.size >= MAX_SNAPSHOTS) {
      throw new CofferError(
        'unprocessable',
        `A vault has at most ${MAX_SNAPSHOTS} snapshots. Overwrite an existing one.`,
      )
    }
    this.#copies.set(name, this.#saveCopy())
    if (before) fs.rmSync(before.file, { force: true })
  }

  restoreSnapshot(name: string): void {
    const copy = this.#copies.get(name)
    if (!copy) throw new CofferError('not_found', this.#describeMissing(name))
    this.#restoreCopy(copy)
  }

  #describeMissing(name: string): string {
    // SECURITY: an invalid name is not repeated, because it may be anything, such as a key.
    const naming = isSnapshotName(name) ? `called ${name}` : 'with this name'
    const names = [...this.#copies.keys()]
    return `There is no snapshot ${naming}. ${names.length === 0 ? 'None have been saved.' : `Snapshots: ${names.join(', ')}.`}`
  }

  listSnapshots(): SnapshotSummary[] {
    return [...this.#copies].map(([name, { created_at }]) => ({
      name,
      created_at: formatIsoTime(created_at),
    }))
  }

  #saveCopy(): SnapshotFile {
    const { engine, clock, withMaster } = this.#deps
    const file = this.#createFilePath('copy')
    engine().outcomes.flushLog()
    engine().outbox.flush()
    withMaster((master) => {
      const key = deriveDatabaseKey(master)
      try {
        copyDatabaseFile(this.#database, key, file)
      } finally {
        key.fill(0)
      }
    })
    return { file, offset_ms: clock.offset_ms, created_at: clock.now() }
  }

  #restoreCopy(copy: SnapshotFile): void {
    const { clock, swap, onClockSet } = this.#deps
    const next = this.#createFilePath('vault')
    const { offset_ms } = clock
    try {
      fs.copyFileSync(copy.file, next)
      // Set before the file is opened, because opening runs a sweep, which uses this clock.
      clock.offset_ms = copy.offset_ms
      swap(next)
    } catch (error) {
      clock.offset_ms = offset_ms
      fs.rmSync(next, { force: true })
      throw toStorageError(error, next)
    }
    if (this.#keepsEvents) this.#deps.engine().outbox.keepEvents()
    for (const end of ['', '-wal', '-shm']) fs.rmSync(this.#database + end, { force: true })
    this.#database = next
    onClockSet()
  }

  #createFilePath(kind: string): string {
    return path.join(this.#deps.folder, `${kind}-${++this.#files}.db`)
  }
}
