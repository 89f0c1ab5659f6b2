import { expiryRecord } from '../../door/by-the-vault.ts'
import type { Context } from '../../door/context.ts'
import type { LogRecord } from '../../door/records.ts'
import { toldByTheVault } from '../../events/by-the-vault.ts'
import { deleteToken, findExpiredTokens, findTokenOfAnyAge, reference, type TokenRow } from '../store.ts'

type When = Pick<Context, 'db' | 'keyring' | 'now' | 'trace_id'>

/** Deletes up to `limit` expired tokens while there is time, and returns their log records (rules T-11, T-14, R-03). */
export function expireTokens(when: When, limit: number, hasTime: () => boolean): LogRecord[] {
  const records: LogRecord[] = []
  for (const id of findExpiredTokens(when.db, when.now, limit)) {
    const row = findTokenOfAnyAge(when.db, id)
    if (row) records.push(expireToken(when, row))
    if (!hasTime()) break
  }
  return records
}

/** Deletes an expired token and returns its log record (rules T-11, T-14). */
export function expireToken(when: When, row: TokenRow): LogRecord {
  deleteToken(when, row.id)
  return {
    ...expiryRecord('tokens.expire', { type: 'token', id: row.id }, reference(row), when),
    events: toldByTheVault(when, 'token.expired', { token: { id: row.id } }),
  }
}
