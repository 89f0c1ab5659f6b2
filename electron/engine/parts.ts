import type { EntityChange } from '../../shared/entity-changes.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import { deriveDatabaseKey, Keyring } from './crypto/keyring.ts'
import { Checkpointer } from './db/checkpointer.ts'
import type { CommitCount } from './db/commit-count.ts'
import { FileGuard } from './db/file-guard.ts'
import type { PersistedTotal } from './db/lost-commits.ts'
import type { Database } from './db/open.ts'
import { clearTemplateCache } from './expressions/template.ts'
import { CommitQueue } from './pipeline/commit-queue.ts'
import { Indexer } from './pipeline/indexer.ts'
import { LogBuffer } from './pipeline/log-buffer.ts'
import { Pipeline } from './pipeline/pipeline.ts'
import type { WrittenLogRecord } from './pipeline/records.ts'
import type { CommitResult, DeliverCommit } from './pipeline/transaction.ts'
import { VaultFile } from './pipeline/vault-file.ts'
import { resources } from './resource-hooks.ts'
import { RecordIndexer } from './resources/logs/indexer.ts'
import { termIndex } from './resources/tokens/search/term-index.ts'
import { Outbox } from './resources/webhooks/outbox.ts'
import { Sweeper } from './sweep/sweeper.ts'

export type EngineOptions = {
  /** The clock, in epoch ms. */
  readonly now?: () => number
  /** Called before migrations run on a file with data, to back it up. */
  readonly beforeMigrating?: (db: Database, from: number, to: number) => void
  /** Receives log records once they are on disk. Must not throw, and must not call the engine synchronously. */
  readonly onLog?: (records: readonly WrittenLogRecord[]) => void
  /** Receives changes once they are on disk. Must not throw, and must not call the engine synchronously. */
  readonly onChanges?: (changes: readonly EntityChange[]) => void
  /**
   * Called after a commit that wrote events, or after which a delivery may be due. Must not throw, and must not
   * call the engine synchronously.
   */
  readonly onEvents?: () => void
  /** Receives each internal failure, such as an error in a handler. Must not throw. */
  readonly onIncident?: (incident: Incident) => void
  /**
   * Called when `EngineClock.ahead` changes, and when the clock was set. `ahead` changes whenever deletions start or
   * stop waiting for the owner to confirm the clock.
   */
  readonly onClock?: () => void
  /** The file does not outlive the process, so no write waits for the disk, and applications may have fixed keys. */
  readonly ephemeral?: boolean
  /** Returns the packages that code may require, with their versions (rule F-03). None by default. */
  readonly packages?: () => ReadonlyMap<string, string>
  /** The total of commits that is stored outside the vault's folder. */
  readonly persistedTotal?: PersistedTotal | undefined
}

/** An open database, with what the parts of an engine need to use it. */
export type OpenedDatabase = {
  readonly db: Database
  readonly master: Buffer
  readonly tenant_id: string
  readonly options: EngineOptions
  /** Null for an in-memory vault. */
  readonly count: CommitCount | null
}

/** The parts of an engine, from the file to the background work, and how they start and stop together. */
export class EngineParts {
  readonly options: EngineOptions
  readonly file: VaultFile
  readonly log: LogBuffer
  readonly pipeline: Pipeline
  readonly queue: CommitQueue
  readonly sweeper: Sweeper
  /** The events and deliveries that are still to be sent to webhooks. */
  readonly outbox: Outbox
  /** Null for an in-memory vault. */
  readonly count: CommitCount | null
  /** Null for an in-memory vault. */
  readonly checkpoints: Checkpointer | null
  readonly #indexer: RecordIndexer
  readonly #terms: Indexer

