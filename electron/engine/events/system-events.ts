import type { EventType } from '../../../shared/webhook-events.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Event } from './event.ts'
import { hasSubscribers } from './subscriptions.ts'

/** What webhooks are told of something that the vault does on its own; empty if none wants it (rule W-05). */
export function createSystemEvents(
  { db, keyring }: { readonly db: Database; readonly keyring: Keyring },
  type: EventType,
  data: Event['data'],
): readonly Event[] {
  if (!hasSubscribers(db, type)) return []
  return [{ type, data: { ...data, actor: { id: keyring.tenant_id, type: 'system', name: 'Coffer' } } }]
}
