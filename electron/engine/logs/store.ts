import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { LogRecord } from './record.ts'

export type LogRow = Omit<LogRecord, 'entity_ids'> & { seq: number }

/** What a list is narrowed to; `since` is included, `until` is not (rule O-05). */
export type LogFilter = {
  readonly entity_type: string | undefined
  readonly entity_id: string | undefined
  readonly since: number | undefined
  readonly until: number | undefined
}

/** A place in the order of the log: time, then sequence, both descending. */
export type LogPosition = readonly [at: number, seq: number]

type Source = { readonly text: string; readonly values: readonly (string | number)[] }

/** Reading the log by page adds to it: unless asked for, its own reading is left out, so that a walk ends. */
const shown = "(entity_type <> 'log' OR status >= 400)"

/** The `at` and `seq` of a filter's records, each arm in the order of an index, from after a position. */
function sourceOf(filter: LogFilter, after: LogPosition | null): Source {
  const until = Math.min(filter.until ?? Number.MAX_SAFE_INTEGER, after ? after[0] + 1 : Infinity)
  const within = `at >= ? AND at < ?${after ? ' AND (at, seq) < (?, ?)' : ''}`
  const values = [filter.since ?? 0, until, ...(after ?? [])]
  const { entity_type, entity_id } = filter
  if (entity_id !== undefined) {
    const type = entity_type === undefined ? '' : ' AND entity_type = ?'
    const arm = [entity_id, ...values, ...(entity_type === undefined ? [] : [entity_type])]
    return {
      text: `SELECT at, seq FROM log INDEXED BY log_by_entity WHERE entity_id = ? AND ${within}${type}
        UNION ALL SELECT at, seq FROM log_entity WHERE entity_id = ? AND ${within}${type.replace(
          'entity_type',
          '(SELECT entity_type FROM log WHERE log.seq = log_entity.seq)',
        )}`,
      values: [...arm, ...arm],
    }
  }
  if (entity_type !== undefined) {
    return {
      text: `SELECT at, seq FROM log INDEXED BY log_by_type WHERE entity_type = ? AND ${within}`,
      values: [entity_type, ...values],
    }
  }
  return { text: `SELECT at, seq FROM log INDEXED BY log_shown WHERE ${within} AND ${shown}`, values }
}

const order = 'ORDER BY at DESC, seq DESC'

/** Records of a filter from after a position, newest first. */
export function listLogs(
  db: Database,
  filter: LogFilter,
  { after, limit, offset }: { after: LogPosition | null; limit: number; offset: number },
): LogRow[] {
  const { text, values } = sourceOf(filter, after)
  return sql(
    db,
    `SELECT log.seq, log.at, actor_type, actor_id, operation, entity_type, entity_id, status, note, trace_id,
     duration_us FROM (${text} ${order} LIMIT ? OFFSET ?) found JOIN log ON log.seq = found.seq
     ORDER BY log.at DESC, log.seq DESC`,
  ).all(...values, limit, offset) as LogRow[]
}

/** How many records a filter has. Without entity id and dates this costs the same however long the log is. */
export function countLogs(db: Database, filter: LogFilter): number {
  const { entity_type, entity_id, since, until } = filter
  const { text, values } =
    entity_id === undefined && since === undefined && until === undefined
      ? keptCountOf(entity_type)
      : countOf(sourceOf(filter, null))
  return (sql(db, text).get(...values) as { total: number }).total
}

function keptCountOf(entity_type: string | undefined): Source {
  const kept = 'SELECT coalesce(sum(records), 0) AS total FROM log_count WHERE'
  if (entity_type !== undefined) return { text: `${kept} entity_type = ?`, values: [entity_type] }
  return { text: `${kept} entity_type <> 'log' OR refused`, values: [] }
}

function countOf({ text, values }: Source): Source {
  return { text: `SELECT count(*) AS total FROM (${text})`, values }
}

/** Deletes up to `limit` of the records from before a moment, and gives how many it deleted (rule O-05). */
export function deleteOldLogs(db: Database, before: number, limit: number): number {
  const { changes } = sql(
    db,
    `DELETE FROM log WHERE seq IN (SELECT seq FROM log INDEXED BY log_by_type
       WHERE entity_type IN (SELECT entity_type FROM log_count) AND at < ? LIMIT ?)`,
  ).run(before, limit)
  return changes
}
