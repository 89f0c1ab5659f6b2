import type { EntityChange } from '../../shared/entity-changes.ts'
import type { HostEvent, LogEntry } from '../../shared/host/events.ts'
import { formatIsoTime } from '../../shared/time.ts'
import { ChangeList, type ReportIncident, type WrittenLogRecord } from '../engine/index.ts'

const BATCH_DELAY_MS = 100
const MAX_BATCH_RECORDS = 500

/**
 * Publishes what happens to the windows. Log records and changes are batched, so that thousands per second do not become
 * thousands of messages.
 */
export class HostEvents {
  readonly #report: ReportIncident
  readonly #subscribers = new Set<(event: HostEvent) => void>()
  readonly #changes = new ChangeList()
  #records: WrittenLogRecord[] = []
  #recordTimer: NodeJS.Timeout | undefined
  #changeTimer: NodeJS.Timeout | undefined

  constructor(report: ReportIncident) {
    this.#report = report
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0
  }

  /** Subscribes to events; returns the function that unsubscribes. */
  subscribe(subscriber: (event: HostEvent) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  publish(event: HostEvent): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event)
      } catch (error) {
        // One failing window must not stop the other windows or the vault.
        this.#report(error, 'event')
      }
    }
  }

  /** Publishes log records soon. Of very many, only the newest. */
  addRecords(records: readonly WrittenLogRecord[]): void {
    if (!this.hasSubscribers) return
    this.#records.push(...records.slice(-MAX_BATCH_RECORDS))
    if (this.#records.length > 2 * MAX_BATCH_RECORDS) this.#records = this.#records.slice(-MAX_BATCH_RECORDS)
    this.#recordTimer ??= setTimeout(() => this.flushRecords(), BATCH_DELAY_MS).unref()
  }

  flushRecords(): void {
    const records = this.#records.slice(-MAX_BATCH_RECORDS).map(toLogEntry)
    this.#dropRecords()
    if (records.length > 0) this.publish({ type: 'log', records })
  }

  /** Publishes changes soon. */
  addChanges(changes: readonly EntityChange[]): void {
    if (!this.hasSubscribers) return
    for (const { entity, kind, ids } of changes) this.#changes.add(entity, kind, ids)
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined
      this.publish({ type: 'changes', changes: this.#changes.take() })
    }, BATCH_DELAY_MS).unref()
  }

  /** Drops pending changes, because their vault is no longer open. */
  dropChanges(): void {
    clearTimeout(this.#changeTimer)
    this.#changeTimer = undefined
    this.#changes.take()
  }

  /** Drops pending records and changes, because another vault is open now. */
  dropAll(): void {
    this.#dropRecords()
    this.dropChanges()
  }

  #dropRecords(): void {
    clearTimeout(this.#recordTimer)
    this.#recordTimer = undefined
    this.#records = []
  }
}

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
