import type { LogEntry } from '../../shared/host.ts'
import { isoTime } from '../../shared/time.ts'
import type { WrittenLogRecord } from '../engine/door/records.ts'

const COMPANY_MS = 100
const MOST = 500

/** A log record as the window shows it. */
function toLogEntry(record: WrittenLogRecord): LogEntry {
  const { actor_type, actor_id, operation, entity_type, entity_id, status, note, trace_id } = record
  return {
    id: String(record.seq),
    actor_type,
    actor_id,
    operation,
    entity_type,
    entity_id,
    status,
    note,
    trace_id,
    duration_ms: record.duration_us / 1000,
    created_at: isoTime(record.at),
  }
}

/** Batches log records, so that thousands a second do not become thousands of messages; keeps the newest. */
export class LogFeed {
  readonly #tell: (records: readonly LogEntry[]) => void
  #waiting: WrittenLogRecord[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(tell: (records: readonly LogEntry[]) => void) {
    this.#tell = tell
  }

  add(records: readonly WrittenLogRecord[]): void {
    this.#waiting.push(...records.slice(-MOST))
    if (this.#waiting.length > 2 * MOST) this.#waiting = this.#waiting.slice(-MOST)
    this.#timer ??= setTimeout(() => this.flush(), COMPANY_MS).unref()
  }

  flush(): void {
    const records = this.#take().map(toLogEntry)
    if (records.length > 0) this.#tell(records)
  }

  /** Drops what waits: the vault it is about is no longer the open one. */
  drop(): void {
    this.#take()
  }

  #take(): WrittenLogRecord[] {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const records = this.#waiting.slice(-MOST)
    this.#waiting = []
    return records
  }
}
