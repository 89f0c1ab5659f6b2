import { createInvalidError } from '../../../../shared/errors.ts'
import { countRowsBefore } from '../../../../shared/offset-page.ts'
import type { Database } from '../../db/open.ts'
import { isSearch, type LogFilter } from './filter.ts'
import { searchLogs } from './search.ts'
import { countLogs, type LogPosition, type LogRow, listLogs, readLogs } from './store.ts'

/** `page` counts from 1. With a cursor, page 1 starts after the cursor's position. */
type LogPageRequest = { readonly after: LogPosition | null; readonly page: number; readonly size: number }

type LogPage = {
  readonly rows: readonly LogRow[]
  /** The position after which the next page starts; null at the end. */
  readonly next: LogPosition | null
  /** The number of records in the list; null if it was not counted. */
  readonly total: number | null
}

/**
 * Reads a page, in the order of time, of a list that has an index: all records, those of one entity type, or those
 * between two dates.
 */
export function listPage(db: Database, filter: LogFilter, { after, page, size }: LogPageRequest): LogPage {
  const records = listLogs(db, filter, { after, limit: size + 1, offset: countRowsBefore({ page, size }) })
  const rows = records.slice(0, size)
  const last = rows.at(-1)
  return {
    rows,
    next: records.length > size && last ? [last.at, last.seq] : null,
    total: after ? null : countLogs(db, filter),
  }
}

/**
 * Reads a page of a search, or of the whole log in the order in which records were written. The page may have fewer
 * records than requested although `next` is set. A search has a total only if it reached the end of the log. Throws
 * `invalid` for a page that was not reached (rule R-03).
 */
export function searchPage(db: Database, filter: LogFilter, { after, page, size }: LogPageRequest): LogPage {
  const before = after ? after[1] : null
  const mustCount = before === null && isSearch(filter)
  const request = { before, skip: countRowsBefore({ page, size }), limit: size, count: mustCount }
  const { seqs, total, next, short } = searchLogs(db, filter, request)
  if (short)
    throw createInvalidError('page', 'is too far down this search; send start=<pagination.next> instead')
  const rows = readLogs(db, seqs)
  return {
    rows,
    next: next === null ? null : [0, next],
    total: before !== null ? null : mustCount ? total : countLogs(db, filter),
  }
}
