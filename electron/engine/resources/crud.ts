import { type ChangingEntity, type EntityName, entities } from '../../../shared/entities.ts'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { countRowsBefore, toOffsetPage } from '../../../shared/offset-page.ts'
import { createdId } from '../../../shared/schemas/common.ts'
import { z } from '../../../shared/zod.ts'
import { recordChange } from '../db/changes.ts'
import type { Database } from '../db/open.ts'
import { selectValue, sql } from '../db/statement.ts'
import type { Context } from '../pipeline/context.ts'
import { createDeletedSinceError } from '../pipeline/idempotency.ts'

/** The input of an operation on one entity. */
export const byId = z.strictObject({ id: createdId })

/** Returns the error for an id or a name that nothing has. */
export function createMissingError(name: string): CofferError {
  return new CofferError('not_found', `There is no such ${name}.`)
}

/** Throws `unprocessable` unless a tenant that has `count` of something can have another. `what` is its plural. */
export function assertBelow(count: number, max: number, what: string): void {
  if (count < max) return
  throw new CofferError('unprocessable', `A tenant can have at most ${max} ${what}. Delete some first.`)
}

/**
 * Returns the functions that find a row by its id and set it as the entity of the log record: `requireRow` throws
 * `not_found`, and `requireAgain`, for a repeated request, `createDeletedSinceError()` (rule A-12).
 */
export function defineLookup<Row>(
  entity: EntityName,
  find: (db: Database, id: string, now: number) => Row | undefined,
) {
  const findIn = (context: Context, id: string) => {
    context.setRecordEntity(id)
    return find(context.db, id, context.now)
  }
  return {
    requireRow(context: Context, id: string): Row {
      const row = findIn(context, id)
      if (row === undefined) throw createMissingError(entities[entity].name)
      return row
    },
    requireAgain(context: Context, id: unknown): Row {
      const row = findIn(context, String(id))
      if (row === undefined) throw createDeletedSinceError()
      return row
    },
  }
}

/** Returns a lookup with the handler of `get`, and the `replay` that shows the row as it is now. */
export function defineResource<Row, Shown>(
  entity: EntityName,
  find: (db: Database, id: string, now: number) => Row | undefined,
  present: (context: Context, row: Row) => Shown,
) {
  const lookup = defineLookup(entity, find)
  return {
    ...lookup,
    get: (context: Context, { id }: { readonly id: string }) =>
      present(context, lookup.requireRow(context, id)),
    replay: (context: Context, id: unknown) => present(context, lookup.requireAgain(context, id)),
  }
}

type OffsetPosition = { readonly page: number; readonly size: number }

/** Reads one page of a list with numbered pages (rule L-05). */
export function readOffsetPage<Row, Shown>(
  { page, size }: OffsetPosition,
  list: (limit: number, offset: number) => { readonly rows: readonly Row[]; readonly total: number },
  present: (row: Row) => Shown,
) {
  const { rows, total } = list(size, countRowsBefore({ page, size }))
  return toOffsetPage(rows.map(present), total, page, size)
}

/** How an error about a cursor names the cursor, and what to do. */
type CursorWords = { readonly name?: string; readonly hint?: string }

/** Opens the position in a sealed cursor; null at the start. Throws `invalid` for a cursor of another list. */
export function openPosition(
  { keyring }: Context,
  start: string | undefined,
  scope: string,
  { name = 'start', hint = 'pass pagination.next' }: CursorWords = {},
): string | null {
  const position = start === undefined ? null : keyring.openCursor(start, scope)
  if (start !== undefined && position === null)
    throw createInvalidError(name, `is not a cursor of this list; ${hint}`)
  return position
}

/** Reads one page of a list by row numbers, newest first, with the cursor of the next page. */
export function readCursorPage<Row extends { readonly seq: number }, Shown>(
  context: Context,
  { start, size }: { readonly start?: string | undefined; readonly size: number },
  scope: string,
  list: (limit: number, before: number | null) => readonly Row[],
  present: (row: Row) => Shown,
  words?: CursorWords,
) {
  const before = openPosition(context, start, scope, words)
  const rows = list(size + 1, before === null ? null : Number(before))
  const data = rows.slice(0, size)
  const last = rows.length > size ? data.at(-1) : undefined
  return {
    pagination: {
      page_size: size,
      ...(last && { next: context.keyring.sealCursor(String(last.seq), scope) }),
    },
    data: data.map(present),
  }
}

/** How many rows a page of a filtered list reads at most, and how many at a time (rule R-03). */
const MAX_SCANNED = 500
const SCANNED_CHUNK = 500
/** The same for rows that cost little to read. */
export const MAX_FILTERED_ROWS = 2000

type ScanOptions = { readonly size: number; readonly before: number | null; readonly scanned: number }

/**
 * Reads the rows of a list that `present` does not leave out with null, by row numbers, newest first. There may be
 * fewer than `size`, or none, although `next` is set: the row number before which to continue.
 */
