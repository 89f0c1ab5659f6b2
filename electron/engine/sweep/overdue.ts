import {
  type ExpiringKind,
  MAX_COUNTED_OVERDUE,
  mapExpiring,
  type Overdue,
} from '../../../shared/clock-ahead.ts'
import type { TenantSettings } from '../../../shared/settings.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

const DAY_MS = 24 * 60 * 60 * 1000

type SweepContext = { readonly db: Database; readonly now: number; readonly settings: TenantSettings }

/** The rows that are overdue at `@now`, if they are not those of the kind's own table with an earlier `expires_at`. */
const otherRows: Partial<Record<ExpiringKind, string>> = {
  cvc: `SELECT 1 FROM token WHERE cvc_stored_at <= @now - @cvcs
    UNION ALL SELECT 1 FROM token_intent WHERE cvc_stored_at <= @now - @cvcs`,
  application: 'SELECT 1 FROM application WHERE expires_at <= @now AND expires_at > 0',
  log: `SELECT 1 FROM log INDEXED BY log_by_type
    WHERE entity_type IN (SELECT entity_type FROM log_count) AND at < @now - @log`,
}

/**
 * Counts what a sweep would delete at this time, with at most `MAX_COUNTED_OVERDUE + 1` of each kind. Returns null
 * if it would delete nothing that the owner could miss.
 */
export function countOverdue({ db, now, settings }: SweepContext): Overdue | null {
  const values = {
    now,
    cvcs: settings.cvc_retention_seconds * 1000,
    log: settings.log_retention_days * DAY_MS,
    limit: MAX_COUNTED_OVERDUE + 1,
  }
  const overdue = mapExpiring((kind) => {
    const rows = otherRows[kind] ?? `SELECT 1 FROM ${kind} WHERE expires_at <= @now`
    return sql<number>(db, `SELECT count(*) FROM (${rows} LIMIT @limit)`).pluck().get(values) ?? 0
  })
  return Object.values(overdue).some((count) => count > 0) ? overdue : null
}
