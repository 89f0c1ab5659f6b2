import { CofferError } from '../../../shared/errors.ts'
import { sql } from '../db/statement.ts'
import { findDiskCause, hasFreeSpace, toCofferError } from '../db/storage-error.ts'
import { type JournalRecord, RecordJournal } from './record-journal.ts'
import { insertLog, type LogRecord, type WrittenLogRecord } from './records.ts'
import { createRejectionCountRecord } from './system-records.ts'
import { type CommitResult, type DeliverCommit, runInTransaction, runUncounted } from './transaction.ts'
import { UnknownCallers } from './unknown-callers.ts'
import type { VaultFile } from './vault-file.ts'

/**
 * The delay, in ms, before records of reads are written, so that several records share one write. A failed write is
 * repeated after the same delay.
 */
const FLUSH_DELAY_MS = 200
/** Once this many records are pending, they are written without delay. Writing them takes a millisecond or two. */
const BATCH = 200
const MAX_TRANSACTION_RECORDS = 1000
/**
 * The maximum number of transactions with pending records in one turn of the event loop, so that no turn takes long
 * even if many records are pending because the disk was full.
 */
const MAX_CHUNKS_PER_TURN = 3
/** The maximum memory of pending records, in bytes as estimated by `estimateSize`: enough for about 25,000 reads. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024

/** A record that waits for a transaction. Its serial number is 0 if it is not in the journal. */
export type PendingRecord = JournalRecord

/** A call whose response shows plaintext and is waiting for its record. */
type PendingReveal = {
  readonly record: LogRecord
  readonly resolve: () => void
  readonly reject: (error: CofferError) => void
}

/**
 * The log records that wait for the next transaction. They are in memory, and also in the journal if the response
 * showed plaintext. An in-memory vault needs no journal, because it does not outlive the process.
 */
