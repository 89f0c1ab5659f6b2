import type { Database } from '../../../db/open.ts'
import { selectValue, sql } from '../../../db/statement.ts'
import { defineTable, listRows } from '../../crud.ts'

export type MerchantRow = {
  id: string
  name: string
  /** JSON of `MerchantDetails`. */
  details: string
  /** JSON of `OnboardedServices`. */
  services: string
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
}

const editable = 'name, details, services, modified_by, modified_at'
const columns = `id, created_by, created_at, ${editable}`

/** Stores, finds, updates and deletes merchants (rule Z-03). */
export const {
  insertRow: insertMerchant,
  findRow: findMerchant,
  updateRow: updateMerchant,
  deleteRow: deleteMerchant,
} = defineTable<MerchantRow>('merchant', columns, editable)

/** Returns the id of the merchant with this name, or undefined. */
export function findMerchantId(db: Database, name: string): string | undefined {
  return sql<string>(db, 'SELECT id FROM merchant WHERE name = ?').pluck().get(name)
}

export function countMerchants(db: Database): number {
  return selectValue<number>(db, 'SELECT count(*) FROM merchant')
}

const listed = { table: 'merchant', columns, matching: 'true', order: 'seq DESC' } as const

/** Returns a page of the merchants, newest first, and the number of all. */
export function listMerchants(
  db: Database,
  limit: number,
  offset: number,
): { rows: MerchantRow[]; total: number } {
  return listRows(db, listed, {}, limit, offset)
}
