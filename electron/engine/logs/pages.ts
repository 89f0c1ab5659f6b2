import { createInvalidError } from '../../../shared/errors.ts'
import { countRowsBefore } from '../../../shared/offset-page.ts'
import type { Database } from '../db/open.ts'
import type { LogFilter } from './filter.ts'
import { searchLogs } from './search.ts'
import { countLogs, type LogPosition, type LogRow, listLogs, readLogs } from './store.ts'

/** `page` counts from 1, starting at the cursor's position if there is one. */
type LogPageRequest = { readonly after: LogPosition | null; readonly page: number; readonly size: number }

type LogPage = {
  readonly rows: readonly LogRow[]
  /** Where the next page starts; null at the end. */
  readonly next: LogPosition | null
  /** How many records the list has; null if that is not known. */
  readonly total: number | null
}

/** A page of a list with an index of its own: of everything, of a kind, between two dates. */
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
 * A page of a search. It may hold fewer records than asked for although `next` is set, and has a total only if the
 * search reached the end of the log. Throws 400 for a page number that the search did not reach (rule R-03).
 */
export function searchPage(db: Database, filter: LogFilter, { after, page, size }: LogPageRequest): LogPage {
  const before = after ? after[1] : null
  const ask = { before, skip: countRowsBefore({ page, size }), limit: size, count: before === null }
  const { seqs, total, next, short } = searchLogs(db, filter, ask)
  if (short)
    throw createInvalidError(
      'page',
      'is too far down this search; continue with start=<pagination.next> instead',
    )
  const rows = readLogs(db, seqs)
  return { rows, next: next === null ? null : [0, next], total: before === null ? total : null }
}
