import { CofferError } from '../../../shared/errors.ts'
import { sql } from '../db/statement.ts'
import { causeOnDisk, hasRoom, toCofferError } from '../db/storage-error.ts'
import { manyRefused } from './by-the-vault.ts'
import { type Committed, collected, committed, type Deliver } from './committed.ts'
import { type JournalRecord, RecordJournal } from './record-journal.ts'
import { insertLog, type LogRecord, type WrittenLogRecord } from './records.ts'
import { UnknownCallers } from './unknown-callers.ts'
import type { VaultFile } from './vault-file.ts'

/** How long records of reads wait, so that several are written together, and until an attempt that failed is repeated. */
const DELAY_MS = 200
/** This many are written without further delay, and so many at most beside other work, in a millisecond or two. */
const BATCH = 200
/** The most that one transaction writes. */
const MOST = 1000
/** How many such transactions one turn makes, so that none takes long after a full disk. */
const MOST_PARTS = 3
/** How much memory waiting records may take, as `sizeOf` estimates it: about 25,000 reads. */
const MOST_BYTES = 16 * 1024 * 1024

/** A record waiting for a transaction. Its serial number is 0 if it is not in the journal. */
export type WaitingRecord = JournalRecord

/** A call whose answer shows plaintext, waiting for its record. */
type Shown = {
  readonly record: LogRecord
  readonly resolve: () => void
  readonly reject: (error: CofferError) => void
}

/**
 * Log records waiting for the next transaction: in memory, and in the journal too if the answer showed plaintext. The
 * file of a vault in memory does not outlive the process, so it needs no journal.
 */
