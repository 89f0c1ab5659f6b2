import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { Keyring } from './keyring.ts'
import { sealedColumns } from './sealed-columns.ts'

type ResealRow = {
  readonly at: number | string | Buffer
  readonly name: string | Buffer
  readonly value: Buffer
}

/** The progress of resealing: the index of the current column in `sealedColumns`, and the last row done in it. */
export type ResealPosition = { readonly column: number; readonly after: ResealRow['at'] | undefined }

export const resealStart: ResealPosition = { column: 0, after: undefined }

/** The limits of rows and bytes per read, and of time per batch: short enough for a waiting request (rule R-03). */
const ROWS = 100
const BYTES = 1024 * 1024
const SLICE_MS = 8

/** Returns how many values resealing has to visit. */
export function countSealed(db: Database): number {
  let count = 0
  for (const { table, value } of sealedColumns) {
    // With `count(*)`, because `count(column)` reads every value.
    count += Number(sql(db, `SELECT count(*) FROM ${table} WHERE ${value} IS NOT NULL`).pluck().get())
  }
  return count
}

/**
 * Reseals the next values under the newest data key, inside the caller's transaction. Returns how many it
 * visited and where to continue, or null at the end.
 */
export function resealBatch(
  db: Database,
  keyring: Keyring,
  { column, after: last }: ResealPosition,
): { done: number; next: ResealPosition | null } {
  const sealedColumn = sealedColumns[column]
  if (!sealedColumn) return { done: 0, next: null }
  const { table, walk, first, value, name, label, version } = sealedColumn
  // SQLite knows the length of a value without reading it.
  const lengthsQuery = `SELECT length(${value}) FROM ${table} WHERE ${walk} > ? AND ${value} IS NOT NULL ORDER BY ${walk} LIMIT ${ROWS}`
  const lengthsStatement = sql<number>(db, lengthsQuery).pluck()
  const query = `SELECT ${walk} AS at, ${name} AS name, ${value} AS value FROM ${table}
     WHERE ${walk} > ? AND ${value} IS NOT NULL ORDER BY ${walk} LIMIT ?`
  const select = sql<ResealRow>(db, query)
  const alsoVersion = version === undefined ? '' : `, ${version} = ${keyring.dataKeyVersion}`
  const update = sql(db, `UPDATE ${table} SET ${value} = ?${alsoVersion} WHERE ${walk} = ?`)
  const until = performance.now() + SLICE_MS
  const lengths = lengthsStatement.all(last ?? first)
  const rows = select.all(last ?? first, countFitting(lengths))
  let done = 0
  let after = last
  for (const row of rows) {
    const fresh = keyring.reseal(row.value, toRowName(row.name), label)
    if (fresh) update.run(fresh, row.at)
    after = row.at
    done++
    if (performance.now() > until) break
  }
  // Rows written meanwhile are sealed under the newest key already, so they need no resealing.
  const isEnd = done === lengths.length && done < ROWS
  return { done, next: isEnd ? { column: column + 1, after: undefined } : { column, after } }
}

/** Returns how many of the values with these lengths fit into one read; at least one. */
function countFitting(lengths: readonly number[]): number {
  let bytes = 0
  const over = lengths.findIndex((length) => {
    bytes += length
    return bytes > BYTES
  })
  return over < 0 ? lengths.length : Math.max(1, over)
}

function toRowName(name: string | Buffer): string {
  return typeof name === 'string' ? name : name.toString('base64')
}
