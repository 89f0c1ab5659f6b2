import { recordBulkChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { selectRow, sql } from '../../db/statement.ts'
import type { BankStatus, DirectoryEntry } from './verify.ts'

const columns = 'routing_number, account_number, status'

/** Returns the status of an account in the owner's directory, or undefined (rule B-02). */
export function findBankStatus(db: Database, routing: string, account: string): BankStatus | undefined {
  const query = 'SELECT status FROM bank_account WHERE routing_number = ? AND account_number = ?'
  const row = sql<{ status: BankStatus }>(db, query).get(routing, account)
  return row?.status
}

/** Returns a page of the directory, sorted by routing and account number, and the total number of accounts. */
export function listBankAccounts(
  db: Database,
  limit: number,
  offset: number,
): { rows: DirectoryEntry[]; total: number } {
  const query = `SELECT ${columns} FROM bank_account ORDER BY routing_number, account_number LIMIT ? OFFSET ?`
  const rows = sql<DirectoryEntry>(db, query).all(limit, offset)
  const count = selectRow<{ total: number }>(db, 'SELECT count(*) AS total FROM bank_account')
  return { rows, total: count.total }
}

/** Returns the accounts after one of them, or the first, sorted by routing and account number. */
export function listBankAccountsAfter(
  db: Database,
  limit: number,
  after: Pick<DirectoryEntry, 'routing_number' | 'account_number'> = {
    routing_number: '',
    account_number: '',
  },
): DirectoryEntry[] {
  const query = `SELECT ${columns} FROM bank_account WHERE (routing_number, account_number) > (?, ?)
     ORDER BY routing_number, account_number LIMIT ?`
  return sql<DirectoryEntry>(db, query).all(after.routing_number, after.account_number, limit)
}

/** Adds an account, or changes its status. */
export function putBankAccount(db: Database, entry: DirectoryEntry): void {
  const before = findBankStatus(db, entry.routing_number, entry.account_number)
  if (before === entry.status) return
  sql(
    db,
    `INSERT INTO bank_account (${columns}) VALUES (@routing_number, @account_number, @status)
     ON CONFLICT DO UPDATE SET status = excluded.status`,
  ).run(entry)
  recordBulkChange(db, 'bank_account', before === undefined ? 'created' : 'updated')
}

/** Removes an account. Returns whether it existed. */
export function deleteBankAccount(db: Database, routing: string, account: string): boolean {
  const statement = 'DELETE FROM bank_account WHERE routing_number = ? AND account_number = ?'
  const { changes } = sql(db, statement).run(routing, account)
  if (changes > 0) recordBulkChange(db, 'bank_account', 'deleted')
  return changes > 0
}
