import type { Json } from '../../../shared/json.ts'
import type { EventType } from '../../../shared/webhook-events.ts'

/** An event's `actor` member: who caused the event. */
export type EventActor = {
  readonly id: string
  readonly type: 'application' | 'user' | 'system'
  readonly name: string
}

/** An event to write: type and data, including its actor. SECURITY: never a token's data (rule W-05). */
export type Event = {
  readonly type: EventType
  readonly data: { readonly [name: string]: Json }
  /** The webhooks (by `seq`) that subscribed when it occurred; if absent, those that subscribe when it is written. */
  readonly to?: readonly number[]
}

/** The events of one log record, with the record's time and trace id. */
export type RecordEvents = {
  readonly at: number
  readonly trace_id: string
  readonly events: readonly Event[]
}
