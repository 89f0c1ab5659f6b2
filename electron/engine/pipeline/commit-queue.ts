import type { CofferError } from '../../../shared/errors.ts'
import { getActorId } from '../access/actor.ts'
import { dropChanges, takeChanges } from '../db/changes.ts'
import { recordCommit } from '../db/commit-count.ts'
import { endSavepoint, startSavepoint, undoSavepoint } from '../db/savepoint.ts'
import { sql } from '../db/statement.ts'
import { createUnconfirmedError, toCofferError, toCommitError } from '../db/storage-error.ts'
import type { CallOutcome, CallResult } from './call.ts'
import { computeIdempotencyScope, createInFlightError } from './idempotency.ts'
import { isReported } from './incident.ts'
import type { LogBuffer, PendingRecord } from './log-buffer.ts'
import type { EngineCall } from './operation.ts'
import type { Pipeline } from './pipeline.ts'
import type { LogRecord } from './records.ts'
import type { CommitResult, DeliverCommit } from './transaction.ts'
import type { VaultFile } from './vault-file.ts'

/** A write that waits for its commit. */
export type PendingWrite = {
  readonly call: EngineCall
  /** The scope of the write's idempotency key, which is in flight until the write ends; null without a key. */
  readonly scope: Buffer | null
  readonly resolve: (answer: CallResult) => void
  readonly reject: (error: CofferError) => void
}

/** The maximum number of writes in one commit, so that the first of them does not wait long. */
const BATCH = 256

/** How long a batch accepts more writes, in ms. Other calls wait until the batch is committed (rule R-03). */
const BATCH_MS = 20

type CommitBatch = {
  readonly calls: readonly PendingWrite[]
  readonly outcomes: readonly CallOutcome[]
  /** The log records and entity changes of the transaction; null if it failed. */
  readonly committed: CommitResult | null
  /** Set if the disk rejected the commit. The writes are visible nevertheless, and may still become durable. */
  readonly isRejected?: true
}

/** Commits pending writes together; a failing one is rolled back alone. Answers calls once they are on disk. */
export class CommitQueue {
  readonly #file: VaultFile
  readonly #pipeline: Pipeline
  readonly #log: LogBuffer
  readonly #deliver: DeliverCommit
  readonly #inFlight = new Set<string>()
  #queue: PendingWrite[] = []
  #next: NodeJS.Immediate | null = null

  constructor(file: VaultFile, pipeline: Pipeline, log: LogBuffer, deliver: DeliverCommit) {
    this.#file = file
    this.#pipeline = pipeline
    this.#log = log
    this.#deliver = deliver
  }

