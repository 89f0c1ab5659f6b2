import { readJson } from '../../../../shared/json.ts'
import { expiryRecord } from '../../door/by-the-vault.ts'
import type { Context } from '../../door/context.ts'
import { insertLog, type LogRecord } from '../../door/records.ts'
import { toldByTheVault } from '../../events/by-the-vault.ts'
import { Work } from '../../expressions/work.ts'
import { openData } from '../read/present.ts'
import { findTokensWithOldCvc, type TokenRow, updateToken } from '../store.ts'
import { metadataOf } from '../terms/metadata.ts'
import { deriveContent, type TokenContent } from '../types/content.ts'
import { isCvcGone } from '../types/cvc.ts'
import { requireType } from '../types/types.ts'
import { contentColumns } from './columns.ts'

type When = Pick<Context, 'db' | 'keyring' | 'settings' | 'now' | 'trace_id'>

/**
 * Deletes the cvc of up to `limit` cards that are past its retention time, while there is time; returns the log records
 * (rules T-15, R-03).
 */
export function expireCvcs(when: When, limit: number, hasTime: () => boolean): LogRecord[] {
  const { db, now, settings } = when
  const rows = findTokensWithOldCvc(db, now, settings.cvc_retention_seconds * 1000, limit)
  const records: LogRecord[] = []
  for (const row of rows) {
    if (!hasTime()) break
    records.push(expireCvc(when, row).record)
  }
  return records
}

/** Returns the row. If its cvc is past its retention time, deletes and records that first (rules T-12, T-15). */
export function withoutExpiredCvc(when: When, row: TokenRow): TokenRow {
  if (row.cvc_stored_at === null || !isCvcGone(row.cvc_stored_at, when)) return row
  const { after, record } = expireCvc(when, row)
  insertLog(when.db, when.keyring, [record])
  return after
}

function expireCvc(when: When, row: TokenRow): { after: TokenRow; record: LogRecord } {
  const after = sealedWithoutCvc(when, row)
  updateToken(when, row, after)
  const record = {
    ...expiryRecord('tokens.expireCvc', { type: 'token', id: row.id }, null, when),
    events: toldByTheVault(when, 'token.property.expired', { token: { id: row.id, property_name: 'cvc' } }),
  }
  return { after, record }
}

/** Reseals the row without its cvc; fingerprint and search indexes follow from what is left. */
function sealedWithoutCvc(when: When, row: TokenRow): TokenRow {
  const content = stillValid({
    type: requireType(row.type),
    data: openData(when, row),
    metadata: Object.fromEntries(metadataOf(row)),
    mask: row.mask === null ? undefined : readJson(row.mask),
    fingerprint_expression: row.fingerprint_expression ?? undefined,
    search_indexes: row.search_indexes === null ? undefined : (JSON.parse(row.search_indexes) as string[]),
  })
  const work = new Work()
  const derived = deriveContent(work, content)
  const columns = contentColumns({ ...when, work }, row.id, content, derived, row.fingerprint !== null)
  return { ...row, ...columns, cvc_stored_at: null }
}

/**
 * Drops expressions that need the cvc: they would make every later update fail.
 * SECURITY: such a mask becomes no mask rather than the default one, which might show more.
 */
function stillValid(content: TokenContent): TokenContent {
  const bare = { ...content, mask: undefined, fingerprint_expression: undefined, search_indexes: [] }
  const { fingerprint_expression, mask } = content
  return {
    ...content,
    mask: works({ ...bare, mask }) ? mask : null,
    fingerprint_expression: works({ ...bare, fingerprint_expression }) ? fingerprint_expression : undefined,
    search_indexes: content.search_indexes?.filter((each) => works({ ...bare, search_indexes: [each] })),
  }
}

function works(content: TokenContent): boolean {
  try {
    deriveContent(new Work(), content)
    return true
  } catch {
    return false
  }
}
