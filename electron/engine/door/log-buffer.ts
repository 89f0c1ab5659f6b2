import { manyRefused } from './by-the-vault.ts'
import { type Committed, committed, type Deliver } from './committed.ts'
import { insertLog, type LogRecord } from './records.ts'
import { UnknownCallers } from './unknown-callers.ts'
import type { VaultFile } from './vault-file.ts'

/** How long records of reads wait, so that several are written together. */
const DELAY_MS = 200
/** This many are written without further delay, so that one write never takes long. */
const BATCH = 200

/** Log records waiting in memory for the next transaction. */
export class LogBuffer {
  readonly #file: VaultFile
  readonly #deliver: Deliver
  /** Refused requests without a valid key. */
  readonly unknown = new UnknownCallers((more) => this.add(manyRefused(more, this.#file.now())))
  #records: LogRecord[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(file: VaultFile, deliver: Deliver) {
    this.#file = file
    this.#deliver = deliver
  }

  /** Adds a record, and schedules a flush. */
  add(record: LogRecord): void {
    this.#records.push(record)
    if (this.#records.length % BATCH === 0) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), DELAY_MS)
  }

  /** Empties the buffer and returns its records, for another transaction to write. */
  take(): LogRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  /** Puts back records that could not be written, ahead of newer ones. */
  putBack(records: readonly LogRecord[]): void {
    this.#records = records.concat(this.#records)
  }

  /** Writes the buffered records and last uses. If that fails, the records are kept for the next attempt. */
  flush(): void {
    this.stop()
    const { db, keyring, callers, isFree } = this.#file
    if (!isFree || (this.#records.length === 0 && !callers.hasLastUses)) return
    const records = this.take()
    let written: Committed
    try {
      written = committed(db, () => {
        callers.saveLastUses()
        return { records: insertLog(db, keyring, records) }
      })
      callers.takeLastUses()
    } catch (error) {
      this.#file.report(error, 'log')
      this.putBack(records)
      return
    }
    this.#deliver(written)
  }

  /** Cancels the scheduled flush. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
