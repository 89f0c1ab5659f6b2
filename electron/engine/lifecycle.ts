import { deriveCountKey, deriveDatabaseKey } from './crypto/keyring.ts'
import { type RotateOptions, rotateDataKey } from './crypto/rotate-data-key.ts'
import { restartCommitCount } from './db/commit-count.ts'
import { checkDatabase, copyOpenDatabase } from './db/copy-database.ts'
import type { FileLoss } from './db/file-guard.ts'
import type { PersistedTotal } from './db/lost-commits.ts'
import { endWriteAheadLog } from './db/open.ts'
import { toCofferError } from './db/storage-error.ts'
import { openParts } from './open-parts.ts'
import type { EngineOptions, EngineParts } from './parts.ts'
import type { LastUses } from './pipeline/callers.ts'
import type { PendingWrite } from './pipeline/commit-queue.ts'
import type { PendingRecord } from './pipeline/log-buffer.ts'
import type { RunKeys } from './pipeline/run-keys.ts'
import type { OutboxHandover } from './resources/webhooks/outbox.ts'

/** The pending work that an engine hands over to the next one. */
export type EngineHandover = {
  readonly options: EngineOptions
  readonly isSweeping: boolean
  readonly queue: readonly PendingWrite[]
  readonly records: readonly PendingRecord[]
  readonly lastUses: LastUses
  readonly runKeys: RunKeys
  readonly outbox: OutboxHandover
  readonly opening: string
}

/** What happens to the file of an open vault as a whole: pauses, handover, loss and rescue, change of the data key. */
export class Lifecycle {
  readonly #parts: EngineParts

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /** Queues writes until `resumeWrites`, `closeForHandover` or `Engine.close`. Reads still run. Throws `locked`. */
  pauseWrites(): void {
    const { file } = this.#parts
    file.assertOpen()
    file.finishSync()
    this.#parts.writeExactSeals()
    file.pauseWrites()
  }

  resumeWrites(): void {
    this.#parts.resumeWrites()
  }

  /** Commits pending writes and records now, however long it takes. Throws `locked`. */
  drain(): void {
    const { file, queue, log } = this.#parts
    file.assertOpen()
    queue.drain()
    log.flushReveals()
    log.flush()
  }

  /**
   * Closes the file without a write-ahead log next to it, and returns the pending work for the next engine. Throws
   * `locked`, and `conflict` if another process is reading the file. A conflict leaves everything unchanged.
   */
  closeForHandover(): EngineHandover {
    const { options, file, log, queue, sweeper, checkpoints, count, outbox } = this.#parts
    file.assertOpen()
    file.finishSync()
    log.flushReveals()
    outbox.flush()
    // The thread's connection would count as another process.
    checkpoints?.stop()
    count?.moveLog()
    endWriteAheadLog(file.db)
    log.unknownCallers.endMinute()
    const handover: EngineHandover = {
      options,
      isSweeping: sweeper.isStarted,
      queue: queue.take(),
      records: log.handOver(),
      lastUses: file.callers.takeLastUses(),
      runKeys: file.callers.handOverRunKeys(),
      opening: file.opening,
      outbox: outbox.handOver(),
    }
    // The database will be replaced or reopened. Its row from the last opening remains the expected one, so no
    // closing row is written.
    this.#parts.shutDown(() => {})
    return handover
  }

  /** Takes over the pending work of the engine that had the file open before, and runs it. */
  takeOver({ isSweeping, queue, records, lastUses, runKeys, opening, outbox }: EngineHandover): void {
    const { file, log, sweeper } = this.#parts
    this.#parts.queue.takeOver(queue)
    log.takeOver(records)
    this.#parts.outbox.takeOver(outbox)
    file.callers.takeOver(lastUses)
    file.callers.runKeys = runKeys
    file.opening = opening
    if (isSweeping) sweeper.start()
    this.resumeWrites()
  }

  /** Calls `listener` once the files are missing, replaced or truncated; it must not call the engine synchronously. */
  onLost(listener: (loss: FileLoss) => void): void {
    this.#parts.file.onLost(listener)
  }

