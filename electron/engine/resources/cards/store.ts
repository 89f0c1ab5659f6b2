import type { binEntry } from '../../../../shared/schemas/bin.ts'
import type { z } from '../../../../shared/zod.ts'
import { recordBulkChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { selectRow, sql } from '../../db/statement.ts'
import type { BinEntry } from './bin-table.ts'

type BinRow = Omit<BinEntry, 'additional' | 'facts'> & { additional: string | null; facts: string | null }

const columns = 'first AS "from", last AS "to", brand, funding, authentication, facts, additional'

function toEntry({ facts, additional, ...entry }: BinRow): BinEntry {
  return {
    ...entry,
    ...(facts !== null && { facts: JSON.parse(facts) }),
    ...(additional !== null && { additional: JSON.parse(additional) }),
  }
}

const prefixLengths = new WeakMap<Database, readonly number[]>()

/** The lengths of the imported prefixes, longest first. Cached, because every read of a card needs them. */
function getPrefixLengths(db: Database): readonly number[] {
  const cached = prefixLengths.get(db)
  if (cached) return cached
  const lengths: number[] = []
  for (let digits = findLengthBelow(db, 20); digits !== null; digits = findLengthBelow(db, digits)) {
    lengths.push(digits)
  }
  prefixLengths.set(db, lengths)
  return lengths
}

function findLengthBelow(db: Database, digits: number): number | null {
  const row = sql(db, 'SELECT max(digits) AS digits FROM bin WHERE digits < ?').get(digits)
  return (row as { digits: number | null }).digits
}

/** Clears the cached prefix lengths. Must be called after a change to the entries, and after the rollback of one. */
export function invalidatePrefixLengths(db: Database): void {
  prefixLengths.delete(db)
}

/**
 * Returns the owner's imported entry with the longest matching prefix of a card number, or undefined (rule T-16). It
 * costs one index probe per prefix length, longest first.
 */
export function findBin(db: Database, number: string): BinEntry | undefined {
  for (const digits of getPrefixLengths(db)) {
    const prefix = number.slice(0, digits)
    const query = `SELECT ${columns} FROM bin WHERE digits = ? AND first <= ? ORDER BY first DESC LIMIT 1`
    const row = sql<BinRow>(db, query).get(digits, prefix)
    if (row && row.to >= prefix) return toEntry(row)
  }
  return undefined
}

/** The maximum number of imported entries of each prefix length that are read for one BIN. */
const MAX_ENTRIES_PER_BIN = 200

/** Returns the owner's imported entries that overlap a six-digit BIN, longest prefixes first. */
export function findBinsWithin(db: Database, bin: string): BinEntry[] {
  return getPrefixLengths(db).flatMap((digits) => {
    const lowest = bin.slice(0, digits).padEnd(digits, '0')
    const highest = bin.slice(0, digits).padEnd(digits, '9')
    // Ranges of the same length do not overlap, so they are sorted by `last` as well.
    const query = `SELECT ${columns} FROM bin WHERE digits = @digits AND first <= @highest
       AND first >= coalesce((SELECT max(first) FROM bin WHERE digits = @digits AND first <= @lowest), @lowest)
       AND last >= @lowest ORDER BY first LIMIT ${MAX_ENTRIES_PER_BIN}`
    const rows = sql<BinRow>(db, query).all({ digits, lowest, highest })
    return rows.map(toEntry)
  })
}

/** Returns a page of the imported entries, sorted by length and prefix. */
export function listBins(db: Database, limit: number, offset: number): BinEntry[] {
  const query = `SELECT ${columns} FROM bin ORDER BY digits, first LIMIT ? OFFSET ?`
  const rows = sql<BinRow>(db, query).all(limit, offset)
  return rows.map(toEntry)
}

/** Returns the number of imported entries. */
export function countBins(db: Database): number {
  return selectRow<{ total: number }>(db, 'SELECT count(*) AS total FROM bin').total
}

/** The maximum number of entries that are deleted at once. */
const MAX_DELETED = 2000

/**
 * Replaces the imported entries after one prefix and up to another, in the order of their length and digits, by those
 * that `removeOverlaps` returned for it. Returns false if there are more to delete first.
 */
export function replaceBins(
  db: Database,
  after: string,
  until: string,
  entries: readonly z.output<typeof binEntry>[],
): boolean {
  const deletion = `DELETE FROM bin WHERE (digits, first) IN (SELECT digits, first FROM bin
     WHERE (digits, first) > (length(@after), @after) AND (digits, first) <= (length(@until), @until)
     LIMIT ${MAX_DELETED})`
  const { changes } = sql(db, deletion).run({ after, until })
  if (changes > 0) recordBulkChange(db, 'bin', 'deleted')
  invalidatePrefixLengths(db)
  if (changes === MAX_DELETED) return false
  const statement = `INSERT INTO bin (digits, first, last, brand, funding, authentication, facts, additional)
     VALUES (length(@from), @from, @to, @brand, @funding, @authentication, @facts, @additional)`
  const insert = sql(db, statement)
  for (const { facts, additional, ...entry } of entries) {
    insert.run({
      ...entry,
      facts: facts ? JSON.stringify(facts) : null,
      additional: additional ? JSON.stringify(additional) : null,
    })
  }
  if (entries.length > 0) recordBulkChange(db, 'bin', 'created')
  return true
}

/** Removes every imported entry. */
export function clearBins(db: Database): void {
  const { changes } = sql(db, 'DELETE FROM bin').run()
  if (changes > 0) recordBulkChange(db, 'bin', 'deleted')
  invalidatePrefixLengths(db)
}
