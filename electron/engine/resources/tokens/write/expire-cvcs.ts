import { readJson } from '../../../../../shared/json.ts'
import { createSystemEvents } from '../../../events/system-events.ts'
import { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import { insertLog, type LogRecord } from '../../../pipeline/records.ts'
import { createExpiryRecord } from '../../../pipeline/system-records.ts'
import { openData } from '../read/present.ts'
import { findTokensWithOldCvc, type TokenRow, updateToken } from '../store.ts'
import { getMetadataPairs } from '../terms/metadata.ts'
import { deriveContent, type TokenContent } from '../types/content.ts'
import { isCvcExpired } from '../types/cvc.ts'
import { requireType } from '../types/types.ts'
import { toContentColumns } from './columns.ts'

type CvcExpiryContext = Pick<Context, 'db' | 'keyring' | 'settings' | 'now' | 'trace_id'>

/**
 * Deletes the cvc of up to `limit` cards whose cvc is past its retention time, while `hasTime` returns true.
 * Returns the log records (rules T-15, R-03).
 */
export function expireCvcs(context: CvcExpiryContext, limit: number, hasTime: () => boolean): LogRecord[] {
  const { db, now, settings } = context
  const rows = findTokensWithOldCvc(db, now, settings.cvc_retention_seconds * 1000, limit)
  const records: LogRecord[] = []
  for (const row of rows) {
    if (!hasTime()) break
    records.push(expireCvc(context, row).record)
  }
  return records
}

/** Returns the row. First deletes, and logs, a cvc past its retention time (rules T-12, T-15). */
export function dropExpiredCvc(context: CvcExpiryContext, row: TokenRow): TokenRow {
  if (row.cvc_stored_at === null || !isCvcExpired(row.cvc_stored_at, context)) return row
  const { after, record } = expireCvc(context, row)
  insertLog(context.db, context.keyring, [record])
  return after
}

function expireCvc(context: CvcExpiryContext, row: TokenRow): { after: TokenRow; record: LogRecord } {
  const after = resealWithoutCvc(context, row)
  updateToken(context, row, after)
  const record = {
    ...createExpiryRecord('tokens.expireCvc', { type: 'token', id: row.id }, null, context),
    events: createSystemEvents(context, 'token.property.expired', {
      token: { id: row.id, property_name: 'cvc' },
    }),
  }
  return { after, record }
}

/** Seals the row's data again without the cvc, and recomputes its fingerprint and search indexes. */
function resealWithoutCvc(context: CvcExpiryContext, row: TokenRow): TokenRow {
  const content = dropFailingExpressions({
    type: requireType(row.type),
    data: openData(context, row),
    metadata: Object.fromEntries(getMetadataPairs(row)),
    mask: row.mask === null ? undefined : readJson(row.mask),
    fingerprint_expression: row.fingerprint_expression ?? undefined,
    search_indexes: row.search_indexes === null ? undefined : (JSON.parse(row.search_indexes) as string[]),
  })
  const work = new WorkBudget()
  const derived = deriveContent(work, content)
  const columns = toContentColumns({ ...context, work }, row.id, content, derived, row.fingerprint !== null)
  return { ...row, ...columns, cvc_stored_at: null }
}

/**
 * Drops expressions that need the cvc, because they would make every later update fail. SECURITY: such a mask
 * becomes null, not the default mask, which might show more.
 */
function dropFailingExpressions(content: TokenContent): TokenContent {
  const base = { ...content, mask: undefined, fingerprint_expression: undefined, search_indexes: [] }
  const { fingerprint_expression, mask } = content
  return {
    ...content,
    mask: canDerive({ ...base, mask }) ? mask : null,
    fingerprint_expression: canDerive({ ...base, fingerprint_expression })
      ? fingerprint_expression
      : undefined,
    search_indexes: content.search_indexes?.filter((each) => canDerive({ ...base, search_indexes: [each] })),
  }
}

function canDerive(content: TokenContent): boolean {
  try {
    deriveContent(new WorkBudget(), content)
    return true
  } catch {
    return false
  }
}
