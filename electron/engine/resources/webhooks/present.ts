import type { Webhook, WebhookHealth } from '../../../../shared/schemas/webhook.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { deriveOwnerId } from '../../access/owner-id.ts'
import type { Context } from '../../pipeline/context.ts'
import type { HealthRow, WebhookRow } from './store.ts'

/**
 * Returns a webhook in the format of the API (rule W-01). SDKs require `created_by`, so it is set to an id that
 * represents the owner if the owner created the webhook.
 */
export function toWebhook({ tenant_id }: Context, row: Omit<WebhookRow, 'seq'>): Webhook {
  return {
    id: row.id,
    tenant_id,
    status: row.status,
    name: row.name,
    url: row.url,
    ...(row.notify_email !== null && { notify_email: row.notify_email }),
    events: JSON.parse(row.events) as string[],
    created_by: row.created_by ?? deriveOwnerId(tenant_id),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_at !== null && {
      modified_by: row.modified_by ?? deriveOwnerId(tenant_id),
      modified_at: formatIsoTime(row.modified_at),
    }),
  }
}

/** Returns the health of a webhook, for the owner. */
export function toHealth({ unreached: _, ...row }: HealthRow): WebhookHealth {
  return {
    ...row,
    paused_until: formatTimeOrNull(row.paused_until),
    last_success_at: formatTimeOrNull(row.last_success_at),
    last_failure_at: formatTimeOrNull(row.last_failure_at),
    dropped_at: formatTimeOrNull(row.dropped_at),
  }
}

/** Formats a time in epoch ms as the API does; returns null for null. */
export function formatTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatIsoTime(ms)
}
