import type { WebhookStatus } from '../../../../shared/schemas/webhook.ts'
import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

export type WebhookRow = {
  /** The row number, which deliveries refer to. */
  seq: number
  id: string
  name: string
  url: string
  notify_email: string | null
  /** The event types that the webhook subscribes to, as a JSON list. */
  events: string
  status: WebhookStatus
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
}

/** The health of a webhook (rule W-02). */
export type HealthRow = {
  id: string
  status: WebhookStatus
  disabled_reason: string | null
  waiting: number
  failures: number
  unreached: number
  paused_until: number | null
  last_success_at: number | null
  last_failure_at: number | null
  last_failure: string | null
  dropped: number
  dropped_at: number | null
  dropped_reason: string | null
}

const columns =
  'seq, id, name, url, notify_email, events, status, created_by, created_at, modified_by, modified_at'
const health = `id, status, disabled_reason, waiting, failures, unreached, paused_until, last_success_at,
  last_failure_at, last_failure, dropped, dropped_at, dropped_reason`

/** The maximum number of webhooks. */
export const MAX_WEBHOOKS = 5

/** Stores a new webhook (rule W-01). */
export function insertWebhook(db: Database, row: Omit<WebhookRow, 'seq'>): void {
  const statement = `INSERT INTO webhook (id, name, url, notify_email, events, status, created_by, created_at, modified_by, modified_at)
     VALUES (@id, @name, @url, @notify_email, @events, @status, @created_by, @created_at, @modified_by, @modified_at)`
  sql(db, statement).run(row)
  recordChange(db, 'webhook', 'created', row.id)
}

export function findWebhook(db: Database, id: string): WebhookRow | undefined {
  return sql<WebhookRow>(db, `SELECT ${columns} FROM webhook WHERE id = ?`).get(id)
}

export function findHealth(db: Database, id: string): HealthRow | undefined {
  return sql<HealthRow>(db, `SELECT ${health} FROM webhook WHERE id = ?`).get(id)
}

export function countWebhooks(db: Database): number {
  return Number(sql(db, 'SELECT count(*) FROM webhook').pluck().get())
}

/** Lists up to `limit` webhooks, newest first. If `before` is set, lists only row numbers below it. */
export function listWebhooks(db: Database, limit: number, before: number | null): WebhookRow[] {
  const query = `SELECT ${columns} FROM webhook WHERE @before IS NULL OR seq < @before ORDER BY seq DESC LIMIT @limit`
  return sql<WebhookRow>(db, query).all({ before, limit })
}

/** Replaces the editable columns. Pending deliveries become due immediately (rule W-02). */
export function updateWebhook(db: Database, row: WebhookRow): void {
  const statement = `UPDATE webhook SET name = @name, url = @url, notify_email = @notify_email, events = @events, status = @status,
     modified_by = @modified_by, modified_at = @modified_at, failures = 0, unreached = 0, paused_until = NULL,
     disabled_reason = iif(@status = 'enabled', NULL, disabled_reason) WHERE seq = @seq`
  sql(db, statement).run(row)
  recordChange(db, 'webhook', 'updated', row.id)
}

/** Deletes a webhook. The sweep deletes its deliveries, because there may be many (rule R-03). */
export function deleteWebhook(db: Database, row: WebhookRow): void {
  sql(db, 'DELETE FROM webhook WHERE seq = ?').run(row.seq)
  recordChange(db, 'webhook', 'deleted', row.id)
}
