import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import { formatCount } from '../../../../shared/format-count.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { Context } from '../../pipeline/context.ts'
import { toLogId } from '../../pipeline/log-id.ts'
import { defineTable, listRows, readOffsetPage } from '../crud.ts'

/** The maximum number of stored exchanges, and of stored runs (rules G-07, F-04). */
const MAX_ENTRIES = 200

type NewEntry = { readonly trace_id: string; readonly duration_us: number; readonly content: object }
type SummaryRow = Omit<NewEntry, 'content'> & { readonly id: string; readonly created_at: number }

/**
 * Returns the handlers of a history: the newest 200 exchanges of proxies, or runs of code (rules G-07, F-04). The
 * content of an entry is sealed; `columns` are the others, by some of which a list can be filtered.
 */
export function defineHistory<Summary extends object, Content extends object>({
  entity,
  label,
  columns,
  filters,
  missing,
}: {
  entity: 'exchange' | 'reactor_run'
  label: 'exchange' | 'run'
  columns: string
  filters: readonly string[]
  missing: string
}) {
  const summary = `id, created_at, ${columns}`
  const { insertRow } = defineTable<SummaryRow & { readonly content: Buffer }>(entity, `${summary}, content`)
  const matching = filters.map((each) => `(@${each} IS NULL OR ${each} = @${each})`).join(' AND ')
  const noFilter = Object.fromEntries(filters.map((each) => [each, null]))

  function deleteEntries(db: Database, condition: string, ...values: number[]): number {
    const deleted = sql<string>(db, `DELETE FROM ${entity} WHERE ${condition} RETURNING id`)
      .pluck()
      .all(values)
    for (const id of deleted) recordChange(db, entity, 'deleted', id)
    return deleted.length
  }

  function present({ duration_us, created_at, ...row }: SummaryRow & Summary) {
    return { ...row, duration_ms: duration_us / 1000, created_at: formatIsoTime(created_at) }
  }

  return {
    keep(context: Context, { content, trace_id, ...fields }: NewEntry) {
      // The call or run already has a log record.
      context.skipRecord()
      const { db, keyring, now } = context
      const id = randomUUID()
      insertRow(db, {
        ...fields,
        id,
        // SECURITY: the caller chooses the trace id, so it may contain a card number or a key.
        trace_id: toLogId(trace_id, keyring),
        created_at: now,
        content: keyring.sealValue(JSON.stringify(content), id, label),
      })
      const newest = `SELECT seq FROM ${entity} ORDER BY seq DESC LIMIT 1 OFFSET ?`
      deleteEntries(db, `seq <= (${newest})`, MAX_ENTRIES)
      return {}
    },
    list(
      { db, keyring }: Context,
      { page, size, trace_id, ...filter }: { page: number; size: number; trace_id?: string | undefined },
    ) {
      const values = { ...noFilter, ...filter, trace_id: trace_id ? toLogId(trace_id, keyring) : null }
      const listed = { table: entity, columns: summary, matching, order: 'seq DESC' }
      return readOffsetPage(
        { page, size },
        (limit, offset) => listRows<SummaryRow & Summary>(db, listed, values, limit, offset),
        present,
      )
    },
    get({ db, keyring }: Context, { id }: { id: string }) {
      const row = sql<SummaryRow & Summary>(db, `SELECT ${summary} FROM ${entity} WHERE id = ?`).get(id)
      const content = sql<Buffer>(db, `SELECT content FROM ${entity} WHERE id = ?`).pluck().get(id)
      if (!row || !content) throw new CofferError('not_found', missing)
      return { ...present(row), ...(JSON.parse(keyring.openValue(content, id, label)) as Content) }
    },
    forget(context: Context) {
      const forgotten = deleteEntries(context.db, 'true')
      context.setRecordEntity(null, formatCount(forgotten, label))
      return { forgotten }
    },
  }
}
