import { randomUUID } from 'node:crypto'
import { CofferError } from '../../shared/errors.ts'
import type { NewFaultRule } from '../../shared/schemas/fault.ts'
import { LAST_MS } from '../http/sandbox.ts'
import type { RunningCoffer } from './index.mjs'

/** What has to be requested from a vault, wherever it runs. */
export type Remote = {
  reset(): Promise<void>
  now(): Promise<number>
  setNow(ms: number): Promise<void>
  saveSnapshot(name: string): Promise<void>
  restoreSnapshot(name: string): Promise<void>
  /** Adds a fault after those already set, or replaces the one with its name. */
  addFault(rule: NewFaultRule): Promise<void>
  removeFault(name: string): Promise<void>
  close(): Promise<void>
}

/** The convenience methods of a running vault, on top of its requests. */
export function sandboxOf(remote: Remote): Omit<RunningCoffer, 'url' | 'tenant_id' | 'keys'> {
  return {
    reset: () => remote.reset(),
    async snapshot() {
      const name = randomUUID()
      await remote.saveSnapshot(name)
      return () => remote.restoreSnapshot(name)
    },
    async advance(seconds) {
      await remote.setNow(moment((await remote.now()) + seconds * 1000))
    },
    now: async () => new Date(await remote.now()),
    setNow: async (date) => remote.setNow(moment(date.getTime())),
    async fault(rule) {
      await remote.addFault(rule)
      return () => remote.removeFault(rule.name)
    },
    close: () => remote.close(),
    [Symbol.asyncDispose]: () => remote.close(),
  }
}

function moment(ms: number): number {
  if (ms >= 0 && ms <= LAST_MS) return Math.round(ms)
  throw new CofferError('invalid', 'The clock takes moments between 1970 and 9999.')
}
