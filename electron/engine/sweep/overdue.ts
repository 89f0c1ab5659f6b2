import { MAX_COUNTED_OVERDUE } from '../../../shared/format-clock-ahead.ts'
import type { Overdue } from '../../../shared/schemas/clock-ahead.ts'
import type { TenantSettings } from '../../../shared/settings.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

const DAY_MS = 24 * 60 * 60 * 1000

type SweepContext = { readonly db: Database; readonly now: number; readonly settings: TenantSettings }

/**
 * Counts what a sweep would delete at this time, with at most `MAX_COUNTED_OVERDUE + 1` of each kind. Returns null
 * if it would delete nothing that the owner could miss.
 */
export function countOverdue({ db, now, settings }: SweepContext): Overdue | null {
  const cvcs = settings.cvc_retention_seconds * 1000
  const countRows = (text: string, ...values: number[]) =>
    (
      sql(db, `SELECT count(*) AS found FROM (${text} LIMIT ?)`).get(
        ...values,
        MAX_COUNTED_OVERDUE + 1,
      ) as OverdueCount
    ).found
  const overdue: Overdue = {
    tokens: countRows('SELECT 1 FROM token WHERE expires_at <= ?', now),
    cvcs: countRows(
      `SELECT 1 FROM token WHERE cvc_stored_at <= ?
       UNION ALL SELECT 1 FROM token_intent WHERE cvc_stored_at <= ?`,
      now - cvcs,
      now - cvcs,
    ),
    applications: countRows('SELECT 1 FROM application WHERE expires_at <= ? AND expires_at > 0', now),
    token_intents: countRows('SELECT 1 FROM token_intent WHERE expires_at <= ?', now),
    sessions: countRows('SELECT 1 FROM session WHERE expires_at <= ?', now),
    client_keys: countRows('SELECT 1 FROM client_key WHERE expires_at <= ?', now),
    three_ds_sessions: countRows('SELECT 1 FROM three_ds_session WHERE expires_at <= ?', now),
    log_records: countRows(
      `SELECT 1 FROM log INDEXED BY log_by_type
       WHERE entity_type IN (SELECT entity_type FROM log_count) AND at < ?`,
      now - settings.log_retention_days * DAY_MS,
    ),
  }
  return Object.values(overdue).some((found) => found > 0) ? overdue : null
}

type OverdueCount = { readonly found: number }
