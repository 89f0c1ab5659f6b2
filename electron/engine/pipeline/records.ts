import type { Entity } from '../../../shared/entities.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { Event, RecordEvents } from '../events/event.ts'
import { writeEvents } from '../events/write.ts'
import type { LogDetail } from './detail.ts'
import { extendChain, formatChainText } from './log-chain.ts'
import { maskText, toLogId } from './log-id.ts'
import { formatStoredHttp, type HttpRecord } from './request-metadata.ts'

/** One record of the log (rule O-05): who did what to which entity, and with what result. Never data. */
export type LogRecord = {
  at: number
  actor_type: string
  actor_id: string | null
  operation: string
  entity_type: Entity
  /** The id of the entity; null for an operation on no entity, or on several. */
  entity_id: string | null
  /**
   * The entities of an operation on several entities, or an application that the operation also concerns. The record
   * can be found by each of these ids.
   */
  entity_ids: readonly string[]
  status: number
  note: string | null
  trace_id: string
  duration_us: number
  /** Method and path; null for a call without a key, unless the call specified them or never reached the pipeline. */
  request?: string | null
  /** The last four characters of the caller's key. */
  key_hint?: string | null
  detail?: LogDetail | null
  /** What is stored about the HTTP request behind the call. */
  http?: HttpRecord | null
  /** The events that webhooks receive, written in the same transaction (rule W-02). */
  events?: readonly Event[]
}

export type WrittenLogRecord = LogRecord & { readonly seq: number }

/** Writes records inside the caller's transaction. Returns them as stored, with their sequence numbers. */
export function insertLog(db: Database, keyring: Keyring, records: readonly LogRecord[]): WrittenLogRecord[] {
  const statement = `INSERT INTO log (at, actor_type, actor_id, operation, entity_type, entity_id, status, note, trace_id,
       duration_us, request, key_hint, detail, agent, http)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const insert = sql(db, statement)
  const texts: string[] = []
  const recordEvents: RecordEvents[] = []
  const written = records.map((record) => {
    const { events } = record
    const r = maskRecord(events ? omitEvents(record) : record, keyring)
    const { request, key_hint, detail, agent, http } = toColumns(r)
    const { lastInsertRowid } = insert.run(
      r.at,
      r.actor_type,
      r.actor_id,
      r.operation,
      r.entity_type,
      r.entity_id,
      r.status,
      r.note,
      r.trace_id,
      r.duration_us,
      request,
      key_hint,
      detail,
      agent,
      http,
    )
    const seq = Number(lastInsertRowid)
    const entity_ids = r.entity_ids.map((id) => toLogId(id, keyring))
    for (const entity_id of entity_ids) {
      sql(db, 'INSERT OR IGNORE INTO log_entity (seq, entity_id) VALUES (?, ?)').run(seq, entity_id)
    }
    texts.push(formatChainText({ ...r, seq, request, key_hint, detail, agent, http }, entity_ids))
    if (events) recordEvents.push({ at: r.at, trace_id: r.trace_id, events })
    return { ...r, seq }
  })
  const first = written[0]
  if (first) extendChain(db, keyring, first.seq, texts)
  countRecords(db, records)
  if (recordEvents.length > 0) writeEvents(db, keyring, recordEvents)
  return written
}

function maskRecord<R extends LogRecord>(record: R, keyring: Keyring): R {
  return {
    ...record,
    entity_id: record.entity_id === null ? null : toLogId(record.entity_id, keyring),
    note: record.note === null ? null : maskText(record.note),
    trace_id: toLogId(record.trace_id, keyring),
  }
}

/** Returns the columns of a record's optional members. */
function toColumns({ request = null, key_hint = null, detail, http }: LogRecord) {
  return {
    request,
    key_hint,
    detail: detail ? JSON.stringify(detail) : null,
    agent: http?.agent ?? null,
    http: http ? formatStoredHttp(http) : null,
  }
}

/** Removes the events, which the log does not store. Copies none of the many records without events. */
function omitEvents({ events: _, ...record }: LogRecord): LogRecord {
  return record
}

function countRecords(db: Database, records: readonly LogRecord[]): void {
  for (const [entity_type, all] of Map.groupBy(records, (r) => r.entity_type)) {
    const refused = all.filter((r) => r.status >= 400).length
    addToCount(db, entity_type, 1, refused)
    addToCount(db, entity_type, 0, all.length - refused)
  }
}

function addToCount(db: Database, entity_type: Entity, refused: 0 | 1, records: number): void {
  if (records === 0) return
  sql(
    db,
    `INSERT INTO log_count (entity_type, refused, records) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET records = records + excluded.records`,
  ).run(entity_type, refused, records)
}