  constructor({ db, master, tenant_id, options, count }: OpenedDatabase) {
    const ephemeral = options.ephemeral ?? false
    const deliverCommit: DeliverCommit = (committed) => this.#deliverCommit(committed)
    this.options = options
    this.count = count
    this.file = new VaultFile({
      db,
      keyring: new Keyring(db, master, tenant_id),
      tenant_id,
      now: options.now ?? Date.now,
      ephemeral,
      fileGuard: ephemeral ? null : new FileGuard(db.name),
      resources,
      onIncident: options.onIncident ?? (() => {}),
      packages: options.packages ?? (() => new Map()),
    })
    this.log = new LogBuffer(this.file, deliverCommit)
    this.pipeline = new Pipeline(this.file, this.log)
    this.queue = new CommitQueue(this.file, this.pipeline, this.log, deliverCommit)
    this.file.onSynced(() => {
      if (this.file.isClosed) return
      this.queue.resume()
      this.log.afterSync(this.queue.hasWrites)
    })
    this.sweeper = new Sweeper(this.file, deliverCommit, options.onClock)
    this.#indexer = new RecordIndexer(this.file)
    this.#terms = new Indexer(this.file, termIndex)
    this.outbox = new Outbox(this.file, deliverCommit)
    this.checkpoints = count && this.#createCheckpointer(count, master)
    this.#scheduleIndexing()
    // Writes the records that a killed process left in the journal.
    this.log.flush()
  }

  #createCheckpointer(count: CommitCount, master: Buffer): Checkpointer {
    const key = deriveDatabaseKey(master)
    try {
      const checkpoints = new Checkpointer({
        file: this.file.db.name,
        key,
        recordMoved: () => {
          // Commits that the disk has not confirmed are not counted yet.
          if (!this.file.isSyncing) count.recordCommits()
        },
        pause: (isPaused) => this.#setCheckpointing(isPaused),
        canMove: () => !this.file.isClosed && !this.file.isLost,
        report: (error) => this.file.reportIncident(error, 'checkpoint'),
      })
      count.onCounted((log) => checkpoints.onCommit(log))
      return checkpoints
    } finally {
      key.fill(0)
    }
  }

  #setCheckpointing(isPaused: boolean): void {
    if (this.file.isCheckpointing === isPaused) return
    this.file.setCheckpointing(isPaused)
    if (!isPaused) this.#resumeQueues()
  }

  /** Lets pending writes, records and indexing continue after `VaultFile.pauseWrites`. */
  resumeWrites(): void {
    this.file.resumeWrites()
    this.#resumeQueues()
    if (!this.file.isClosed) this.#scheduleIndexing()
  }

  #resumeQueues(): void {
    if (this.file.isClosed) return
    this.queue.resume()
    this.log.resume()
  }

  #scheduleIndexing(): void {
    this.#indexer.scheduleIndexing()
    this.#terms.scheduleIndexing()
  }

  /** Delivers the result of one transaction after its commit. */
  #deliverCommit({ records, changes }: CommitResult): void {
    const last = records.at(-1)
    if (last) {
      this.#indexer.onWritten(last.seq)
      this.options.onLog?.(records)
    }
    if (changes.length > 0) this.options.onChanges?.(changes)
    const hasChange = (entity: EntityChange['entity'], kind: EntityChange['kind']) =>
      changes.some((change) => change.entity === entity && change.kind === kind)
    if (hasChange('token', 'created')) this.#terms.scheduleIndexing()
    // A delivery may be due now: a new one, or one of a webhook that was changed or responds again.
    if (hasChange('delivery', 'created') || hasChange('webhook', 'updated')) this.options.onEvents?.()
    if (hasChange('document', 'deleted')) this.sweeper.requestSweep()
  }

  /** Stores the exact count of seals. If that fails, the stored count stays too high, never too low. */
  writeExactSeals(): void {
    const { db, keyring } = this.file
    try {
      keyring.writeExactSeals(db)
    } catch (error) {
      this.file.reportIncident(error, 'count of seals')
    }
  }

  /**
   * Finishes pending work, then closes the file. `recordClosing` writes the last row of the commit count; pass a
   * function that does nothing if another engine opens the file next.
   */
  shutDown(recordClosing: () => void = () => this.count?.beforeClose()): void {
    if (this.file.isClosed) return
    this.file.finishSync()
    this.checkpoints?.shutDown()
    this.sweeper.stop()
    this.#indexer.stop()
    this.#terms.stop()
    this.file.resumeWrites()
    this.queue.drain()
    this.log.unknownCallers.endMinute()
    this.queue.stop()
    this.outbox.flush()
    this.outbox.stop()
    this.log.close()
    // Lost files are not written any more.
    if (!this.file.isLost) {
      this.writeExactSeals()
      recordClosing()
      this.count?.retainLogIfBehind()
    }
    this.file.close()
    this.count?.afterClose(this.file.isLost)
    // SECURITY: compiled expressions may hold keys that a caller wrote into them (case X-35).
    clearTemplateCache()
  }
}