export function readMatchingRows<Row extends { readonly seq: number }, Shown>(
  { size, before, scanned }: ScanOptions,
  list: (limit: number, before: number | null) => readonly Row[],
  present: (row: Row) => Shown | null,
): { readonly data: Shown[]; readonly next: number | null } {
  const data: Shown[] = []
  const limit = Math.min(SCANNED_CHUNK, scanned)
  let at = before
  for (let read = 0; read < scanned; read += limit) {
    const rows = list(limit + 1, at)
    for (const [index, row] of rows.slice(0, limit).entries()) {
      const shown = present(row)
      if (shown !== null) data.push(shown)
      at = row.seq
      if (data.length === size) return { data, next: index + 1 < rows.length ? at : null }
    }
    if (rows.length <= limit) return { data, next: null }
  }
  return { data, next: at }
}

/**
 * Reads one page of the rows that `present` does not leave out with null, newest first. After 500 rows, the page ends
 * early, with a cursor.
 */
export function readFilteredPage<Row extends { readonly seq: number }, Shown>(
  context: Context,
  {
    start,
    size,
    scanned = MAX_SCANNED,
  }: { readonly start?: string | undefined; readonly size: number; readonly scanned?: number },
  scope: string,
  list: (limit: number, before: number | null) => readonly Row[],
  present: (row: Row) => Shown | null,
) {
  const position = openPosition(context, start, scope)
  const before = position === null ? null : Number(position)
  const { data, next } = readMatchingRows({ size, before, scanned }, list, present)
  return {
    pagination: {
      page_size: size,
      ...(next !== null && { next: context.keyring.sealCursor(String(next), scope) }),
    },
    data,
  }
}

/** Returns the function that lists up to `limit` rows of an entity that have not expired, newest first. */
export function defineNewestFirst<Row>(entity: EntityName, columns: string) {
  const query = `SELECT rowid AS seq, ${columns} FROM ${entity}
    WHERE expires_at > @now AND (@before IS NULL OR rowid < @before) ORDER BY rowid DESC LIMIT @limit`
  const counting = `SELECT count(*) FROM ${entity} WHERE expires_at > ?`
  return {
    listNewest: (db: Database, now: number, limit: number, before: number | null) =>
      sql<Row & { readonly seq: number }>(db, query).all({ now, before, limit }),
    countAll: (db: Database, now: number) => selectValue<number>(db, counting, now),
  }
}

/** Deletes the row of an entity. */
function deleteById(db: Database, entity: ChangingEntity, id: string): void {
  sql(db, `DELETE FROM ${entity} WHERE id = ?`).run(id)
  recordChange(db, entity, 'deleted', id)
}

/**
 * Returns the functions that store and find the rows of an entity. They report each change to the window. `updateRow`
 * sets the columns in `editable`.
 */
export function defineTable<Row extends { readonly id: string }>(
  entity: ChangingEntity,
  columns: string,
  editable = '',
) {
  const insertion = `INSERT INTO ${entity} (${columns}) VALUES (${columns.replace(/\w+/g, '@$&')})`
  const update = `UPDATE ${entity} SET ${editable.replace(/\w+/g, '$& = @$&')} WHERE id = @id`
  return {
    insertRow(db: Database, row: Row): void {
      sql(db, insertion).run(row)
      recordChange(db, entity, 'created', row.id)
    },
    findRow(db: Database, id: string): Row | undefined {
      return sql<Row>(db, `SELECT ${columns} FROM ${entity} WHERE id = ?`).get(id)
    },
    updateRow(db: Database, row: Pick<Row, 'id'> & Partial<Row>): void {
      sql(db, update).run(row)
      recordChange(db, entity, 'updated', row.id)
    },
    deleteRow(db: Database, id: string): void {
      deleteById(db, entity, id)
    },
  }
}

/** Deletes up to `limit` expired rows of an entity while `hasTime` returns true. Returns their ids (rule R-03). */
export function deleteExpiredRows(
  db: Database,
  entity: ChangingEntity,
  now: number,
  limit: number,
  hasTime: () => boolean,
): string[] {
  const expired = sql<string>(db, `SELECT id FROM ${entity} WHERE expires_at <= ? LIMIT ?`).pluck()
  const deleted: string[] = []
  for (const id of expired.all(now, limit)) {
    deleteById(db, entity, id)
    deleted.push(id)
    if (!hasTime()) break
  }
  return deleted
}

type RowList = {
  readonly table: EntityName
  readonly columns: string
  /** A condition with named values. */
  readonly matching: string
  readonly order: string
}

/** Lists the matching rows of a page, with the number of all that match. */
export function listRows<Row>(
  db: Database,
  { table, columns, matching, order }: RowList,
  values: object,
  limit: number,
  offset: number,
): { rows: Row[]; total: number } {
  const page = `WHERE ${matching} ORDER BY ${order} LIMIT @limit OFFSET @offset`
  return {
    rows: sql<Row>(db, `SELECT ${columns} FROM ${table} ${page}`).all({ ...values, limit, offset }),
    total: selectValue<number>(db, `SELECT count(*) FROM ${table} WHERE ${matching}`, values),
  }
}
