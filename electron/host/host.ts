import type { HostEvent } from '../../shared/host/events.ts'
import type { HostSettings } from '../../shared/host/settings.ts'
import type { HostStatus, ListenerState } from '../../shared/host/status.ts'
import { createPackagesReader } from '../code-runner/packages.ts'
import { ReactorPool } from '../code-runner/pool.ts'
import {
  type Engine,
  type EngineOptions,
  owner,
  type ReportIncident,
  runAfterwards,
  toCofferError,
} from '../engine/index.ts'
import { processJobs } from '../http/account-updater/process-jobs.ts'
import { Faults } from '../http/faults.ts'
import { Outbound } from '../outbound/outbound.ts'
import { AsHostedSwitch } from './as-hosted-switch.ts'
import { WindowBulk } from './bulk/window-bulk.ts'
import { CurrentVault } from './current-vault.ts'
import { WindowDocuments } from './documents/window-documents.ts'
import { getPackagesFolder, requireTrustedPackages } from './files/packages-folder.ts'
import { HostEvents } from './host-events.ts'
import type { HostOptions } from './host-options.ts'
import { EffectiveSettings } from './host-settings.ts'
import { StatusReader } from './host-status.ts'
import { IdleWatch } from './idle-watch.ts'
import { getIncidents, type Incidents } from './incidents/incidents.ts'
import { Jobs } from './jobs/jobs.ts'
import { ListenerSwitch } from './listener-switch.ts'
import { DailyBackups } from './maintenance/daily-backups.ts'
import { Maintenance } from './maintenance/maintenance.ts'
import { Proxies } from './proxies/proxies.ts'
import { Reactors } from './reactors/reactors.ts'
import { WindowTransfer } from './transfer/window-transfer.ts'
import { isEphemeral } from './vault/ephemeral.ts'
import { flushTotals } from './vault/persist-totals.ts'
import type { OpenVault } from './vault/vault.ts'
import { Deliveries } from './webhooks/deliveries.ts'

/**
 * The running program: at most one open vault, the listener, and this machine's settings. It does not depend on the
 * window.
 */
export class Host {
  readonly options: HostOptions
  readonly now: () => number
  readonly settings: EffectiveSettings
  readonly current: CurrentVault
  readonly events: HostEvents
  readonly faults: Faults
  readonly outbound: Outbound
  readonly listener: ListenerSwitch
  readonly asHosted: AsHostedSwitch
  readonly reactors: Reactors
  readonly proxies: Proxies
  readonly maintenance: Maintenance
  readonly bulk: WindowBulk
  readonly transfer: WindowTransfer
  readonly documents = new WindowDocuments(() => this.openVault?.engine ?? null)
  readonly jobs = new Jobs({
    onProgress: (job, done, total) => this.events.publish({ type: 'progress', job, done, total }),
    onEnd: (job) => this.events.publish({ type: 'ended', job }),
  })
  /** Notices for the owner, as sentences. */
  readonly notices: string[] = []
  readonly #status: StatusReader
  readonly #deliveries: Deliveries
  readonly #idleWatch: IdleWatch
  readonly #dailyBackups: DailyBackups

