import { randomUUID } from 'node:crypto'
import type { Event } from '../events/event.ts'
import type { ReceivedCall } from './call.ts'
import { getPathEntity, getPathIds, type LogDetail, type Routed } from './detail.ts'

type RoutedCall = Pick<ReceivedCall, 'input' | 'info'> & { readonly operation: Routed }

/** What the record of a call contains besides the caller and the outcome. Handlers add to it through their context. */
export class CallAnnotations {
  readonly at: number
  readonly trace_id: string
  /** The ids in the call's path. */
  readonly ids: readonly string[]
  entity_id: string | null
  entity_ids: readonly string[] = []
  /** How access to the token was decided, and anything else about a successful call that the log should mention. */
  note: string | null = null
  /** The containers for which access was denied. */
  denied: string | null = null
  /** Whether to store no record if the call succeeds, because a later record covers it. */
  shouldSkipRecord = false
  /** Whether a successful call is left out of the count of requests, because another record counts the same request. */
  isExcludedFromCount = false
  showsPlaintext = false
  isDryRun = false
  /** The positions of the first and the last token that the call created. */
  created: LogDetail['created']
  /** The events that webhooks receive if the call succeeds. */
  readonly events: Event[] = []
  readonly #started = performance.now()

  constructor({ operation, input, info }: RoutedCall, at: number) {
    this.at = at
    this.trace_id = info.trace_id ?? randomUUID()
    this.ids = getPathIds(operation, input)
    this.entity_id = getPathEntity(operation, this.ids)
  }

  addNote(text: string): void {
    this.note = this.note ? `${this.note}; ${text}` : text
  }

  /** The duration of the call so far, in microseconds. */
  get duration_us(): number {
    return Math.round((performance.now() - this.#started) * 1000)
  }
}
