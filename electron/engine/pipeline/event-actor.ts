import type { Actor } from '../access/actor.ts'
import { deriveOwnerId } from '../access/owner-id.ts'
import type { EventActor } from '../events/event.ts'

/** Returns the actor for an event's data; null for a program without a key. */
export function toEventActor(actor: Actor, tenant_id: string): EventActor | null {
  switch (actor.kind) {
    case 'owner':
      return { id: deriveOwnerId(tenant_id), type: 'user', name: 'Owner' }
    case 'application':
      return { id: actor.id, type: 'application', name: actor.name }
    case 'session':
      return { id: actor.application_id, type: 'application', name: actor.application_name }
    case 'proxy':
      return null
    // The vault acts as the card's issuer, so it is the actor of a challenge's result.
    case 'cardholder':
      return { id: tenant_id, type: 'system', name: 'Coffer' }
  }
}