export class LogBuffer {
  readonly #file: VaultFile
  readonly #deliver: DeliverCommit
  /** Counts rejected requests without a valid key. */
  readonly unknownCallers = new UnknownCallers((more) =>
    this.add(createRejectionCountRecord(more, this.#file.now())),
  )
  readonly #journal: RecordJournal | null
  #pending: PendingRecord[] = []
  #bytes = 0
  /** How many of the pending records are in the journal. */
  #inJournal = 0
  #pendingReveals: PendingReveal[] = []
  #revealFlush: NodeJS.Immediate | null = null
  #timer: NodeJS.Timeout | null = null
  /** The error of the last attempt to write. Attempts are repeated until one succeeds. */
  #failure: CofferError | null = null
  /** Whether the last records were written between other calls, so that queued writes come next. */
  #isYielding = false

  constructor(file: VaultFile, deliver: DeliverCommit) {
    this.#file = file
    this.#deliver = deliver
    const { db, tenant_id, keyring, ephemeral } = file
    this.#journal = ephemeral
      ? null
      : new RecordJournal(`${db.name}-records`, tenant_id, keyring, readLastSerial(file))
    const unwritten = this.#journal?.loadRecords((error) => file.reportIncident(error, 'journal')) ?? []
    this.putBack(unwritten)
  }

  /**
   * Throws `storage_full` if no more records are accepted because too many wait for the disk (case X-44). If the
   * disk is only slow, blocks until it has caught up.
   */
  assertSpace(): void {
    if (this.#bytes >= MAX_PENDING_BYTES && !this.#failure) {
      this.#file.finishSync()
      this.flushChunks()
    }
    if (this.#bytes >= MAX_PENDING_BYTES) {
      throw new CofferError(
        'storage_full',
        'The log cannot be written, and too many of its records are pending. Free some disk space, then try again.',
      )
    }
  }

  /** Throws `storage_full` or `unavailable` while the disk rejects records. */
  assertWritable(): void {
    if (!this.#failure) return
    const { code, message } = this.#failure
    // The cause is omitted, because it was reported when the error occurred.
    if (code === 'storage_full' || code === 'unavailable') throw new CofferError(code, message)
  }

  /**
   * Remembers that the disk rejected a write; ignores other errors. Until a commit succeeds, `assertWritable`
   * throws (case X-71). A commit is tried even if no record is pending, so that Coffer recovers without a call.
   */
  recordStorageFailure(rejection: CofferError): void {
    const { isLost, isClosed } = this.#file
    const cause = isLost || isClosed ? null : findDiskCause(rejection)
    if (cause === null) return
    this.#failure = toCofferError(cause)
    this.#scheduleFlushIn(FLUSH_DELAY_MS)
  }

  add(record: LogRecord): void {
    this.#push({ record, serial: 0 })
    if (this.#isDue) this.#flushInBackground()
    else this.#scheduleFlushIn(FLUSH_DELAY_MS)
  }

  /**
   * Adds the record of a call whose response shows plaintext (rule O-05, case X-44). Resolves once the record is
   * stored where it survives the end of this process. Rejects with `storage_full` or `unavailable` if it cannot be
   * stored; the plaintext must then not be shown.
   */
  addBeforeResponse(record: LogRecord): Promise<void> {
    if (!this.#journal) {
      this.add(record)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      this.#pendingReveals.push({ record, resolve, reject })
      this.#bytes += estimateSize(record)
      this.#revealFlush ??= setImmediate(() => this.flushReveals())
    })
  }

  /**
   * Writes the records of this turn's plaintext responses to the journal with one system call, and then resolves the
   * promises of `addBeforeResponse`.
   */
  flushReveals(): void {
    if (this.#revealFlush) clearImmediate(this.#revealFlush)
    this.#revealFlush = null
    const reveals = this.#pendingReveals
    if (!this.#journal || reveals.length === 0) return
    this.#pendingReveals = []
    for (const { record } of reveals) this.#bytes -= estimateSize(record)
    try {
      this.#file.assertPresent()
      const first = this.#journal.appendRecords(reveals.map(({ record }) => record))
      for (const [at, { record }] of reveals.entries()) this.#push({ record, serial: first + at })
    } catch (error) {
      const rejection = createNotRecordedError(error)
      this.#file.reportIncident(rejection, 'journal')
      for (const { reject } of reveals) reject(rejection)
      return
    }
    this.#scheduleFlushIn(this.#isDue ? 0 : FLUSH_DELAY_MS)
    for (const { resolve } of reveals) resolve()
  }

  /** Removes and returns the oldest pending records, for a transaction to write; more at a time if many are pending. */
  take(
    max = this.#pending.length > MAX_TRANSACTION_RECORDS ? MAX_TRANSACTION_RECORDS : BATCH,
  ): PendingRecord[] {
    this.#isYielding = false
    const taken = this.#pending.splice(0, max)
    for (const { record, serial } of taken) {
      this.#bytes -= estimateSize(record)
      if (serial > 0) this.#inJournal--
    }
    return taken
  }

  /** Puts back records that could not be written, ahead of newer ones. */
  putBack(pending: readonly PendingRecord[]): void {
    const newer = this.#pending
    this.#pending = []
    for (const { record } of newer) this.#bytes -= estimateSize(record)
    this.#inJournal = 0
    for (const each of [...pending, ...newer]) this.#push(each)
  }

  /** Writes the taken records and then `others`, inside the caller's transaction. */
  insertRecords(pending: readonly PendingRecord[], others: readonly LogRecord[] = []): WrittenLogRecord[] {
    const { db, keyring } = this.#file
    const serial = pending.findLast((each) => each.serial > 0)?.serial
    // Updated in the same transaction, so that no record of the journal is added to the log twice.
    if (serial !== undefined) sql(db, 'UPDATE log_journal SET written = ?').run(serial)
    return insertLog(db, keyring, [...pending.map(({ record }) => record), ...others])
  }

  /** Must be called after the commit of taken records. */
  markWritten(): void {
    this.#failure = null
    if (this.#inJournal === 0) this.#journal?.resetIfLarge()
  }

  /** Writes the pending records and last uses. If that fails, the records stay pending for the next attempt. */
  flush(): void {
    this.stop()
    while (this.#flushChunk()) {}
  }

  /**
   * Like `flush`, but writes at most a few thousand records, so that other calls are not held up (rule R-03), for
   * example after a full disk. Later turns write the rest.
   */
  flushChunks(): void {
    this.stop()
    for (let chunk = 0; chunk < MAX_CHUNKS_PER_TURN; chunk++) if (!this.#flushChunk()) return
    this.resume()
  }

  /** Schedules a flush after a delay, so that it includes later records. */
  scheduleFlush(): void {
    this.#scheduleFlushIn(FLUSH_DELAY_MS)
  }

  /** Schedules a flush in chunks, so that other calls run between them. */
  resume(): void {
    this.#scheduleFlushIn(0)
  }

  /** Writes some of the pending records and the last uses. Returns whether there are more to write now. */
  #flushChunk(): boolean {
    // Must precede `take`: the end of a commit empties the journal, which may contain the only copy of these
    // records.
    this.#file.finishSync()
    if (!this.#hasWork) return false
    const pending = this.take(MAX_TRANSACTION_RECORDS)
    let result: CommitResult
    try {
      this.#file.assertPresent()
      result = runInTransaction(this.#file, () => this.#writePending(pending))
    } catch (error) {
      this.putBack(pending)
      this.#onFailure(error)
      return false
    }
    this.#file.callers.takeLastUses()
    this.#markWrittenAlone()
    this.#deliver(result)
    return this.#pending.length > 0
  }

  /**
   * Like `#flushChunk`, but other calls run while the commit waits for the disk. `afterSync` writes the records
   * that are added meanwhile.
   */
  #flushInBackground(): void {
    this.stop()
    if (!this.#hasWork) return
    const pending = this.take()
    try {
      this.#file.assertPresent()
      this.#file.assertSynced()
      this.#file.commitInBackground(
        () => runUncounted(this.#file, () => this.#writePending(pending)),
        (result, error) => {
          if (error) {
            this.#onFailure(error)
            return
          }
          this.#isYielding = true
          this.#markWrittenAlone()
          this.#deliver(result)
          if (this.#pending.length > 0) this.#scheduleFlushIn(FLUSH_DELAY_MS)
        },
      )
      this.#file.callers.takeLastUses()
    } catch (error) {
      this.putBack(pending)
      this.#onFailure(error)
    }
  }

  /**
   * Called when a background sync has ended. If writes are queued, they run first and also write the pending records,
   * so that a continuous stream of reads does not hold up the writes.
   */
  afterSync(hasWrites: boolean): void {
    if (!this.#isYielding || hasWrites) return
    // Runs in a later turn, because callers that were waiting for the disk may be about to write.
    setImmediate(() => {
      this.#isYielding = false
      if (this.#isDue) this.#flushInBackground()
    })
  }

  /**
   * Called after a commit of log records alone. On a full disk, such a commit may succeed although a larger one would
   * not, so the failure is cleared only if there is free space.
   */
  #markWrittenAlone(): void {
    const failure = this.#failure
    this.markWritten()
    if (failure?.code !== 'storage_full' || hasFreeSpace(this.#file.db.name)) return
    this.#failure = failure
    this.#scheduleFlushIn(FLUSH_DELAY_MS)
  }

  get #hasWork(): boolean {
    const isDue = this.#pending.length > 0 || this.#file.callers.hasLastUses || this.#failure !== null
    return this.#file.isFree && isDue
  }

  #writePending(pending: readonly PendingRecord[]): { records: WrittenLogRecord[] } {
    this.#file.callers.saveLastUses()
    // Only a write shows whether the disk accepts writes again.
    if (this.#failure) sql(this.#file.db, 'UPDATE log_journal SET written = written').run()
    return { records: this.insertRecords(pending) }
  }

  #onFailure(error: unknown): void {
    if (!this.#failure) this.#file.reportIncident(error, 'log')
    this.#failure = toCofferError(error)
    this.#scheduleFlushIn(FLUSH_DELAY_MS)
    this.#syncJournal()
  }

  /** Syncs the journal while the database cannot be written, so that its records also survive a power cut. */
  #syncJournal(): void {
    try {
      if (this.#inJournal > 0) this.#journal?.sync()
    } catch (error) {
      this.#file.reportIncident(error, 'journal')
    }
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Closes the journal and returns the pending records, for the next engine. The records in the journal stay there. */
  handOver(): readonly PendingRecord[] {
    this.#journal?.close(false)
    return this.take(this.#pending.length)
  }

  /** Adopts the records that another engine handed over, except those that this engine has read from the journal. */
  takeOver(handedOver: readonly PendingRecord[]): void {
    const last = this.#journal?.serial ?? 0
    const others = handedOver.filter(({ serial }) => serial === 0 || serial > last)
    for (const { record } of others) this.#push({ record, serial: 0 })
  }

  /** Writes the pending records, and closes the journal. Never throws. */
  close(): void {
    this.flushReveals()
    this.flush()
    this.stop()
    try {
      this.#journal?.close(this.#inJournal === 0 && this.#file.isOnDisk())
    } catch (error) {
      // A file that was not deleted is harmless: the next start skips the records that the log already has.
      this.#file.reportIncident(error, 'journal')
    }
  }

  get #isDue(): boolean {
    const { isCheckpointing, isSyncing } = this.#file
    const canWrite = !this.#failure && !this.#isYielding && !isCheckpointing && !isSyncing
    return canWrite && this.#pending.length >= BATCH
  }

  #push(pending: PendingRecord): void {
    this.#pending.push(pending)
    this.#bytes += estimateSize(pending.record)
    if (pending.serial > 0) this.#inJournal++
  }

  #scheduleFlushIn(ms: number): void {
    if (ms === 0) this.stop()
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#file.isCheckpointing || this.#file.isSyncing) this.#scheduleFlushIn(FLUSH_DELAY_MS)
      else if (!this.#file.isFree) this.#syncJournal()
      else this.#flushInBackground()
    }, ms)
  }
}

/** Returns the serial number of the last journal record that the log contains. */
function readLastSerial({ db }: VaultFile): number {
  return (sql(db, 'SELECT written FROM log_journal').get() as { written: number }).written
}

/** Estimates the memory of a record, in bytes. */
function estimateSize({ entity_id, entity_ids, request, note, detail, http, events }: LogRecord): number {
  const texts = (entity_id?.length ?? 0) + (request?.length ?? 0) + (note?.length ?? 0)
  const ids = entity_ids.reduce((sum, id) => sum + id.length + 40, 0)
  const about = detail ? JSON.stringify(detail).length : 0
  return 600 + texts + ids + about + (http ? 400 : 0) + (events ? JSON.stringify(events).length : 0)
}

function createNotRecordedError(cause: unknown): CofferError {
  if (cause instanceof CofferError && cause.code === 'unavailable') return cause
  return new CofferError(
    'storage_full',
    'The log record of this request could not be written, so no data is shown. Free some disk space or check the disk, then try again.',
    { cause },
  )
}
