import { randomUUID } from 'node:crypto'
import type { FaultRule, NewFaultRule } from '../../shared/schemas/fault.ts'
import type { RunningCoffer } from './index.mjs'

/** What a vault must be asked for, wherever it runs. */
export type Remote = {
  reset(): Promise<void>
  now(): Promise<number>
  setNow(ms: number): Promise<void>
  saveSnapshot(name: string): Promise<void>
  restoreSnapshot(name: string): Promise<void>
  faults(): Promise<readonly FaultRule[]>
  setFaults(rules: readonly NewFaultRule[]): Promise<void>
  close(): Promise<void>
}

/** The conveniences of a running vault over what it can be asked for. */
export function controlsOf(remote: Remote): Omit<RunningCoffer, 'url' | 'tenant_id' | 'keys'> {
  return {
    reset: () => remote.reset(),
    async snapshot() {
      const name = randomUUID()
      await remote.saveSnapshot(name)
      return () => remote.restoreSnapshot(name)
    },
    async advance(seconds) {
      await remote.setNow((await remote.now()) + seconds * 1000)
    },
    now: async () => new Date(await remote.now()),
    setNow: (moment) => remote.setNow(moment.getTime()),
    async fault(rule) {
      const others = async () => (await remote.faults()).filter(({ name }) => name !== rule.name)
      await remote.setFaults([...(await others()), rule])
      return async () => remote.setFaults(await others())
    },
    close: () => remote.close(),
    [Symbol.asyncDispose]: () => remote.close(),
  }
}
