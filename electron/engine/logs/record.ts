import type { Database } from '../db/open.ts'
import type { Entity } from '../operation.ts'

/** One record of the log (rule O-05): who did what to which entity, and how it ended. Never data. */
export type LogRecord = {
  at: number
  actor_type: string
  actor_id: string | null
  operation: string
  entity_type: Entity
  entity_id: string | null
  status: number
  note: string | null
  trace_id: string
  duration_us: number
}

/** A record with its place in the log. */
export type WrittenLogRecord = LogRecord & { readonly seq: number }

/** Writes records inside the caller's transaction and gives them with their places. */
export function insertLog(db: Database, records: readonly LogRecord[]): WrittenLogRecord[] {
  const insert = db.prepare(
    `INSERT INTO log (at, actor_type, actor_id, operation, entity_type, entity_id, status, note, trace_id, duration_us)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return records.map((r) => {
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
    )
    return { ...r, seq: Number(lastInsertRowid) }
  })
}
