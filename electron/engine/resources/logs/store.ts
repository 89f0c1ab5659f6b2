import type { Database } from '../../db/open.ts'
import { selectRow, selectValue, sql } from '../../db/statement.ts'
import { countDeletedRecord } from '../../pipeline/log-chain.ts'
import type { LogRecord } from '../../pipeline/records.ts'
import type { LogFilter } from './filter.ts'

export type LogRow = Omit<LogRecord, 'entity_ids' | 'request' | 'key_hint' | 'detail' | 'http'> & {
  readonly seq: number
  readonly request: string | null
  readonly key_hint: string | null
  /** JSON of `LogDetail`. */
  readonly detail: string | null
  readonly agent: string | null
  /** JSON of `StoredHttp`. */
  readonly http: string | null
}

/** A position in the order of the log: time, then sequence number, both descending. */
export type LogPosition = readonly [at: number, seq: number]

type SqlFragment = { readonly text: string; readonly values: readonly (string | number)[] }

/**
 * Each read of the log adds a record. These records are hidden by default; otherwise, paging through the log would
 * never end.
 */
const VISIBLE_RECORDS = "(entity_type <> 'log' OR status >= 400)"

/** Selects `at` and `seq` of the records that match a filter, after a position, in the order of an index. */
function buildRecordsSql(filter: LogFilter, after: LogPosition | null): SqlFragment {
  const until = Math.min(filter.until ?? Number.MAX_SAFE_INTEGER, after ? after[0] + 1 : Infinity)
  const within = `at >= ? AND at < ?${after ? ' AND (at, seq) < (?, ?)' : ''}`
  const values = [filter.since ?? 0, until, ...(after ?? [])]
  const { entity_type } = filter
  if (entity_type !== undefined) {
    return {
      text: `SELECT at, seq FROM log INDEXED BY log_by_type WHERE entity_type = ? AND ${within}`,
      values: [entity_type, ...values],
    }
  }
  return {
    text: `SELECT at, seq FROM log INDEXED BY log_shown WHERE ${within} AND ${VISIBLE_RECORDS}`,
    values,
  }
}

const NEWEST_FIRST = 'ORDER BY at DESC, seq DESC'

/** Lists the records after a position that match a filter for which `isSearch` is false, newest first. */
export function listLogs(
  db: Database,
  filter: LogFilter,
  { after, limit, offset }: { after: LogPosition | null; limit: number; offset: number },
): LogRow[] {
  const { text, values } = buildRecordsSql(filter, after)
  const query = `SELECT log.* FROM (${text} ${NEWEST_FIRST} LIMIT ? OFFSET ?) found JOIN log ON log.seq = found.seq
     ORDER BY log.at DESC, log.seq DESC`
  return sql<LogRow>(db, query).all(...values, limit, offset)
}

/**
 * Counts the records that match a filter for which `isSearch` is false. Without dates, the cost does not depend on the
 * length of the log.
 */
export function countLogs(db: Database, filter: LogFilter): number {
  const { entity_type, since, until } = filter
  const { text, values } =
    since === undefined && until === undefined
      ? buildStoredCountSql(entity_type)
      : buildCountSql(buildRecordsSql(filter, null))
  return selectRow<{ total: number }>(db, text, ...values).total
}

function buildStoredCountSql(entity_type: string | undefined): SqlFragment {
  const select = 'SELECT coalesce(sum(records), 0) AS total FROM log_count WHERE'
  if (entity_type !== undefined) return { text: `${select} entity_type = ?`, values: [entity_type] }
  return { text: `${select} entity_type <> 'log' OR refused`, values: [] }
}

function buildCountSql({ text, values }: SqlFragment): SqlFragment {
  return { text: `SELECT count(*) AS total FROM (${text})`, values }
}

/** Returns the time of the oldest record in a list without filters; null for an empty log. */
export function findOldestLog(db: Database): number | null {
  const text = `SELECT at FROM log INDEXED BY log_shown WHERE ${VISIBLE_RECORDS} ORDER BY at LIMIT 1`
  return sql<number>(db, text).pluck().get() ?? null
}

/** Returns the record with this `seq`; undefined if there is none. */
export function findLog(db: Database, seq: number): LogRow | undefined {
  return sql<LogRow>(db, 'SELECT * FROM log WHERE seq = ?').get(seq)
}

/** Reads the records with these `seq`, in this order. Skips records that no longer exist. */
export function readLogs(db: Database, seqs: readonly number[]): LogRow[] {
  return seqs.flatMap((seq) => findLog(db, seq) ?? [])
}

/** Reads up to `limit` entity ids of a record about several entities. */
export function readEntities(db: Database, seq: number, limit = 100_000): string[] {
  const query = 'SELECT entity_id FROM log_entity WHERE seq = ? LIMIT ?'
  const rows = sql<{ entity_id: string }>(db, query).all(seq, limit)
  return rows.map(({ entity_id }) => entity_id)
}

/** Deletes up to `limit` records older than `before` and returns how many it deleted (rule O-05). */
export function deleteOldLogs(db: Database, before: number, limit: number): number {
  const query = `SELECT seq FROM log INDEXED BY log_by_type
     WHERE entity_type IN (SELECT entity_type FROM log_count) AND at < ? LIMIT ?`
  const old = sql<{ seq: number }>(db, query).all(before, limit)
  deleteLogs(db, old)
  return old.length
}

/** Deletes up to `limit` of the oldest records beyond the newest `max`, and returns how many it deleted. */
export function deleteExcessLogs(db: Database, max: number, limit: number): number {
  const recordCount = selectValue<number>(db, 'SELECT coalesce(sum(records), 0) FROM log_count')
  if (recordCount <= max) return 0
  // Deletes in the order of `seq`, not of time, because the clock may have been wrong.
  const query = 'SELECT seq FROM log ORDER BY seq LIMIT ?'
  const oldest = sql<{ seq: number }>(db, query).all(Math.min(recordCount - max, limit))
  deleteLogs(db, oldest)
  return oldest.length
}

function deleteLogs(db: Database, records: readonly { seq: number }[]): void {
  for (const { seq } of records) {
    sql(db, 'DELETE FROM log WHERE seq = ?').run(seq)
    countDeletedRecord(db, seq)
    const statement = `UPDATE log_block SET gone = 1 WHERE NOT gone AND last >= ? AND first =
         (SELECT first FROM log_block WHERE first <= ? ORDER BY first DESC LIMIT 1)`
    sql(db, statement).run(seq, seq)
  }
}

/** Deletes up to `limit` terms of a block that is no longer valid. Returns whether there was such a block. */
export function deleteStaleTerms(db: Database, limit: number): boolean {
  const stale = sql(db, 'SELECT first FROM log_block INDEXED BY log_block_gone WHERE gone LIMIT 1').get()
  if (!stale) return false
  const { first } = stale as { first: number }
  const statement = `DELETE FROM log_id WHERE block = ? AND (term, seq) IN
       (SELECT term, seq FROM log_id WHERE block = ? LIMIT ?)`
  const ids = sql(db, statement).run(first, first, limit)
  if (ids.changes === limit) return true
  sql(db, 'DELETE FROM log_term WHERE block = ?').run(first)
  sql(db, 'DELETE FROM log_block WHERE first = ?').run(first)
  return true
}
