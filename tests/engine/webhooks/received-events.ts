import type { DueDelivery } from '../../../electron/engine/resources/webhooks/outbox.ts'
import type { Json } from '../../../shared/json.ts'
import type { EventType } from '../../../shared/webhook-events.ts'
import { openVault } from '../../vault.ts'

export type Event = {
  id: string
  type: EventType
  timestamp: string
  tenant_id: string
  trace_id: string
  data: Record<string, Record<string, Json>>
}

export const ok = { at: 0, duration_ms: 3, status: 200, failure: null, answer: Buffer.from('fine') }
export const unreachable = { ...ok, status: null, failure: 'Nobody listens there.', answer: Buffer.alloc(0) }
export const rejected = { ...ok, status: 500, answer: Buffer.from('no') }

/** Opens a vault with a webhook that is subscribed to these types. */
export async function openWithWebhook(events: string[], options?: Parameters<typeof openVault>[0]) {
  const vault = openVault(options)
  const { id } = await vault.owner.webhooks.create({ name: 'Hook', url: 'http://localhost:1/hook', events })
  return { vault, id, ...captureEvents(vault) }
}

export function captureEvents(vault: ReturnType<typeof openVault>) {
  const getOutbox = () => vault.engine.outbox
  const takeNext = (): DueDelivery | undefined => {
    vault.engine.outcomes.flushLog()
    getOutbox().flush()
    return getOutbox().takeDueDeliveries(10)[0]
  }
  /** Takes and acknowledges every pending delivery, and returns their events. */
  const takeEvents = (): Event[] => {
    const all: Event[] = []
    for (let due = takeNext(); due; due = takeNext()) {
      all.push(due.event as never)
      getOutbox().recordAttempt(due.delivery_id, ok)
    }
    return all
  }
  return { takeNext, takeEvents, getOutbox }
}
