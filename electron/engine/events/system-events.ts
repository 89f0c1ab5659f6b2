import type { EventType } from '../../../shared/webhook-events.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Event } from './event.ts'
import { hasSubscribers } from './subscriptions.ts'

/** Returns the event for an action of the vault itself; empty if no webhook subscribes to it (rule W-05). */
export function createSystemEvents(
  { db, keyring }: { readonly db: Database; readonly keyring: Keyring },
  type: EventType,
  data: Event['data'],
): readonly Event[] {
  if (!hasSubscribers(db, type)) return []
  return [{ type, data: { ...data, actor: { id: keyring.tenant_id, type: 'system', name: 'Coffer' } } }]
}
