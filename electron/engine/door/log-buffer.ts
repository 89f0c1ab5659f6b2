import { type Committed, committed, type Deliver } from './committed.ts'
import { insertLog, type LogRecord } from './records.ts'
import type { VaultFile } from './vault-file.ts'

/** Records of reads wait this long for company before they are written. */
const DELAY_MS = 200
/** This many are written at once without waiting, so that nobody waits long for it. */
const BATCH = 200

/** Log records that wait in memory for the next transaction. */
export class LogBuffer {
  readonly #file: VaultFile
  readonly #deliver: Deliver
  #records: LogRecord[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(file: VaultFile, deliver: Deliver) {
    this.#file = file
    this.#deliver = deliver
  }

  add(record: LogRecord): void {
    this.#records.push(record)
    if (this.#records.length % BATCH === 0) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), DELAY_MS)
  }

  /** Hands over the records that wait, for another transaction to write. */
  take(): LogRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  /** Takes records back that could not be written. */
  putBack(records: readonly LogRecord[]): void {
    this.#records = records.concat(this.#records)
  }

  /** Writes the records and last uses that wait; a failure keeps the records for the next time. */
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

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
