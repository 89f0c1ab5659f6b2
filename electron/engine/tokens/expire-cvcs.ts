import type { Context } from '../context.ts'
import { byItself } from '../logs/by-itself.ts'
import type { LogRecord } from '../logs/record.ts'
import { deriveContent, type TokenContent } from './content.ts'
import { openData } from './present.ts'
import { findTokensWithOldCvc, type TokenRow, updateToken } from './store.ts'
import { contentColumns, requireType } from './write.ts'

/** Deletes the cvc of up to `limit` cards for which it was kept long enough; gives the records of it (rule T-15). */
export function expireCvcs(
  context: Pick<Context, 'db' | 'keyring' | 'settings' | 'now' | 'trace_id'>,
  limit: number,
): LogRecord[] {
  const { db, now, settings } = context
  return findTokensWithOldCvc(db, now, settings.cvc_retention_seconds * 1000, limit).map((row) => {
    updateToken(db, row, withoutOldCvc(context, row))
    return byItself('tokens.expireCvc', { type: 'token', id: row.id }, null, context)
  })
}

/** The row sealed anew without its cvc, with fingerprint and search indexes of what is left. */
function withoutOldCvc(context: Pick<Context, 'keyring' | 'settings' | 'now'>, row: TokenRow): TokenRow {
  const content = stillValid({
    type: requireType(row.type),
    data: openData(context, row),
    mask: row.mask === null ? undefined : JSON.parse(row.mask),
    fingerprint_expression: row.fingerprint_expression ?? undefined,
    search_indexes: row.search_indexes === null ? undefined : (JSON.parse(row.search_indexes) as string[]),
  })
  const settings = { ...context.settings, fingerprint_tokens: 'true' as const }
  const columns = contentColumns({ ...context, settings }, row.id, content, deriveContent(content))
  const fingerprint = row.fingerprint && columns.fingerprint
  return { ...row, ...columns, fingerprint, cvc_stored_at: null }
}

/**
 * Expressions that asked for the cvc itself go with it: kept, they would make every later update fail.
 * SECURITY: a mask that does is replaced by none, not by the default, which might show more.
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
    deriveContent(content)
    return true
  } catch {
    return false
  }
}
