import { destinations, mergeDestinations, noDestinations } from '../../shared/destinations.ts'
import { CofferError } from '../../shared/errors.ts'
import { isOrigin } from '../../shared/origins.ts'
import { faultRules } from '../../shared/schemas/fault.ts'
import { ReactorPool } from '../code-runner/pool.ts'
import { owner, type ReportIncident } from '../engine/index.ts'
import { AsHostedSwitch } from '../host/as-hosted-switch.ts'
import type { Parsed } from '../host/files/member-location.ts'
import { parseYaml, readYaml } from '../host/files/yaml-file.ts'
import { setIncidentPrinter } from '../host/incidents/incidents.ts'
import { createVaultWithData } from '../host/initial-data/create-vault-with-data.ts'
import { type Seed, seed } from '../host/initial-data/seed/seed.ts'
import { Proxies } from '../host/proxies/proxies.ts'
import { readReactors, storeReactors } from '../host/reactors/folder.ts'
import { Reactors } from '../host/reactors/reactors.ts'
import type { OpenVault } from '../host/vault/vault.ts'
import { Deliveries } from '../host/webhooks/deliveries.ts'
import { Faults } from '../http/faults.ts'
import { type HttpListener, openListener } from '../http/listener.ts'
import type { TestControls, VaultControls } from '../http/test-controls.ts'
import { Outbound } from '../outbound/outbound.ts'
import type { CofferEvent, CofferOptions, RunningCoffer } from './index.mjs'
import { createTestControls, type Remote } from './test-controls.ts'

export async function startInProcess(options: CofferOptions): Promise<RunningCoffer> {
  const { port = 0, origins = [], strict } = options
  if (!origins.every(isOrigin)) {
    throw new CofferError(
      'invalid',
      'An origin is scheme, host and port without a path, such as http://localhost:3000.',
    )
  }
  if (options.verbose) setIncidentPrinter((text) => void process.stderr.write(`${text}\n`))
  const faults = new Faults(parseFaults(options.faults ?? []))
  const seed = parseSeed(options)
  const requestedDestinations = parseYaml(
    JSON.stringify(options.destinations ?? {}, null, 2),
    'destinations',
    destinations,
  )
  const allowed = mergeDestinations(seed?.value.destinations ?? noDestinations, requestedDestinations.value)
  const files = typeof options.reactors === 'string' ? readReactors(options.reactors) : []
  const { vault, keys, client_keys } = await createVaultWithData({
    seed,
    engine: { onEvents: () => deliveries.schedulePoll() },
  })
  const own: number[] = []
  let listener: HttpListener | undefined
  const outbound = new Outbound({
    destinations: () => allowed,
    ownPorts: () => [...own, ...hosted.ports],
  })
  const hosted = new AsHostedSwitch({
    destinations: () => allowed,
    outbound,
    origins: () => origins,
    answer: (...request) => void listener?.answerRequest(...request),
  })
  const reportIncident: ReportIncident = (...args) => vault.incidents.reportError(...args)
  const isOn = (options.reactors ?? seed?.value.run_reactors ?? false) !== false
  const code = new Reactors({
    engine: () => getEngine(vault),
    isOn: () => isOn,
    baseUrl: () => (own[0] === undefined ? null : `http://127.0.0.1:${own[0]}`),
    newPool: () => new ReactorPool({ packagesDir: null }),
    report: reportIncident,
  })
  const deliveries: Deliveries = new Deliveries({
    engine: () => getEngine(vault),
    outbound,
    report: reportIncident,
  })
  try {
    for (const message of await storeReactors(vault.engine, files, (each) => code.checkSyntax(each)))
      process.emitWarning(message, 'CofferWarning')
    // Add the reactors to the initial state, so that a reset does not remove them.
    if (files.length > 0) vault.controls?.markInitialState()
    vault.engine.sweeper.start()
    const testControls: TestControls = { faults, vault: () => vault.controls, faultsAllowed: () => true }
    code.startSpares()
    listener = await openListener({
      engine: () => getEngine(vault),
      testControls: testControls,
      report: reportIncident,
      proxies: new Proxies({ outbound, code, report: reportIncident }),
      code,
      port,
      origins,
      hosts: [],
      strict,
    })
    own.push(listener.port)
    const remote = createRemote({ vault, listener, hosted, faults, outbound, code, deliveries })
    const environment = options.asHosted
      ? (await hosted.turnOn({ port: 0 })).createEnvironment(process.env)
      : {}
    // The first call starts recording events.
    await remote.events()
    return {
      url: listener.url,
      tenant_id: vault.engine.tenant_id,
      keys,
      client_keys,
      environment,
      ...createTestControls(remote),
    }
  } catch (error) {
    vault.lock()
    throw error
  }
}

function parseSeed({ seed: seedOption }: CofferOptions): Parsed<Seed> | undefined {
  if (seedOption === undefined) return undefined
  if (typeof seedOption === 'string') return readYaml(seedOption, seed)
  return parseYaml(JSON.stringify(seedOption, null, 2), 'seed', seed)
}

type InProcessDeps = {
  readonly vault: OpenVault
  readonly listener: HttpListener
  readonly hosted: AsHostedSwitch
  readonly faults: Faults
  readonly outbound: Outbound
  readonly code: Reactors
  readonly deliveries: Deliveries
}

function createRemote({
  vault,
  listener,
  hosted,
  faults,
  outbound,
  code,
  deliveries,
}: InProcessDeps): Remote {
  const inMemory = requireControls(vault)
  return {
    async reset() {
      inMemory.reset()
      faults.resetRules()
    },
    now: async () => inMemory.now(),
    setNow: (ms) => inMemory.setNow(ms),
    saveSnapshot: async (name) => inMemory.saveSnapshot(name),
    restoreSnapshot: async (name) => inMemory.restoreSnapshot(name),
    addFault: async (rule) => faults.addRules(parseFaults([rule])),
    async removeFault(name) {
      faults.removeRule(name)
    },
    events: async () => inMemory.listEvents() as readonly unknown[] as readonly CofferEvent[],
    createWebhook: (webhook) =>
      vault.engine.as(owner).webhooks.create({ ...webhook, events: [...webhook.events] }),
    async removeWebhook(id) {
      await vault.engine.as(owner).webhooks.remove({ id })
    },
    webhookKey: () => vault.engine.outbox.getPublicKeys(),
    async close() {
      await hosted.turnOff()
      await listener.close()
      await deliveries.close()
      outbound.close()
      await code.stop()
      vault.lock()
    },
  }
}

function getEngine(vault: OpenVault) {
  return vault.isLocked ? null : vault.engine
}

function requireControls({ controls }: OpenVault): VaultControls {
  if (!controls) throw new CofferError('internal', 'This vault is not in memory.')
  return controls
}

function parseFaults(rules: readonly unknown[]) {
  return parseYaml(JSON.stringify({ rules }, null, 2), 'faults', faultRules).value.rules
}
