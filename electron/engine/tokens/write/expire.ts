import { byItself } from '../../door/by-the-vault.ts'
import type { Context } from '../../door/context.ts'
import { insertLog, type LogRecord } from '../../door/records.ts'
import { deleteToken, findExpiredTokens, findTokenOfAnyAge, type TokenRow } from '../store.ts'
import { reference } from '../types/reference.ts'

type When = Pick<Context, 'db' | 'keyring' | 'now' | 'trace_id'>

/** Deletes up to `limit` tokens that have expired; gives the records of it (rules T-11, T-14). */
export function expireTokens(when: When, limit: number): LogRecord[] {
  return findExpiredTokens(when.db, when.now, limit).map((row) => expireToken(when, row))
}

function expireToken(when: When, row: TokenRow): LogRecord {
  deleteToken(when.db, row.id)
  return byItself('tokens.expire', { type: 'token', id: row.id }, reference(row), when)
}

/** Whether an id is taken (rule T-04). An expired token that waits to be deleted makes room at once. */
export function isTaken(when: When, id: string): boolean {
  const row = findTokenOfAnyAge(when.db, id)
  if (!row) return false
  if (row.expires_at === null || row.expires_at > when.now) return true
  insertLog(when.db, when.keyring, [expireToken(when, row)])
  return false
}