  /** Checks whether the files are lost, even if no call is made. */
  checkPresence(): void {
    try {
      this.#parts.file.assertPresent({ thoroughly: true })
    } catch {
      // The listener was called, and later calls get this error.
    }
  }

  /** Whether the files are lost. If so, every call gets `unavailable`, and nothing more is written. */
  get isLost(): boolean {
    return this.#parts.file.isLost
  }

  /** Whether the database is still at its path, so that only its write-ahead log, or a part of the file, is lost. */
  get isAtItsPath(): boolean {
    return this.#parts.file.fileGuard?.isAtItsPath ?? false
  }

  /**
   * Closes lost files, and writes the pending records to the path to which the files were moved. Returns that path.
   * Returns null, and closes nothing, if no path is known to have the complete files; only `rescueInto` can then save
   * them.
   */
  closeIfMoved(master: Buffer): string | null {
    const { file } = this.#parts
    const path = file.fileGuard?.findNewPath() ?? null
    if (path === null) return null
    this.#parts.shutDown()
    try {
      this.#writeRecordsTo(path, master)
    } catch (error) {
      file.reportIncident(error, 'log')
    }
    return path
  }

  /**
   * Writes the complete content of a vault whose files are lost to the new file `target`, from the files that this
   * connection still has open, with the pending records. The copy is checked and durable. Throws `conflict`, `damaged`
   * (a part can no longer be read), `storage_full`, `unavailable`. Blocks while copying: no other call runs.
   */
  rescueInto(target: string, master: Buffer): void {
    const key = deriveDatabaseKey(master)
    try {
      copyOpenDatabase(this.#parts.file.db, target)
      checkDatabase(target, key)
      // The copy contains every counted commit.
      if (this.total) {
        const { id, total } = this.total
        restartCommitCount(target, deriveCountKey(master), { id: Buffer.from(id, 'hex'), total })
      }
    } finally {
      key.fill(0)
    }
    this.#writeRecordsTo(target, master)
  }

  /** Writes the pending records to another file. This engine retains them too, for another attempt. */
  #writeRecordsTo(target: string, master: Buffer): void {
    const { log } = this.#parts
    const { onIncident, now } = this.#parts.options
    const other = openParts(target, master, { ...(onIncident && { onIncident }), ...(now && { now }) })
    const records = log.take(Number.POSITIVE_INFINITY)
    log.putBack(records)
    other.log.putBack(records)
    other.shutDown()
  }

  /** The total of counted commits, to be stored outside the vault's folder; null for an in-memory vault. */
  get total(): PersistedTotal | null {
    return this.#parts.count?.total ?? null
  }

  /** Whether the data key is being rotated: some values are still sealed under an old one. */
  get isRotating(): boolean {
    return this.#parts.file.keyring.dataKeyCount > 1
  }

  /** About how many values the data key has sealed; up to 65,536 too many after a crash. */
  get seals(): number {
    return this.#parts.file.keyring.seals
  }

  /**
   * Reseals every value under a new data key, then deletes the old one. Works in small batches, between which
   * other calls run, and resumes an interrupted rotation. Both keys exist until it is finished. Rejects with
   * `cancelled` if `signal` stops it, `locked`, `storage_full` or `unavailable`.
   */
  async rotateDataKey(master: Buffer, options: RotateOptions = {}): Promise<void> {
    const { file, checkpoints } = this.#parts
    const { db, keyring, now } = file
    const assertOpen = () => {
      file.assertOpen()
      file.assertPresent()
      file.assertSynced()
    }
    const emptyLog = () => {
      if (checkpoints) checkpoints.runExclusive(() => file.emptyLog())
      else file.emptyLog()
    }
    try {
      await rotateDataKey({ db, keyring, master, now: now(), assertOpen, emptyLog }, options)
    } catch (error) {
      file.reportIncident(error, 'change of the data key')
      throw toCofferError(error)
    }
  }
}
