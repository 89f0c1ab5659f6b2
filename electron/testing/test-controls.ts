import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../shared/errors.ts'
import type { NewFaultRule } from '../../shared/schemas/fault.ts'
import { eventTypes } from '../../shared/webhook-events.ts'
import { LAST_MS } from '../http/test-controls.ts'
import type { CofferEvent, RunningCoffer } from './index.mjs'

/** The requests to a vault in this process or in another one. */
export type Remote = {
  reset(): Promise<void>
  now(): Promise<number>
  setNow(ms: number): Promise<void>
  saveSnapshot(name: string): Promise<void>
  restoreSnapshot(name: string): Promise<void>
  /** Adds a fault after those already set, or replaces the one with its name. */
  addFault(rule: NewFaultRule): Promise<void>
  removeFault(name: string): Promise<void>
  /** Every event since the start or the last reset, oldest first. */
  events(): Promise<readonly CofferEvent[]>
  createWebhook(webhook: { name: string; url: string; events: readonly string[] }): Promise<{ id: string }>
  removeWebhook(id: string): Promise<void>
  webhookKey(): Promise<string>
  close(): Promise<void>
}

const POLL_INTERVAL_MS = 10

/** The convenience methods of a running vault, on top of its requests. */
export function createTestControls(
  remote: Remote,
): Omit<RunningCoffer, 'url' | 'tenant_id' | 'keys' | 'client_keys' | 'environment'> {
  return {
    reset: () => remote.reset(),
    async snapshot() {
      const name = randomUUID()
      await remote.saveSnapshot(name)
      return () => remote.restoreSnapshot(name)
    },
    async advance(seconds) {
      await remote.setNow(toClockTime((await remote.now()) + seconds * 1000))
    },
    now: async () => new Date(await remote.now()),
    setNow: async (date) => remote.setNow(toClockTime(date.getTime())),
    async fault(rule) {
      await remote.addFault(rule)
      return () => remote.removeFault(rule.name)
    },
    async events({ type, timeout_ms = 2000 } = {}) {
      const until = performance.now() + timeout_ms
      for (;;) {
        const all = await remote.events()
        const matching = type === undefined ? all : all.filter((event) => event.type === type)
        if (matching.length > 0 || performance.now() >= until) return [...matching]
        await delay(POLL_INTERVAL_MS)
      }
    },
    async webhook(port, { path = '/', events = eventTypes } = {}) {
      const url = new URL(path, `http://localhost:${port}`).href
      const { id } = await remote.createWebhook({ name: 'Test', url, events })
      return { id, url, key: await remote.webhookKey(), remove: () => remote.removeWebhook(id) }
    },
    close: () => remote.close(),
    [Symbol.asyncDispose]: () => remote.close(),
  }
}

function toClockTime(ms: number): number {
  if (ms >= 0 && ms <= LAST_MS) return Math.round(ms)
  throw new CofferError('invalid', 'The clock must stay between 1970 and 9999.')
}
