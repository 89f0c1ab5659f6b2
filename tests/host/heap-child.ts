// Uses a vault as its parent requests, and then takes a heap snapshot. All secrets come from the parent, so that the
// program's own code contains none.
import { setTimeout as delay } from 'node:timers/promises'
import v8 from 'node:v8'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { Host } from '../../electron/host/host.ts'
import type { Json } from '../../shared/json.ts'

export type HeapJob =
  | { readonly do: 'call'; readonly name: string; readonly input: Json; readonly as?: string }
  | {
      readonly do: 'fetch'
      readonly url: string
      readonly init: { method: string; headers: Record<string, string>; body?: string }
    }
  | { readonly do: 'keys' }
  | { readonly do: 'snapshot'; readonly file: string }

const [dataDir = ''] = process.argv.slice(2)
const host = new Host({
  version: '0.0.0',
  shell: 'console',
  dataDir,
  autoLock: true,
  overrides: { port: 0 },
})
const vaults: { master(): Buffer }[] = []
const adopt = host.current.adoptVault.bind(host.current)
host.current.adoptVault = (vault) => {
  vaults.push({ master: () => vault.withMaster((secret) => secret) })
  adopt(vault)
}

async function runJob(order: HeapJob): Promise<unknown> {
  switch (order.do) {
    case 'call':
      return runCommand(host, { name: order.name, input: order.input, ...(order.as && { as: order.as }) })
    case 'fetch': {
      const response = await fetch(order.url, order.init)
      await response.text()
      return { status: response.status }
    }
    case 'keys': {
      const master = vaults.at(-1)?.master() ?? Buffer.alloc(0)
      return [master, deriveDatabaseKey(master)].map((key) => key.toString('hex'))
    }
    case 'snapshot':
      // Unreachable objects are collected only after a few turns of the event loop.
      for (let turn = 0; turn < 3; turn++) {
        await delay(20)
        globalThis.gc?.()
      }
      return v8.writeHeapSnapshot(order.file)
  }
}

process.on('message', async (order: HeapJob) => {
  process.send?.({ said: await runJob(order) })
})
process.send?.({ said: 'ready' })
