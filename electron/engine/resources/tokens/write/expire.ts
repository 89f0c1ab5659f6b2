import { createSystemEvents } from '../../../events/system-events.ts'
import type { Context } from '../../../pipeline/context.ts'
import type { LogRecord } from '../../../pipeline/records.ts'
import { createExpiryRecord } from '../../../pipeline/system-records.ts'
import {
  deleteToken,
  describeDeletedToken,
  findExpiredTokens,
  findTokenOfAnyAge,
  type TokenRow,
} from '../store.ts'

type ExpiryContext = Pick<Context, 'db' | 'keyring' | 'now' | 'trace_id'>

/** Deletes up to `limit` expired tokens while `hasTime` is true. Returns their log records (rules T-11, T-14, R-03). */
export function expireTokens(context: ExpiryContext, limit: number, hasTime: () => boolean): LogRecord[] {
  const records: LogRecord[] = []
  for (const id of findExpiredTokens(context.db, context.now, limit)) {
    const row = findTokenOfAnyAge(context.db, id)
    if (row) records.push(expireToken(context, row))
    if (!hasTime()) break
  }
  return records
}

/** Deletes an expired token and returns its log record (rules T-11, T-14). */
export function expireToken(context: ExpiryContext, row: TokenRow): LogRecord {
  deleteToken(context, row.id)
  return {
    ...createExpiryRecord('tokens.expire', { type: 'token', id: row.id }, describeDeletedToken(row), context),
    events: createSystemEvents(context, 'token.expired', { token: { id: row.id } }),
  }
}
