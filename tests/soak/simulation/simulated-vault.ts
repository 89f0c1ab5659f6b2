import Driver from 'better-sqlite3'
import { toCofferError } from '../../../electron/engine/db/storage-error.ts'
import type { CallResult, Engine } from '../../../electron/engine/index.ts'
import {
  type Caller,
  type CallInfo,
  catalogue,
  isIncident,
  type Operations,
  type ReportIncident,
  toIncident,
} from '../../../electron/engine/index.ts'
import { Proxies } from '../../../electron/host/proxies/proxies.ts'
import { Reactors } from '../../../electron/host/reactors/reactors.ts'
import type { Pool } from '../../../electron/host/reactors/tasks.ts'
import { createVault } from '../../../electron/host/vault/create-vault.ts'
import { openVault } from '../../../electron/host/vault/open-vault.ts'
import type { OpenVault } from '../../../electron/host/vault/vault.ts'
import { Deliveries } from '../../../electron/host/webhooks/deliveries.ts'
import { type Client, createClientFrom } from '../../../shared/client.ts'
import type { EntityChange } from '../../../shared/entity-changes.ts'
import type { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import type { PreparedVault } from '../../engine/prepared-writes.ts'
import { protectBy, vaultName } from '../power-loss/marks.ts'
import type { SimulatedCaller } from './callers.ts'
import type { FaultyDisk, ProcessEnd } from './faulty-disk.ts'
import { SimulatedNetwork } from './simulated-network.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** A call of a step, with how it ended. */
export type SimulatedCall = {
  readonly name: string
  readonly input: unknown
  readonly caller: SimulatedCaller
  readonly info: CallInfo & { readonly trace_id: string }
  /** The moment of the disk at which it was answered; null until then. */
  answeredAt: number | null
  result: CallResult | null
  error: CofferError | null
}

/** A change that the vault reported, with the moment of the disk. */
export type TimedChange = { readonly moment: number; readonly change: EntityChange }

type VaultParts = { readonly process: SimulatedProcess; readonly disk: FaultyDisk }

/** The owner, for preparations and checks. */
export const ownerCaller: SimulatedCaller = {
  name: 'the owner',
  caller: { kind: 'owner' },
  who: { kind: 'owner' },
  type: null,
}

/** A vault with everything around it, whose process can end at any moment. */
export class SimulatedVault implements PreparedVault {
  readonly process: SimulatedProcess
  readonly disk: FaultyDisk
  readonly network: SimulatedNetwork
  /** Who makes the calls of the prepared actions. */
  acting: SimulatedCaller = ownerCaller
  idempotency: CallInfo['idempotency']
  /** What has happened since the step began. */
  calls: SimulatedCall[] = []
  changes: TimedChange[] = []
  incidents: Incident[] = []
  /** The answered passphrase first, then one that may have become valid. */
  passphrases = ['the first passphrase']
  step = 0
  readonly owner: Client<Operations>
  readonly engine: PreparedVault['engine'] & { readonly call: Engine['call'] }
  readonly proxies: Proxies
  #vault: OpenVault | null = null
  #deliveries: Deliveries
  #reactors: Reactors
  #connections = new Set<Driver.Database>()

  constructor({ process, disk }: VaultParts) {
    this.process = process
    this.disk = disk
    this.network = new SimulatedNetwork({ random: process.getRandom, getMoment: () => disk.moment })
    this.owner = createClientFrom<Operations>(
      async (name, input) => (await this.makeCall(name, input, this.acting)).output,
    )
    this.engine = { call: (name, input) => this.makeCall(name, input, this.acting) }
    this.#deliveries = this.#createDeliveries()
    this.#reactors = this.#createReactors()
    this.proxies = new Proxies({
      outbound: this.network,
      code: {
        handleCall: (call) => this.#reactors.handleCall(call),
        runTransform: (transform) => this.#reactors.runTransform(transform),
        checkStoredCode() {},
      },
      report: this.#reportFailure,
    })
  }

  get vault(): OpenVault {
    if (!this.#vault) throw new Error('The vault is closed.')
    return this.#vault
  }

  get reactors(): Reactors {
    return this.#reactors
  }

  #createDeliveries(): Deliveries {
    return new Deliveries({
      engine: () => (this.#vault && !this.#vault.isLocked ? this.#vault.engine : null),
      outbound: this.network,
      report: this.#reportFailure,
    })
  }

  /** Failures that no caller is told. */
  readonly #reportFailure: ReportIncident = (error, where) => {
    if (isIncident(error)) this.incidents.push(toIncident(error, where, null, this.process.wall))
  }

  /** Code runs in memory, and ends as the seed decides. */
  #createReactors(): Reactors {
    const pool: Pool = {
      startSpares: async () => {},
      close: async () => {},
      run: async () => {
        const thrown = { kind: 'thrown', status: 400, detail: 'refused', errors: {}, at: null } as const
        const returned = {
          kind: 'returned',
          value: '{"raw":{"a":"b"},"tokenize":{"type":"token","data":"run"}}',
        } as const
        const ended = this.process.getRandom() < 0.8 ? returned : thrown
        return { ended, console: 'printed', duration_ms: 1 }
      },
    }
    return new Reactors({
      engine: () => (this.#vault && !this.#vault.isLocked ? this.#vault.engine : null),
      isOn: () => true,
      baseUrl: () => 'http://localhost:1',
      newPool: () => pool,
      report: this.#reportFailure,
    })
  }

  get #engineOptions() {
    return {
      now: this.process.getTime,
      onEvents: () => this.#deliveries.schedulePoll(),
      onIncident: (incident: Incident) => this.incidents.push(incident),
      onChanges: (changes: readonly EntityChange[]) => {
        const { moment } = this.disk
        this.changes.push(...changes.map((change) => ({ moment, change })))
      },
    }
  }

  /** Creates the vault, with one passphrase at the lowest cost. */
  async createFiles(): Promise<void> {
    this.#noteConnections()
    const [passphrase = ''] = this.passphrases
    const { vault } = await createVault({
      dataDir: this.disk.dataDir,
      name: vaultName,
      protection: protectBy(passphrase),
      engine: this.#engineOptions,
    })
    this.#setVault(vault)
  }

  /** Opens the vault with the first passphrase that is right. Rejects like `openVault`. */
  async openFiles(): Promise<void> {
    for (const [at, passphrase] of this.passphrases.entries()) {
      try {
        const { dataDir } = this.disk
        const with_ = { passphrase }
        this.#setVault(
          await openVault({ dataDir, name: vaultName, with: with_, engine: this.#engineOptions }),
        )
        this.passphrases = [passphrase]
        return
      } catch (error) {
        const isLast = at === this.passphrases.length - 1
        if (isLast || toCofferError(error).code !== 'unauthenticated') throw error
      }
    }
  }

  #setVault(vault: OpenVault): void {
    this.#vault = vault
  }

  /** Starts what an open vault does by itself. */
  startWork(): void {
    this.vault.engine.sweeper.start()
    this.#deliveries.schedulePoll()
  }

  /** Locks the vault, as its owner does. */
  lockVault(): void {
    this.#deliveries.stop()
    void this.#reactors.stop()
    this.#reactors = this.#createReactors()
    this.vault.lock()
  }

  /** Ends the process at a moment of the past. Nothing that it did afterwards has happened. */
  endProcess(end: ProcessEnd, moment: number): void {
    this.process.dropWork()
    this.#vault = null
    this.disk.setFault({})
    for (const connection of this.#connections) connection.close()
    this.#connections.clear()
    this.disk.endProcess(end, moment, this.process.getRandom)
    this.network.received.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...this.network.received.flatMap((each) => (each.moment <= moment ? [{ ...each, moment: 0 }] : [])),
    )
    this.#deliveries = this.#createDeliveries()
    this.#reactors = this.#createReactors()
  }

  /** Remembers every connection, so that the end of a process can close them. */
  #noteConnections(): void {
    const connections = this.#connections
    const { pragma, exec } = Driver.prototype
    Object.assign(Driver.prototype, {
      pragma: function (this: Driver.Database, ...parameters: Parameters<typeof pragma>) {
        connections.add(this)
        return pragma.apply(this, parameters)
      },
      exec: function (this: Driver.Database, ...parameters: Parameters<typeof exec>) {
        connections.add(this)
        return exec.apply(this, parameters)
      },
    })
  }

  /** Makes a call, and notes how it ended. Rejects like `Engine.call`. */
  async makeCall(
    name: string,
    input: unknown,
    caller: SimulatedCaller,
    { info = {}, run }: { info?: CallInfo; run?: (call: SimulatedCall) => Promise<CallResult> } = {},
  ): Promise<CallResult> {
    const trace_id = `step-${this.step}-${this.calls.length}`
    const isActing = caller === this.acting && catalogue.get(name)?.effect === 'write'
    const idempotency = isActing && this.idempotency ? { idempotency: this.idempotency } : {}
    const call: SimulatedCall = {
      ...{ name, input, caller, info: { ...idempotency, ...info, trace_id } },
      ...{ answeredAt: null, result: null, error: null },
    }
    this.calls.push(call)
    try {
      const engine = this.vault.engine
      call.result = await (run?.(call) ?? engine.call(name, input, caller.caller, call.info))
      return call.result
    } catch (error) {
      call.error = toCofferError(error)
      throw error
    } finally {
      call.answeredAt = this.disk.moment
    }
  }

  get application(): PreparedVault['application'] {
    return this.#createApplication
  }

  /** Creates an application, and a client with its key. */
  readonly #createApplication: PreparedVault['application'] = async (grants) => {
    const acting = this.acting
    this.acting = ownerCaller
    const created = await this.engine.call(
      'applications.create',
      { name: 'App', type: 'private', ...grants },
      { kind: 'owner' },
    )
    this.acting = acting
    const { id, key } = created.output as { id: string; key: string }
    const caller: SimulatedCaller = {
      name: 'a new application',
      caller: { kind: 'key', key } satisfies Caller,
      who: undefined,
      type: grants.type ?? 'private',
    }
    const createClient = (info: CallInfo) =>
      createClientFrom<Operations>(
        async (name, input) => (await this.makeCall(name, input, caller, { info })).output,
      )
    return { id, key, client: createClient({}), with: createClient }
  }
}
