import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Operations } from '../../electron/engine/operations.ts'
import type { HostCommands } from '../../electron/host/commands/catalogue.ts'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { Host } from '../../electron/host/host.ts'
import type { HostOptions } from '../../electron/host/host-options.ts'
import { createClient } from '../../shared/client.ts'
import type { HostEvent } from '../../shared/host/events.ts'
import { Clock, createTempFolder, toWire } from '../vault.ts'

/**
 * Starts a host on an empty data folder with a stopped clock, and returns it with the window's typed client. The host
 * is closed when the test ends.
 */
export function startHost(options: Partial<HostOptions> = {}) {
  const clock = new Clock()
  const dataDir = options.dataDir ?? path.join(createTempFolder(), 'data')
  const host = new Host({
    version: '0.0.0',
    shell: 'console',
    dataDir,
    autoLock: true,
    overrides: { port: 0 },
    now: clock.now,
    ...options,
  })
  const events: HostEvent[] = []
  host.subscribe((event) => events.push(structuredClone(event)))
  onTestFinished(() => host.close())
  const clientAs = (as?: string) =>
    createClient<Operations & HostCommands>(async (name, input) =>
      toWire(await runCommand(host, toWire({ name, input, ...(as && { as }) }))),
    )
  return { host, clock, dataDir, events, window: clientAs(), clientAs }
}

export const passphrase = 'correct horse battery staple'
export const storedVault = { name: 'work', protection: { passphrase } } as const
export const inMemoryVault = { name: 'demo', protection: { memory: true } } as const