  constructor(options: HostOptions) {
    const { dataDir, version, shell } = options
    this.options = options
    this.now = options.now ?? Date.now
    const { now, jobs, reportIncident: report } = this
    const vault = () => this.openVault
    const onChange = () => this.publishStatus()
    this.events = new HostEvents(report)
    this.settings = new EffectiveSettings(dataDir, options.overrides ?? {}, (message) =>
      this.notices.push(message),
    )
    this.current = new CurrentVault({
      start: (vault) => this.#startVault(vault),
      watch: (vault) => this.#watchVault(vault),
      afterAdoption: [
        // Sweeping may find that the clock is far ahead, which is reported about the open vault.
        (vault) => vault.engine.sweeper.start(),
        (vault) => this.#resumeJobs(vault),
        () => this.#restartReactors(),
        () => this.#deliveries.schedulePoll(),
        () => this.events.dropAll(),
        (vault) => this.#rememberVault(vault),
        () => this.#followAsHosted(),
        onChange,
      ],
      onLocking: () => this.#onLocking(),
      onLocked: (wasOpen) => this.#onLocked(wasOpen),
      onLost: (sentences, isNew) => isNew && options.onLost?.(sentences),
      onChange,
      report,
    })
    this.faults = new Faults(options.faults, onChange)
    this.bulk = new WindowBulk({ vault, jobs, undoMs: options.undoMs })
    this.transfer = new WindowTransfer({
      vault,
      jobs,
      getSelectedIds: (selection) => this.bulk.getIds(selection),
    })
    this.outbound = new Outbound({
      destinations: () => this.settings.current.destinations,
      ownPorts: () => [...this.listener.ports, ...this.asHosted.ports, ...(options.ownPorts?.() ?? [])],
    })
    this.#deliveries = new Deliveries({
      engine: () => this.openVault?.engine ?? null,
      outbound: this.outbound,
      report,
    })
    this.reactors = new Reactors({
      engine: this.getEngine,
      isOn: () => this.settings.current.reactors,
      baseUrl: () => this.#getUrl() ?? null,
      report,
      newPool: () =>
        new ReactorPool({
          packagesDir: requireTrustedPackages(dataDir),
          ...(options.fork && { fork: options.fork() }),
        }),
    })
    this.proxies = new Proxies({ outbound: this.outbound, code: this.reactors, report })
    this.listener = new ListenerSwitch(
      {
        engine: this.getEngine,
        testControls: {
          faults: this.faults,
          vault: () => this.openVault?.controls ?? null,
          faultsAllowed: () => options.faults !== undefined,
        },
        report,
        proxies: this.proxies,
        code: this.reactors,
        onAnswered: options.onAnswered,
        onRequest: (request) => this.asHosted.countRequest(request),
      },
      () => this.#onListenerChange(),
    )
    this.asHosted = new AsHostedSwitch({
      destinations: () => this.settings.current.destinations,
      outbound: this.outbound,
      origins: () => this.settings.current.origins,
      answer: (...request) => this.listener.answerRequest(...request),
      isWanted: () =>
        this.settings.current.as_hosted && this.listener.state.state === 'on' && this.openVault !== null,
      onChange,
      onConnections: () => this.events.publish({ type: 'connections' }),
    })
    this.#idleWatch = new IdleWatch({
      now,
      minutes: () => this.settings.current.auto_lock_minutes,
      onIdle: () => this.lock(),
    })
    this.maintenance = new Maintenance({ dataDir, now, vault, jobs, onChange })
    this.#dailyBackups = new DailyBackups({
      dataDir,
      now,
      settings: () => this.settings.current,
      onProblem: (message) => this.addNotice(message),
    })
    this.#status = new StatusReader({
      version,
      shell,
      dataDir,
      vaultToOffer: options.vault,
      current: this.current,
      settings: this.settings,
      getRest: () => ({
        listener: this.listener.state,
        as_hosted: this.asHosted.state,
        faults: this.faults.listActive(),
      }),
      notices: this.notices,
      onChange,
    })
  }

  /** The engine of the open vault, or of the vault whose files were lost; null if there is neither. */
  readonly getEngine = (): Engine | null => this.current.engine

  get openVault(): OpenVault | null {
    return this.current.vault
  }

  /** Returns whether the stored vault of this name is open. */
  hasOpen(name: string): boolean {
    return this.openVault?.name === name && !isEphemeral(this.openVault)
  }

  /** Where internal errors are reported. No file is used while an in-memory vault is open. */
  get incidents(): Incidents {
    return this.openVault?.incidents ?? getIncidents(this.options.dataDir)
  }

  /** Reports an internal error. Never throws. */
  readonly reportIncident: ReportIncident = (error, where, trace_id) =>
    this.incidents.reportError(error, where, trace_id)

  /** Adds a notice for the owner, unless it is already there. */
  addNotice(message: string): void {
    if (!this.notices.includes(message)) this.notices.push(message)
    this.publishStatus()
  }

  /** The options for opening an engine that this host can adopt. */
  get engineOptions(): EngineOptions {
    return {
      now: this.now,
      packages: createPackagesReader(() => getPackagesFolder(this.options.dataDir)),
      onLog: (records) => {
        if (records.some(({ actor_type }) => actor_type !== 'vault')) this.markActivity()
        this.events.addRecords(records)
      },
      onChanges: (changes) => this.events.addChanges(changes),
      onEvents: () => this.#deliveries.schedulePoll(),
      onClock: () => {
        this.options.onClock?.(this.getEngine()?.clock.ahead ?? null)
        this.publishStatus()
      },
    }
  }

  /** Subscribes to events; returns the function that unsubscribes. */
  subscribe(subscriber: (event: HostEvent) => void): () => void {
    return this.events.subscribe(subscriber)
  }

  /** Sends the status to all subscribers. Never throws. */
  publishStatus(): void {
    if (!this.events.hasSubscribers) return
    try {
      this.events.publish({ type: 'status', status: this.getStatus() })
    } catch (error) {
      this.reportIncident(error, 'status')
    }
  }

  /** Returns the full status. A vault or keychain that fails is reported in it, never thrown. */
  readStatus(): Promise<HostStatus> {
    return this.#status.readStatus()
  }

  /** Returns the status without asking the keychain. */
  getStatus(): HostStatus {
    return this.#status.getStatus()
  }

  /** Drops the keys and closes the vault immediately. The listener then answers 423. Safe to repeat. */
  lock(): void {
    this.current.lock()
  }

  /**
   * Locks because the computer sleeps or its screen is locked. An in-memory vault stays open, because locking would
   * delete it.
   */
  lockUnattended(): void {
    // SECURITY: this also locks a vault that is still being opened.
    this.current.lockOpening()
    if (this.openVault && !isEphemeral(this.openVault)) this.lock()
  }

  /**
   * Opens the listener on the given port or the one from the settings. A failure to open is returned as a state.
   * Rejects with `conflict` if the listener is open and cannot move to that port.
   */
  startListener(port?: number): Promise<ListenerState> {
    const { current } = this.settings
    return this.listener.turnOn({ ...current, port: port ?? current.port })
  }

  /**
   * Saves and applies changed settings. If the port changes, an open listener moves to the new one. Rejects with
   * `conflict` about `port` if the new port is taken, and with the errors of saving. If it rejects, nothing is changed.
   */
  updateSettings(
    patch: { [Name in keyof HostSettings]?: HostSettings[Name] | undefined },
  ): Promise<HostSettings> {
    const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
    const getNewPort = () => (patch.port === this.settings.current.port ? undefined : patch.port)
    return this.listener.applySettings(getNewPort, () => {
      const changed = this.settings.changeSettings(changes)
      if (!this.settings.current.reactors)
        this.reactors.turnOff().catch((error) => this.reportIncident(error, 'reactors'))
      else if (patch.reactors && this.openVault) this.reactors.startSpares()
      return changed
    })
  }

  /** Marks activity, which postpones the automatic lock. */
  markActivity(): void {
    this.#idleWatch.markActivity()
  }

  /** Locks now if the vault has been idle, for example while the computer slept. */
  checkIdle(): void {
    this.#idleWatch.checkIdle()
  }

  /** Undoes a pending deletion, closes the listener once its open requests have ended, ends deliveries, then locks. */
  async close(): Promise<void> {
    await this.bulk.undoDeletion()
    await this.listener.turnOff()
    await this.asHosted.turnOff()
    await this.#deliveries.close()
    this.outbound.close()
    const stopped = this.reactors.stop()
    this.lock()
    await stopped
    await flushTotals()
  }

  #startVault(vault: OpenVault): void {
    vault.announceUrl(this.#getUrl())
    this.maintenance.resumeRotation(vault)
  }

  #watchVault(vault: OpenVault | null): void {
    const isStored = vault !== null && !isEphemeral(vault)
    // SECURITY: an in-memory vault is not locked when it is idle, because locking deletes it.
    if (this.options.autoLock && isStored) this.#idleWatch.start()
    else this.#idleWatch.stop()
    if (isStored) this.#dailyBackups.start(vault)
    else this.#dailyBackups.stop()
  }

  #onLocking(): void {
    this.#deliveries.stop()
    this.bulk.clearSelection()
    this.transfer.dropParts()
    this.#stopReactors()
  }

  #onLocked(wasOpen: boolean): void {
    this.events.flushRecords()
    this.events.dropChanges()
    if (!wasOpen) return
    this.#followAsHosted()
    this.publishStatus()
    this.options.onLocked?.()
  }

  #rememberVault(vault: OpenVault): void {
    if (isEphemeral(vault)) return
    if (vault.upgrade !== undefined) this.notices.push(vault.upgrade)
    try {
      this.#status.rememberVault(vault.name)
    } catch (error) {
      this.notices.push(toCofferError(error).message)
    }
  }

  #resumeJobs(vault: OpenVault): void {
    const openJobs = () => vault.engine.as(owner).accountUpdaterJobs
    runAfterwards(this.reportIncident, 'accountUpdaterJobs', () => processJobs(openJobs))
  }

  #stopReactors(): void {
    this.reactors.stop().catch((error) => this.reportIncident(error, 'reactors'))
  }

  #restartReactors(): void {
    this.#stopReactors()
    this.reactors.startSpares()
  }

  #followAsHosted(): void {
    this.asHosted.followSettings().catch((error) => this.reportIncident(error, 'as hosted'))
  }

  #getUrl(): string | undefined {
    const { state } = this.listener
    return state.state === 'on' ? state.url : undefined
  }

  #onListenerChange(): void {
    try {
      this.openVault?.announceUrl(this.#getUrl())
    } catch (error) {
      // A full disk, for example. Whatever follows a change must still happen, above all when Coffer closes.
      this.reportIncident(error, 'listener')
    }
    this.#followAsHosted()
    this.publishStatus()
  }
}
