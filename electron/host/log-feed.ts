import type { LogEntry } from '../../shared/host/events.ts'
import { formatIsoTime } from '../../shared/time.ts'
import type { WrittenLogRecord } from '../engine/index.ts'

const BATCH_DELAY_MS = 100
const MAX_BATCH_RECORDS = 500

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
    created_at: formatIsoTime(record.at),
  }
}

/** Batches log records, so that thousands per second do not become thousands of messages. Keeps the newest. */
export class LogFeed {
  readonly #onRecords: (records: readonly LogEntry[]) => void
  #pending: WrittenLogRecord[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(onRecords: (records: readonly LogEntry[]) => void) {
    this.#onRecords = onRecords
  }

  add(records: readonly WrittenLogRecord[]): void {
    this.#pending.push(...records.slice(-MAX_BATCH_RECORDS))
    if (this.#pending.length > 2 * MAX_BATCH_RECORDS) this.#pending = this.#pending.slice(-MAX_BATCH_RECORDS)
    this.#timer ??= setTimeout(() => this.flush(), BATCH_DELAY_MS).unref()
  }

  flush(): void {
    const records = this.#takePending().map(toLogEntry)
    if (records.length > 0) this.#onRecords(records)
  }

  /** Drops pending records, because their vault is no longer open. */
  dropPending(): void {
    this.#takePending()
  }

  #takePending(): WrittenLogRecord[] {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const records = this.#pending.slice(-MAX_BATCH_RECORDS)
    this.#pending = []
    return records
  }
}