export class LogBuffer {
  readonly #file: VaultFile
  readonly #deliver: Deliver
  /** Refused requests without a valid key. */
  readonly unknown = new UnknownCallers((more) => this.add(manyRefused(more, this.#file.now())))
  readonly #journal: RecordJournal | null
  #waiting: WaitingRecord[] = []
  #bytes = 0
  /** How many of the waiting records are in the journal. */
  #inJournal = 0
  #shown: Shown[] = []
  #settling: NodeJS.Immediate | null = null
  #timer: NodeJS.Timeout | null = null
  /** What the last attempt to write failed with; it is repeated until one succeeds. */
  #failure: CofferError | null = null
  /** The last records were written beside other calls: queued writes come next. */
  #givesWay = false

  constructor(file: VaultFile, deliver: Deliver) {
    this.#file = file
    this.#deliver = deliver
    const { db, tenant_id, keyring, ephemeral } = file
    this.#journal = ephemeral
      ? null
      : new RecordJournal(`${db.name}-records`, tenant_id, keyring, lastSerial(file))
    const left = this.#journal?.load((error) => file.report(error, 'journal')) ?? []
    this.putBack(left)
  }

  /**
   * Throws `storage_full` while so many records wait for the disk that no more are kept (case X-44). Where the disk is
   * only slow, waits for it instead.
   */
  assertRoom(): void {
    if (this.#bytes >= MOST_BYTES && !this.#failure) {
      this.#file.finishSync()
      this.flushSome()
    }
    if (this.#bytes >= MOST_BYTES) {
      throw new CofferError(
        'storage_full',
        'The log cannot be written, and too many of its records are waiting. Free some space on the disk, then try again.',
      )
    }
  }

  /** Throws `storage_full` or `unavailable` while the disk takes no records. */
  assertWrites(): void {
    if (!this.#failure) return
    const { code, message } = this.#failure
    // Without its cause, which was reported when it came.
    if (code === 'storage_full' || code === 'unavailable') throw new CofferError(code, message)
  }

  /**
   * Notes that a write was refused; does nothing unless the disk refused it. Until a commit succeeds, `assertWrites` says
   * so (case X-71). One is tried even where nothing waits, so that Coffer is ready again without a call.
   */
  noteRefusal(refusal: CofferError): void {
    const { isLost, isClosed } = this.#file
    const cause = isLost || isClosed ? null : causeOnDisk(refusal)
    if (cause === null) return
    this.#failure = toCofferError(cause)
    this.#wakeIn(DELAY_MS)
  }

  /** Adds a record, and schedules a flush. */
  add(record: LogRecord): void {
    this.#push({ record, serial: 0 })
    if (this.#isDue) this.#flushBeside()
    else this.#wakeIn(DELAY_MS)
  }

  /**
   * Adds the record of a call whose answer shows plaintext (rule O-05, case X-44). Resolves once no kill of this
   * process can take the record. Rejects with `storage_full` if it cannot be written; then nothing may be shown.
   */
  addFirst(record: LogRecord): Promise<void> {
    if (!this.#journal) {
      this.add(record)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      this.#shown.push({ record, resolve, reject })
      this.#bytes += sizeOf(record)
      this.#settling ??= setImmediate(() => this.settle())
    })
  }

  /** Writes the records of this turn's plaintext answers to the journal, in one write, and lets the answers go. */
  settle(): void {
    if (this.#settling) clearImmediate(this.#settling)
    this.#settling = null
    const shown = this.#shown
    if (!this.#journal || shown.length === 0) return
    this.#shown = []
    for (const { record } of shown) this.#bytes -= sizeOf(record)
    try {
      this.#file.assertPresent()
      const first = this.#journal.append(shown.map(({ record }) => record))
      for (const [at, { record }] of shown.entries()) this.#push({ record, serial: first + at })
    } catch (error) {
      const refusal = notRecorded(error)
      this.#file.report(refusal, 'journal')
      for (const { reject } of shown) reject(refusal)
      return
    }
    this.#wakeIn(this.#isDue ? 0 : DELAY_MS)
    for (const { resolve } of shown) resolve()
  }

  /** Removes the first waiting records and returns them, for a transaction to write: more where many wait. */
  take(most = this.#waiting.length > MOST ? MOST : BATCH): WaitingRecord[] {
    this.#givesWay = false
    const taken = this.#waiting.splice(0, most)
    for (const { record, serial } of taken) {
      this.#bytes -= sizeOf(record)
      if (serial > 0) this.#inJournal--
    }
    return taken
  }

  /** Puts records back that could not be written, ahead of newer ones. */
  putBack(waiting: readonly WaitingRecord[]): void {
    const newer = this.#waiting
    this.#waiting = []
    for (const { record } of newer) this.#bytes -= sizeOf(record)
    this.#inJournal = 0
    for (const each of [...waiting, ...newer]) this.#push(each)
  }

  /** Writes records that were taken, then others, inside the caller's transaction. */
  insert(waiting: readonly WaitingRecord[], others: readonly LogRecord[] = []): WrittenLogRecord[] {
    const { db, keyring } = this.#file
    const serial = waiting.findLast((each) => each.serial > 0)?.serial
    // In the same transaction, so that the journal gives no record to the log twice.
    if (serial !== undefined) sql(db, 'UPDATE log_journal SET written = ?').run(serial)
    return insertLog(db, keyring, [...waiting.map(({ record }) => record), ...others])
  }

  /** To be called after the commit of records that were taken. */
  written(): void {
    this.#failure = null
    if (this.#inJournal === 0) this.#journal?.reset()
  }

  /** Writes the waiting records and last uses. If that fails, the records are kept for the next attempt. */
  flush(): void {
    this.stop()
    while (this.#flushPart()) {}
  }

  /**
   * As `flush`, but of several thousand records, as they wait after a full disk, only as many as hold nobody up (rule
   * The rest follows in other turns.
   */
  flushSome(): void {
    this.stop()
    for (let part = 0; part < MOST_PARTS; part++) if (!this.#flushPart()) return
    this.resume()
  }

  /** Schedules a flush, together with other records. */
  wake(): void {
    this.#wakeIn(DELAY_MS)
  }

  /** Schedules a flush in parts, so that other calls are answered between them. */
  resume(): void {
    this.#wakeIn(0)
  }

  /** Writes some of the waiting records and the last uses. Returns whether there are more to write now. */
  #flushPart(): boolean {
    // Before records are taken: the end of a commit empties the journal, which may be the only place that has them.
    this.#file.finishSync()
    if (!this.#hasWork) return false
    const waiting = this.take(MOST)
    let made: Committed
    try {
      this.#file.assertPresent()
      made = committed(this.#file, () => this.#written(waiting))
    } catch (error) {
      this.putBack(waiting)
      this.#failed(error)
      return false
    }
    this.#file.callers.takeLastUses()
    this.#writtenAlone()
    this.#deliver(made)
    return this.#waiting.length > 0
  }

  /** As `#flushPart`, but waits for the disk beside other calls. `synced` writes what has come by then. */
  #flushBeside(): void {
    this.stop()
    if (!this.#hasWork) return
    const waiting = this.take()
    try {
      this.#file.assertPresent()
      this.#file.settle()
      this.#file.commitBeside(
        () => collected(this.#file, () => this.#written(waiting)),
        (made, error) => {
          if (error) {
            this.#failed(error)
            return
          }
          this.#givesWay = true
          this.#writtenAlone()
          this.#deliver(made)
          if (this.#waiting.length > 0) this.#wakeIn(DELAY_MS)
        },
      )
      this.#file.callers.takeLastUses()
    } catch (error) {
      this.putBack(waiting)
      this.#failed(error)
    }
  }

  /**
   * Called when the disk has been waited for beside other calls. Queued writes come first, and take records with them:
   * otherwise those of reads without end would keep them waiting.
   */
  synced(hasWrites: boolean): void {
    if (!this.#givesWay || hasWrites) return
    // Not at once: whoever waited for the disk may be about to write.
    setImmediate(() => {
      this.#givesWay = false
      if (this.#isDue) this.#flushBeside()
    })
  }

  /** After a commit of nothing but records: on a full disk, it may fit where no call does. */
  #writtenAlone(): void {
    const failure = this.#failure
    this.written()
    if (failure?.code !== 'storage_full' || hasRoom(this.#file.db.name)) return
    this.#failure = failure
    this.#wakeIn(DELAY_MS)
  }

  get #hasWork(): boolean {
    const isDue = this.#waiting.length > 0 || this.#file.callers.hasLastUses || this.#failure !== null
    return this.#file.isFree && isDue
  }

  #written(waiting: readonly WaitingRecord[]): { records: WrittenLogRecord[] } {
    this.#file.callers.saveLastUses()
    // Something must be written to know that the disk takes it.
    if (this.#failure) sql(this.#file.db, 'UPDATE log_journal SET written = written').run()
    return { records: this.insert(waiting) }
  }

  #failed(error: unknown): void {
    if (!this.#failure) this.#file.report(error, 'log')
    this.#failure = toCofferError(error)
    this.#wakeIn(DELAY_MS)
    this.#syncJournal()
  }

  /** While the database cannot be written, the journal protects its records from a power cut too. */
  #syncJournal(): void {
    try {
      if (this.#inJournal > 0) this.#journal?.sync()
    } catch (error) {
      this.#file.report(error, 'journal')
    }
  }

  /** Cancels the scheduled flush. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Closes the journal and returns the records that still wait, for a successor. The journal keeps those it has. */
  leave(): readonly WaitingRecord[] {
    this.#journal?.close(false)
    return this.take(this.#waiting.length)
  }

  /** Takes over the records that another engine left, except those that the journal has given this one. */
  takeOver(left: readonly WaitingRecord[]): void {
    const last = this.#journal?.serial ?? 0
    const others = left.filter(({ serial }) => serial === 0 || serial > last)
    for (const { record } of others) this.#push({ record, serial: 0 })
  }

  /** Writes what waits, and closes the journal. Never throws. */
  close(): void {
    this.settle()
    this.flush()
    this.stop()
    try {
      this.#journal?.close(this.#inJournal === 0 && this.#file.isOnDisk())
    } catch (error) {
      // A file that stays does no harm: the next start leaves out what the log has.
      this.#file.report(error, 'journal')
    }
  }

  get #isDue(): boolean {
    const { isPaused, isSyncing } = this.#file
    const mayWrite = !this.#failure && !this.#givesWay && !isPaused && !isSyncing
    return mayWrite && this.#waiting.length >= BATCH
  }

  #push(waiting: WaitingRecord): void {
    this.#waiting.push(waiting)
    this.#bytes += sizeOf(waiting.record)
    if (waiting.serial > 0) this.#inJournal++
  }

  #wakeIn(ms: number): void {
    if (ms === 0) this.stop()
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#file.isPaused || this.#file.isSyncing) this.#wakeIn(DELAY_MS)
      else if (!this.#file.isFree) this.#syncJournal()
      else this.#flushBeside()
    }, ms)
  }
}

/** The serial number of the last record that the log has taken from the journal. */
function lastSerial({ db }: VaultFile): number {
  return (sql(db, 'SELECT written FROM log_journal').get() as { written: number }).written
}

/** About how many bytes of memory a record takes. */
function sizeOf({ entity_id, entity_ids, request, note, detail, http, events }: LogRecord): number {
  const texts = (entity_id?.length ?? 0) + (request?.length ?? 0) + (note?.length ?? 0)
  const ids = entity_ids.reduce((sum, id) => sum + id.length + 40, 0)
  const about = detail ? JSON.stringify(detail).length : 0
  return 600 + texts + ids + about + (http ? 400 : 0) + (events ? JSON.stringify(events).length : 0)
}

function notRecorded(cause: unknown): CofferError {
  if (cause instanceof CofferError && cause.code === 'unavailable') return cause
  return new CofferError(
    'storage_full',
    'The log record of this request could not be written, so no data is shown. Free some space on the disk or check it, then try again.',
    { cause },
  )
}
