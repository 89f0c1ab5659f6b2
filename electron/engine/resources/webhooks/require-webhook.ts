import { CofferError } from '../../../../shared/errors.ts'
import type { Context } from '../../pipeline/context.ts'
import { findWebhook, type WebhookRow } from './store.ts'

/** Returns a webhook by its id, and sets it as the entity of the log record. Throws `not_found`. */
export function requireWebhook(context: Context, id: string): WebhookRow {
  context.setRecordEntity(id)
  const row = findWebhook(context.db, id)
  if (!row) throw new CofferError('not_found', 'There is no such webhook.')
  return row
}
