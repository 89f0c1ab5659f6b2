import type { Json } from '../../../shared/json.ts'
import type { EventType } from '../../../shared/webhook-events.ts'

/** The member `actor` of an event: who caused it. */
export type EventActor = {
  readonly id: string
  readonly type: 'application' | 'user' | 'system'
  readonly name: string
}

/** An event to write: what happened, with its actor. SECURITY: never a token's data (rule W-05). */
export type Event = {
  readonly type: EventType
  readonly data: { readonly [name: string]: Json }
  /** The webhooks that wanted it when it happened, by their places; without it, those that want it once it is written. */
  readonly to?: readonly number[]
}

/** The events of one record, with what they share. */
export type RecordEvents = {
  readonly at: number
  readonly trace_id: string
  readonly events: readonly Event[]
}
