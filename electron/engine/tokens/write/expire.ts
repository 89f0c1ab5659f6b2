import { expiryRecord } from '../../door/by-the-vault.ts'
import type { Context } from '../../door/context.ts'
import type { LogRecord } from '../../door/records.ts'
import { deleteToken, findExpiredTokens, reference, type TokenRow } from '../store.ts'

type When = Pick<Context, 'db' | 'keyring' | 'now' | 'trace_id'>

/** Deletes up to `limit` expired tokens and returns their log records (rules T-11, T-14). */
export function expireTokens(when: When, limit: number): LogRecord[] {
  return findExpiredTokens(when.db, when.now, limit).map((row) => expireToken(when, row))
}

/** Deletes an expired token and returns its log record (rules T-11, T-14). */
export function expireToken(when: When, row: TokenRow): LogRecord {
  deleteToken(when, row.id)
  return expiryRecord('tokens.expire', { type: 'token', id: row.id }, reference(row), when)
}