  /**
   * Marks a call's idempotency key as in flight and returns its scope, or null if the call has none (rule A-12). Throws
   * `in_flight` if the same request is still running, `unauthenticated` if the caller's API key is not valid.
   */
  reserveScope({ caller, info }: EngineCall): Buffer | null {
    if (!info.idempotency) return null
    const id = getActorId(this.#file.callers.requireActor(caller, this.#file.now())) ?? 'owner'
    const scope = computeIdempotencyScope(id, info.idempotency)
    const name = scope.toString('base64')
    if (this.#inFlight.has(name)) {
      throw createInFlightError()
    }
    this.#inFlight.add(name)
    return scope
  }

  /** Queues a write, which runs with the next commit. The promise rejects only with CofferErrors. */
  runWrite(call: EngineCall, scope: Buffer | null): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, scope, resolve, reject })
      this.resume()
    })
  }

  /** Schedules a commit of the queued writes for a later turn of the event loop, unless the file is blocked. */
  resume(): void {
    if (this.#isBlocked || this.#queue.length === 0) return
    this.#next ??= setImmediate(() => {
      this.#next = null
      if (!this.#isBlocked && this.#queue.length > 0) this.#commitBatch()
    })
  }

  get hasWrites(): boolean {
    return this.#queue.length > 0
  }

  get #isBlocked(): boolean {
    return this.#file.hasPausedWrites || this.#file.isCheckpointing || this.#file.isSyncing
  }

  drain(): void {
    this.#file.finishSync()
    while (this.#queue.length > 0) this.#commitNow(this.#log.take())
  }

  /** Empties the queue and returns its writes, for another engine to run. */
  take(): readonly PendingWrite[] {
    const queue = this.#queue
    this.#queue = []
    return queue
  }

  /** Adopts the writes that another engine had queued. */
  takeOver(queue: readonly PendingWrite[]): void {
    for (const { scope } of queue) if (scope) this.#inFlight.add(scope.toString('base64'))
    this.#queue = [...queue]
  }

  /** Cancels the scheduled commit. */
  stop(): void {
    if (this.#next) clearImmediate(this.#next)
  }

  #commitBatch(): void {
    const pendingRecords = this.#log.take()
    // There were reads since the last commit, so other calls are likely. They can run while this commit waits for the
    // disk.
    if (pendingRecords.length > 0) this.#commitInBackground(pendingRecords)
    else this.#commitNow(pendingRecords)
  }

  #commitInBackground(pendingRecords: readonly PendingRecord[]): void {
    let batch: CommitBatch
    try {
      batch = this.#file.runUnsynced(() => this.#runTransaction(pendingRecords))
    } catch (error) {
      this.#log.putBack(pendingRecords)
      batch = this.#failCalls(this.#queue.splice(0, BATCH), error)
    }
    if (!batch.committed) this.#resolveCalls(batch)
    else
      this.#file.waitForSync((error) => this.#resolveCalls(error ? this.#rejectBatch(batch, error) : batch))
  }

  #rejectBatch({ calls, committed }: CommitBatch, cause: unknown): CommitBatch {
    return { ...this.#failCalls(calls, createUnconfirmedError(cause)), committed, isRejected: true }
  }

  /** Commits, and blocks until the write is on disk. This is faster if no other call would run meanwhile. */
  #commitNow(pendingRecords: readonly PendingRecord[]): void {
    const batch = this.#runTransaction(pendingRecords)
    if (batch.committed) recordCommit(this.#file.db)
    this.#resolveCalls(batch)
  }

  #resolveCalls({ calls, outcomes, committed, isRejected }: CommitBatch): void {
    const isDone = committed !== null && !isRejected
    if (isDone) this.#log.markWritten()
    const finalOutcomes = isDone ? this.#rejectIfLost(outcomes) : outcomes
    for (const [index, { scope, resolve, reject }] of calls.entries()) {
      if (scope) this.#inFlight.delete(scope.toString('base64'))
      const outcome = finalOutcomes[index] as CallOutcome
      if ('error' in outcome) {
        this.#log.recordStorageFailure(outcome.error)
        reject(outcome.error)
      } else resolve(outcome.answer)
    }
    if (committed) this.#deliver(committed)
    if (!this.#file.isClosed) this.resume()
  }

  /**
   * Runs the next writes in one transaction, together with the pending log records. The batch is limited in size and
   * duration, so that a queue of large writes does not hold up other calls. If the transaction fails, all of its
   * writes fail.
   */
  #runTransaction(pendingRecords: readonly PendingRecord[]): CommitBatch {
    const { db, keyring, callers } = this.#file
    const batch: PendingWrite[] = []
    const outcomes: CallOutcome[] = []
    try {
      this.#file.assertPresent()
      this.#file.assertSynced()
      sql(db, 'BEGIN IMMEDIATE').run()
      const records: LogRecord[] = []
      const until = performance.now() + BATCH_MS
      for (const pending of this.#queue) {
        if (batch.length === BATCH || (batch.length > 0 && performance.now() > until)) break
        batch.push(pending)
        const isFirst = batch.length === 1
        const { outcome, record } = isFirst ? this.#runFirst(pending) : this.#runInSavepoint(pending)
        outcomes.push(outcome)
        if (record) records.push(record)
      }
      callers.saveLastUses()
      const written = this.#log.insertRecords(pendingRecords, records)
      const changes = takeChanges(db)
      keyring.countSeals(db)
      sql(db, 'COMMIT').run()
      callers.takeLastUses()
      this.#queue.splice(0, batch.length)
      return { calls: batch, outcomes, committed: { records: written, changes } }
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      dropChanges(db)
      this.#log.putBack(pendingRecords)
      this.#file.invalidateCaches()
      // The pipeline has already reported the call whose error ended the transaction.
      const reported = isReported(error) ? outcomes.length : -1
      // If the transaction could not start, no call has run. As many queued calls as fit into a batch then fail.
      return this.#failCalls(this.#queue.splice(0, batch.length || BATCH), toCommitError(error), reported)
    }
  }

  #failCalls(calls: readonly PendingWrite[], error: unknown, reported = -1): CommitBatch {
    const failure = { error: this.#file.toReadError(error) }
    for (const [at, { call }] of calls.entries()) {
      if (at !== reported) this.#file.reportIncident(failure.error, call.name, call.info.trace_id)
    }
    return { calls, outcomes: calls.map(() => failure), committed: null }
  }

  /** Rejects every call if the file is no longer at its path, even if a rescued copy may contain the writes. */
  #rejectIfLost(outcomes: readonly CallOutcome[]): readonly CallOutcome[] {
    try {
      this.#file.assertPresent()
      return outcomes
    } catch (error) {
      return outcomes.map(() => ({ error: toCofferError(error) }))
    }
  }

  /**
   * Runs the first call of a transaction, without a savepoint, so that SQLite need not copy the pages that the call
   * changes. If the call fails, the whole transaction is rolled back and a new one starts. Throws if SQLite has already
   * rolled back the transaction.
   */
  #runFirst({ call, scope }: PendingWrite): ReturnType<Pipeline['run']> {
    const { db } = this.#file
    const result = this.#pipeline.run(call, scope)
    if ('error' in result.outcome && !result.outcome.error.keeps_writes) {
      if (!db.inTransaction) throw result.outcome.error
      db.exec('ROLLBACK; BEGIN IMMEDIATE')
      dropChanges(db)
      this.#file.invalidateCaches()
    }
    return result
  }

  /** Runs a call in a savepoint, so that a failure rolls back only this call. Throws if SQLite rolled back all. */
  #runInSavepoint({ call, scope }: PendingWrite): ReturnType<Pipeline['run']> {
    const { db } = this.#file
    const before = startSavepoint(db)
    const result = this.#pipeline.run(call, scope)
    if ('error' in result.outcome && !result.outcome.error.keeps_writes) {
      if (!db.inTransaction) throw result.outcome.error
      undoSavepoint(db, before)
      this.#file.invalidateCaches()
    }
    endSavepoint(db)
    return result
  }
}
