import { bothDestinations, destinations, noDestinations } from '../../shared/destinations.ts'
import { CofferError } from '../../shared/errors.ts'
import { isOrigin } from '../../shared/origins.ts'
import { faultRules } from '../../shared/schemas/fault.ts'
import { owner } from '../engine/door/call.ts'
import type { Report } from '../engine/door/incident.ts'
import type { Parsed } from '../host/files/located.ts'
import { parseYaml, readYaml } from '../host/files/yaml-file.ts'
import { newVault } from '../host/first-data/new-vault.ts'
import { type Seed, seed } from '../host/first-data/seed/seed.ts'
import { printIncidents } from '../host/incidents/incidents.ts'
import { readReactors, storeReactors } from '../host/reactors/folder.ts'
import { Reactors } from '../host/reactors/reactors.ts'
import type { OpenVault } from '../host/vault/vault.ts'
import { Deliveries } from '../host/webhooks/deliveries.ts'
import { Faults } from '../http/faults.ts'
import { type Listener, openListener } from '../http/listener.ts'
import type { Sandbox, SandboxVault } from '../http/sandbox.ts'
import { Outbound } from '../outbound/outbound.ts'
import { ReactorPool } from '../reactors/pool.ts'
import type { CofferEvent, CofferOptions, RunningCoffer } from './index.mjs'
import { type Remote, sandboxOf } from './sandbox.ts'

/** Starts a vault in this process. */
export async function startHere(options: CofferOptions): Promise<RunningCoffer> {
  const { port = 0, origins = [] } = options
  if (!origins.every(isOrigin)) {
    throw new CofferError(
      'invalid',
      'An origin is scheme, host and port without a path, such as http://localhost:3000.',
    )
  }
  if (options.verbose) printIncidents((text) => void process.stderr.write(`${text}\n`))
  const faults = new Faults(parsedFaults(options.faults ?? []))
  const seed = seedOf(options)
  const given = parseYaml(JSON.stringify(options.destinations ?? {}, null, 2), 'destinations', destinations)
  const allowed = bothDestinations(seed?.value.destinations ?? noDestinations, given.value)
  const files = typeof options.reactors === 'string' ? readReactors(options.reactors) : []
  const { vault, keys, client_keys } = await newVault({ seed, engine: { onEvents: () => deliveries.wake() } })
  const own: number[] = []
  const outbound = new Outbound({ destinations: () => allowed, ownPorts: () => own })
  const report: Report = (...given) => vault.incidents.report(...given)
  const isOn = (options.reactors ?? seed?.value.run_reactors ?? false) !== false
  const code = new Reactors({
    engine: () => engineOf(vault),
    isOn: () => isOn,
    baseUrl: () => (own[0] === undefined ? null : `http://127.0.0.1:${own[0]}`),
    newPool: () => new ReactorPool({ packagesDir: null }),
    report,
  })
  const deliveries: Deliveries = new Deliveries({ engine: () => engineOf(vault), outbound, report })
  try {
    for (const sentence of await storeReactors(vault.engine, files, (each) => code.check(each)))
      process.emitWarning(sentence, 'CofferWarning')
    // A reset keeps them.
    if (files.length > 0) vault.sandbox?.begin()
    vault.engine.startSweeping()
    const sandbox: Sandbox = { faults, vault: () => vault.sandbox, faultsAllowed: () => true }
    const listener = await openListener({
      engine: () => engineOf(vault),
      sandbox,
      report,
      outbound,
      code,
      port,
      origins,
      hosts: [],
    })
    own.push(listener.port)
    const remote = remoteOf({ vault, listener, faults, outbound, code, deliveries })
    // From now on every event is kept.
    await remote.events()
    return { url: listener.url, tenant_id: vault.engine.tenant_id, keys, client_keys, ...sandboxOf(remote) }
  } catch (error) {
    vault.lock()
    throw error
  }
}

function seedOf({ seed: given }: CofferOptions): Parsed<Seed> | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string') return readYaml(given, seed)
  return parseYaml(JSON.stringify(given, null, 2), 'seed', seed)
}

type Parts = {
  readonly vault: OpenVault
  readonly listener: Listener
  readonly faults: Faults
  readonly outbound: Outbound
  readonly code: Reactors
  readonly deliveries: Deliveries
}

function remoteOf({ vault, listener, faults, outbound, code, deliveries }: Parts): Remote {
  const inMemory = memorySandboxOf(vault)
  return {
    async reset() {
      inMemory.reset()
      faults.reset()
    },
    now: async () => inMemory.now(),
    setNow: (ms) => inMemory.setNow(ms),
    saveSnapshot: async (name) => inMemory.saveSnapshot(name),
    restoreSnapshot: async (name) => inMemory.restoreSnapshot(name),
    addFault: async (rule) => faults.add(parsedFaults([rule])),
    async removeFault(name) {
      faults.remove(name)
    },
    events: async () => inMemory.events() as readonly unknown[] as readonly CofferEvent[],
    createWebhook: (webhook) =>
      vault.engine.as(owner).webhooks.create({ ...webhook, events: [...webhook.events] }),
    async removeWebhook(id) {
      await vault.engine.as(owner).webhooks.remove({ id })
    },
    webhookKey: () => vault.engine.outbox.publicKeys(),
    async close() {
      await listener.close()
      await deliveries.close()
      outbound.close()
      await code.stop()
      vault.lock()
    },
  }
}

function engineOf(vault: OpenVault) {
  return vault.isLocked ? null : vault.engine
}

function memorySandboxOf({ sandbox }: OpenVault): SandboxVault {
  if (!sandbox) throw new CofferError('internal', 'This vault does not live in memory.')
  return sandbox
}

function parsedFaults(rules: readonly unknown[]) {
  return parseYaml(JSON.stringify({ rules }, null, 2), 'faults', faultRules).value.rules
}
