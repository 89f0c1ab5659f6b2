import { setTimeout as delay } from 'node:timers/promises'
import type { ClockAhead } from '../../shared/clock-ahead.ts'
import { CofferError } from '../../shared/errors.ts'
import type { CommandInput, CommandOutput } from '../../shared/host/commands.ts'
import type { HostEvent } from '../../shared/host/events.ts'
import type { HostSettings } from '../../shared/host/settings.ts'
import type { HostStatus, ListenerState, VaultSummary } from '../../shared/host/status.ts'
import type { FaultReport, FaultRule } from '../../shared/schemas/fault.ts'
import type { FirstSteps } from '../../shared/schemas/first-steps.ts'
import { formatIsoTime } from '../../shared/time.ts'
import type { Fork } from '../code-runner/fork.ts'
import { type ReactorPackage, readPackages } from '../code-runner/packages.ts'
import { ReactorPool } from '../code-runner/pool.ts'
import {
  type Engine,
  type EngineOptions,
  type ReportIncident,
  requireUnlocked,
  toCofferError,
} from '../engine/index.ts'
import { Faults } from '../http/faults.ts'
import type { RequestSummary } from '../http/response-observer.ts'
import { Outbound } from '../outbound/outbound.ts'
import { WindowBulk } from './bulk/window-bulk.ts'
import { ChangeFeed } from './change-feed.ts'
import { WindowDocuments } from './documents/window-documents.ts'
import { describeExposure } from './files/exposed.ts'
import { readHeader } from './files/header.ts'
import { listMissingVaults } from './files/known-vaults.ts'
import { getPackagesFolder, migratePackages } from './files/packages-folder.ts'
import { getVaultFiles, listVaults, requireExistingVault } from './files/vault-files.ts'
import { EffectiveSettings } from './host-settings.ts'
import { IdleWatch } from './idle-watch.ts'
import { getIncidents, type Incidents } from './incidents/incidents.ts'
import { firstSteps } from './initial-data/first-steps.ts'
import { Jobs } from './jobs/jobs.ts'
import { createExclusiveRunner } from './jobs/run-exclusive.ts'
import { confirmOwner } from './keys/confirm-owner.ts'
import type { Credential } from './keys/credential.ts'
import { findKeychainProblem } from './keys/keychain.ts'
import type { Protection } from './keys/protection.ts'
import { assertStrongPassphrase } from './keys/weak-passphrase.ts'
import { ListenerSwitch } from './listener-switch.ts'
import { LogFeed } from './log-feed.ts'
import { DailyBackups } from './maintenance/daily-backups.ts'
import { Maintenance } from './maintenance/maintenance.ts'
import { Proxies } from './proxies/proxies.ts'
import { Reactors } from './reactors/reactors.ts'
import { WindowTransfer } from './transfer/window-transfer.ts'
import { deleteVault } from './vault/delete-vault.ts'
import { isEphemeral } from './vault/ephemeral.ts'
import { type AcceptedLoss, openVault } from './vault/open-vault.ts'
import { flushTotals } from './vault/persist-totals.ts'
import { previewRestore } from './vault/restore-preview.ts'
import { restoreVault } from './vault/restore-vault.ts'
import type { OpenVault } from './vault/vault.ts'
import { readVaultSummary } from './vault/vault-summary.ts'
import { Deliveries } from './webhooks/deliveries.ts'

export type HostOptions = {
  readonly version: string
  readonly shell: HostStatus['shell']
  readonly dataDir: string
  /** The vault to offer for unlocking, instead of the one opened last. */
  readonly vault?: string
  /** Whether to lock an idle vault. */
  readonly autoLock: boolean
  /** Settings from the command line, which override the file's. */
  readonly overrides?: Partial<HostSettings>
  /** The ports of this process's other servers, which a proxy call must not reach. */
  readonly ownPorts?: () => readonly number[]
  /** Copies a secret to a clipboard that clears itself, and returns the seconds until it does. */
  readonly copySecret?: (text: string) => Promise<number>
  /** Starts a process that runs code. By default, it runs in the Node version of this process. */
  readonly fork?: Fork
  /** Initial faults. If set, management keys may change faults in a stored vault too. */
  readonly faults?: readonly FaultRule[]
  /** The clock, in epoch ms. */
  readonly now?: () => number
  /** How long the window's deletions wait before they start, in ms. 10 seconds by default. */
  readonly undoMs?: number
  /** Called once a vault is locked. */
  readonly onLocked?: () => void
  /** Called with sentences for the owner when the files of the open vault are lost. */
  readonly onLost?: (sentences: string) => void
  /** Called after each response of the listener. */
  readonly onAnswered?: ((answered: RequestSummary) => void) | undefined
  /**
   * Called when the set of deletions held back by a wrong clock has changed, or when the clock was set. Receives null
   * when none is held back (case X-45).
   */
  readonly onClock?: (ahead: ClockAhead | null) => void
}

const KEYCHAIN_TIMEOUT_MS = 3000
const UNANSWERED = 'The system keychain has not answered yet.'

/**
 * The running program: at most one open vault, the listener, and this machine's settings. It does not depend on the
 * window.
 */
export class Host {
  readonly jobs = new Jobs({
    onProgress: (job, done, total) => this.#publishEvent({ type: 'progress', job, done, total }),
    onEnd: (job) => this.#publishEvent({ type: 'ended', job }),
  })
  readonly maintenance: Maintenance
  readonly bulk: WindowBulk
  readonly transfer: WindowTransfer
  readonly documents = new WindowDocuments(() => this.#vault?.engine ?? null)
  readonly #options: HostOptions
  readonly #now: () => number
  readonly #settings: EffectiveSettings
  readonly #outbound: Outbound
  readonly reactors: Reactors
  readonly proxies: Proxies
  readonly #deliveries: Deliveries
  readonly #listener: ListenerSwitch
  readonly #idleWatch: IdleWatch
  readonly #dailyBackups: DailyBackups
  readonly #faults: Faults
  readonly #logFeed = new LogFeed((records) => this.#publishEvent({ type: 'log', records }))
  readonly #changeFeed = new ChangeFeed((changes) => this.#publishEvent({ type: 'changes', changes }))
  readonly #subscribers = new Set<(event: HostEvent) => void>()
  readonly #notices: string[] = []
  readonly #runOpening = createExclusiveRunner()
  #vault: OpenVault | null = null
  /** The vault whose files were lost, until another vault is opened. The engine of a lost vault responds with 503. */
  #lostVault: { readonly engine: Engine; readonly notice: string } | null = null
  #lastSeenVaults: readonly VaultSummary[] | null = null
  #lastVault: string | null
  #keychain: true | string = UNANSWERED
  #probe: Promise<void> | null = null
  #lockCount = 0

  constructor(options: HostOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#lastVault = options.vault ?? null
    this.#settings = new EffectiveSettings(options.dataDir, options.overrides ?? {}, (message) =>
      this.#notices.push(message),
    )
    this.#faults = new Faults(options.faults, () => this.#publishStatus())
    const open = { vault: () => this.#vault, jobs: this.jobs }
    this.bulk = new WindowBulk({ ...open, undoMs: options.undoMs })
    this.transfer = new WindowTransfer({
      ...open,
      getSelectedIds: (selection) => this.bulk.getIds(selection),
    })
    const testControls = {
      faults: this.#faults,
      vault: () => this.#vault?.controls ?? null,
      faultsAllowed: () => options.faults !== undefined,
    }
    this.#outbound = new Outbound({
      destinations: () => this.#settings.current.destinations,
      ownPorts: () => [...this.#listener.ports, ...(options.ownPorts?.() ?? [])],
    })
    this.#deliveries = new Deliveries({
      engine: () => this.#vault?.engine ?? null,
      outbound: this.#outbound,
      report: this.reportIncident,
    })
    this.reactors = new Reactors({
      engine: this.getEngine,
      isOn: () => this.#settings.current.reactors,
      baseUrl: () => this.#getUrl() ?? null,
      report: this.reportIncident,
      newPool: () =>
        new ReactorPool({
          packagesDir: requireTrustedPackages(options.dataDir),
          ...(options.fork && { fork: options.fork }),
        }),
    })
    this.proxies = new Proxies({
      outbound: this.#outbound,
      code: this.reactors,
      report: this.reportIncident,
    })
    const listenerDeps = {
      engine: this.getEngine,
      testControls,
      report: this.reportIncident,
      proxies: this.proxies,
      code: this.reactors,
      onAnswered: options.onAnswered,
    }
    this.#listener = new ListenerSwitch(listenerDeps, () => this.#onListenerChange())
    this.#idleWatch = new IdleWatch({
      now: this.#now,
      minutes: () => this.#settings.current.auto_lock_minutes,
      onIdle: () => this.lock(),
    })
    const { dataDir } = options
    this.maintenance = new Maintenance({
      dataDir,
      now: this.#now,
      vault: () => this.#vault,
      jobs: this.jobs,
      onChange: () => this.#publishStatus(),
    })
    this.#dailyBackups = new DailyBackups({
      dataDir,
      now: this.#now,
      settings: () => this.#settings.current,
      onProblem: (message) => this.addNotice(message),
    })
  }

  /** The engine of the open vault, or of the vault whose files were lost; null if there is neither. */
  readonly getEngine = (): Engine | null => this.#vault?.engine ?? this.#lostVault?.engine ?? null

  get openVault(): OpenVault | null {
    return this.#vault
  }

  /** Where internal errors are reported. No file is used while an in-memory vault is open. */
  get incidents(): Incidents {
    return this.#vault?.incidents ?? getIncidents(this.#options.dataDir)
  }

  /** Reports an internal error. Never throws. */
  readonly reportIncident: ReportIncident = (error, where, trace_id) =>
    this.incidents.reportError(error, where, trace_id)

  /** Notices for the owner, as sentences. */
  get notices(): readonly string[] {
    return this.#notices
  }

  /** Adds a notice for the owner, unless it is already there. */
  addNotice(message: string): void {
    if (!this.#notices.includes(message)) this.#notices.push(message)
    this.#publishStatus()
  }

  /** The options for opening an engine that this host can adopt. */
  get engineOptions(): EngineOptions {
    return {
      now: this.#now,
      onLog: (records) => {
        if (records.some(({ actor_type }) => actor_type !== 'vault')) this.markActivity()
        if (this.#subscribers.size > 0) this.#logFeed.add(records)
      },
      onChanges: (changes) => {
        if (this.#subscribers.size > 0) this.#changeFeed.add(changes)
      },
      onEvents: () => this.#deliveries.schedulePoll(),
      onClock: () => {
        this.#options.onClock?.(this.getEngine()?.clock.ahead ?? null)
        this.#publishStatus()
      },
    }
  }

  /** Subscribes to events; returns the function that unsubscribes. */
  subscribe(subscriber: (event: HostEvent) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  /** Returns the full status. A vault or keychain that fails is reported in it, never thrown. */
  async readStatus(): Promise<HostStatus> {
    if (this.#keychain !== true && (!this.#vault || this.#keychain === UNANSWERED)) {
      this.#probe ??= this.#askKeychain()
      // While a vault is open, the status does not wait for the keychain: an event reports the keychain's state later.
      if (!this.#vault)
        await Promise.race([this.#probe, delay(KEYCHAIN_TIMEOUT_MS, undefined, { ref: false })])
    }
    return this.getStatus()
  }

  /** Returns the status without asking the keychain. */
  getStatus(): HostStatus {
    const { dataDir, version, shell } = this.#options
    const { vaults, problems } = this.#readVaults()
    const last = this.#lastVault ?? this.#settings.last_vault
    const known = vaults.some(({ name }) => name === last)
    return {
      version,
      shell,
      data_dir: dataDir,
      vaults: [...vaults],
      vault: this.#vault && toVaultStatus(this.#vault, vaults),
      last_vault: known ? last : (vaults[0]?.name ?? null),
      listener: this.#listener.state,
      faults: this.#faults.listActive(),
      keychain: this.#keychain,
      settings: this.#settings.current,
      notices: [...(this.#lostVault ? [this.#lostVault.notice] : []), ...this.#notices, ...problems],
    }
  }

  /**
   * Creates a vault with its starter applications and opens it in place of the current one. Throws what
   * `createVaultWithData` throws; if it throws, the current vault stays open.
   */
  createVault({
    name,
    protection,
    sample_data,
  }: CommandInput<'createVault'>): Promise<CommandOutput<'createVault'>> {
    const lockCount = this.#lockCount
    return this.#runOpening(() =>
      this.jobs.runJob('create vault', () => this.#createVault({ name, protection, sample_data }, lockCount)),
    )
  }

  async #createVault(
    { name, protection, sample_data }: CommandInput<'createVault'>,
    lockCount: number,
  ): Promise<CommandOutput<'createVault'>> {
    const { dataDir } = this.#options
    try {
      const { createVaultWithData: newVault } = await import('./initial-data/create-vault-with-data.ts')
      const { vault, ...secrets } = await newVault({
        ...(!('memory' in protection) && { stored: { dataDir, name, protection } }),
        engine: this.engineOptions,
        ...(sample_data && {
          samples: (done, total) => this.#publishEvent({ type: 'progress', job: 'sample data', done, total }),
        }),
      })
      const then = isEphemeral(vault) ? undefined : 'Unlock the vault, and create a new recovery key.'
      this.#replaceVault(vault, lockCount, then)
      return secrets
    } catch (error) {
      this.#publishStatus()
      throw error
    }
  }

  /**
   * Opens a vault in place of the current one. Does nothing if it is already open. Throws what `openVault` throws.
   */
  unlock({ name, with: credential, accept_loss }: CommandInput<'unlock'>): Promise<void> {
    const lockCount = this.#lockCount
    return this.#runOpening(async () => {
      if (this.#vault?.name === name && !isEphemeral(this.#vault)) return
      const { dataDir } = this.#options
      const accepted = accept_loss === undefined ? undefined : this.createAcceptedLoss(accept_loss)
      const engine = this.engineOptions
      this.#replaceVault(
        await openVault({ dataDir, name, with: credential, engine, accept_loss: accepted }),
        lockCount,
      )
      if (this.#settings.current.listen_on_unlock && this.#listener.state.state !== 'on') {
        await this.listenerOn({})
      }
    })
  }

  /**
   * Deletes a vault, after the owner has entered its credential again. Throws what `confirmOwner` and `deleteVault`
   * throw. Even if it throws, a vault that was open may have been locked.
   */
  deleteVault({
    name,
    with_backups,
    with: credential,
  }: CommandInput<'deleteVault'>): Promise<CommandOutput<'deleteVault'>> {
    const { dataDir } = this.#options
    return this.#runOpening(async () => {
      await confirmOwner(readHeader(requireExistingVault(dataDir, name).header), credential)
      if (this.#vault?.name === name && !isEphemeral(this.#vault)) this.lock()
      try {
        const { keychain_left, ...backups } = await deleteVault({ dataDir, name, with_backups })
        return { ...backups, keychain_left: keychain_left.length }
      } finally {
        this.#publishStatus()
      }
    })
  }

  /** Returns which first steps have been taken in the open vault. Throws `locked`, `unavailable`. */
  firstSteps(): Promise<FirstSteps> {
    return firstSteps(requireUnlocked(this.#vault), this.#options.dataDir)
  }

  /** Returns what restoring a backup would bring back. Throws what `previewRestore` throws. */
  async previewRestore(input: CommandInput<'previewRestore'>): Promise<CommandOutput<'previewRestore'>> {
    const { dataDir } = this.#options
    const request = { ...input, dataDir, open: this.#vault, now: this.#now() }
    return { brings_back: await this.jobs.runJob('restore', (watch) => previewRestore(request, watch)) }
  }

  /**
   * Creates a new vault from a backup and opens it in place of the current one. Throws what `restoreVault` throws, and
   * `invalid` for a new passphrase that is easy to guess. If it throws, the current vault stays open.
   */
  restoreBackup(input: CommandInput<'restore'>): Promise<void> {
    const lockCount = this.#lockCount
    return this.#runOpening(async () => {
      const { dataDir } = this.#options
      if (!isSamePassphrase(input.with, input.protection))
        await assertStrongPassphrase(input.protection, input.name)
      const restored = await this.jobs.runJob('restore', (watch) =>
        restoreVault({ ...input, dataDir, engine: this.engineOptions }, watch),
      )
      this.#replaceVault(restored, lockCount)
    })
  }

  /**
   * Returns the owner's consent to lose this many commits. After the loss, a notice says where the copy of all files
   * is.
   */
  createAcceptedLoss(commits: number): AcceptedLoss {
    return {
      commits,
      onSetAside: (folder) =>
        this.#notices.push(
          `The vault was opened, and ${commits === 0 ? 'no lost commits are known' : `${commits} ${commits === 1 ? 'commit is' : 'commits are'} lost`}. A copy of everything is in ${folder}.`,
        ),
    }
  }

  /** Takes over a vault opened with `engineOptions`. If this fails, the vault is locked again, and no vault is open. */
  adopt(vault: OpenVault): void {
    const before = this.#vault
    this.#vault = vault
    try {
      before?.lock()
    } catch (error) {
      // The old vault is closed as far as possible, and the new vault stays open despite the error.
      this.reportIncident(error, 'lock')
    }
    try {
      this.#startVault(vault)
    } catch (error) {
      try {
        this.lock()
      } catch (closing) {
        this.reportIncident(closing, 'lock')
      }
      throw error
    }
  }

  /**
   * Starts what runs while a vault is open: deliveries, automatic lock, daily backups, sweeps and an unfinished
   * rotation.
   */
  #startVault(vault: OpenVault): void {
    this.reactors.stop().catch((error) => this.reportIncident(error, 'reactors'))
    this.#deliveries.schedulePoll()
    this.#lostVault = null
    vault.onLost = (sentences, isClosed) => this.#onVaultLost(vault, sentences, isClosed)
    this.#logFeed.dropPending()
    this.#changeFeed.dropPending()
    this.#rememberVault(vault)
    // SECURITY: an in-memory vault is not locked when it is idle, because locking deletes it.
    if (this.#options.autoLock && !isEphemeral(vault)) this.#idleWatch.start()
    else this.#idleWatch.stop()
    if (isEphemeral(vault)) this.#dailyBackups.stop()
    else this.#dailyBackups.start(vault)
    vault.engine.sweeper.start()
    this.maintenance.resumeRotation(vault)
    vault.announceUrl(this.#getUrl())
    this.#publishStatus()
  }

  /** Drops the keys and closes the vault immediately. The listener then answers 423. Safe to repeat. */
  lock(): void {
    this.#lockCount++
    this.#idleWatch.stop()
    this.#dailyBackups.stop()
    this.#deliveries.stop()
    const vault = this.#vault
    this.#vault = null
    this.bulk.clearSelection()
    this.reactors.stop().catch((error) => this.reportIncident(error, 'reactors'))
    try {
      vault?.lock()
    } finally {
      this.#logFeed.flush()
      this.#changeFeed.dropPending()
      if (vault) this.#publishStatus()
      if (vault) this.#options.onLocked?.()
    }
  }

  /**
   * Handles the loss of a vault's files: once the vault has closed itself, the host locks it too. Keeps the vault's
   * engine, so that callers get the reason (X-46).
   */
  #onVaultLost(vault: OpenVault, sentences: string, isClosed: boolean): void {
    if (this.#lostVault?.notice !== sentences) this.#options.onLost?.(sentences)
    this.#lostVault = { engine: vault.engine, notice: sentences }
    if (isClosed && this.#vault === vault) this.lock()
    else this.#publishStatus()
  }

  /**
   * Locks because the computer sleeps or its screen is locked. An in-memory vault stays open, because locking would
   * delete it.
   */
  lockUnattended(): void {
    // SECURITY: this also locks a vault that is still being opened.
    this.#lockCount++
    if (this.#vault && !isEphemeral(this.#vault)) this.lock()
  }

  /**
   * Opens the listener on the given port or the one from the settings. A failure to open is returned as a state.
   * Rejects with `conflict` if the listener is open and cannot move to that port.
   */
  listenerOn({ port }: CommandInput<'listenerOn'>): Promise<ListenerState> {
    const { current } = this.#settings
    return this.#listener.turnOn({ ...current, port: port ?? current.port })
  }

  setFaults({ rules }: CommandInput<'setFaults'>): FaultReport {
    this.#faults.setRules(rules)
    return this.#faults.getReport()
  }

  getFaults(): FaultReport {
    return this.#faults.getReport()
  }

  listenerOff(): Promise<ListenerState> {
    return this.#listener.turnOff()
  }

  /**
   * Saves and applies changed settings. If the port changes, an open listener moves to the new one. Rejects with
   * `conflict` about `port` if the new port is taken, and with the errors of saving. If it rejects, nothing is changed.
   */
  updateSettings(patch: CommandInput<'updateSettings'>): Promise<HostSettings> {
    const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
    const getNewPort = () => (patch.port === this.#settings.current.port ? undefined : patch.port)
    return this.#listener.applySettings(getNewPort, () => {
      const changed = this.#settings.changeSettings(changes)
      if (!this.#settings.current.reactors)
        this.reactors.turnOff().catch((error) => this.reportIncident(error, 'reactors'))
      return changed
    })
  }

  /** Copies a secret, if the host has a clipboard that clears itself. */
  async copySecret({ text }: CommandInput<'copySecret'>): Promise<CommandOutput<'copySecret'>> {
    const seconds = await this.#options.copySecret?.(text)
    return seconds === undefined ? { copied: false } : { copied: true, clears_in_seconds: seconds }
  }

  /** Marks activity, which postpones the automatic lock. */
  markActivity(): void {
    this.#idleWatch.markActivity()
  }

  /** Locks now if the vault has been idle, for example while the computer slept. */
  checkIdle(): void {
    this.#idleWatch.checkIdle()
  }

  /** Returns whether the current settings allow calls to this URL. */
  mayCall(url: string): boolean {
    return this.#outbound.isAllowed(url)
  }

  /** Lists the packages that code may require (rule F-03). Throws `invalid` if they cannot be read. */
  reactorPackages(): ReactorPackage[] {
    return readPackages(getPackagesFolder(this.#options.dataDir))
  }

  /** Undoes a pending deletion, closes the listener once its open requests have ended, ends deliveries, then locks. */
  async close(): Promise<void> {
    await this.bulk.undoDeletion()
    await this.#listener.turnOff()
    await this.#deliveries.close()
    this.#outbound.close()
    const stopped = this.reactors.stop()
    this.lock()
    await stopped
    await flushTotals()
  }

  /**
   * Lists the vaults of the data folder. While the folder cannot be reached, returns the vaults that were last seen,
   * so that the window does not offer to create a first vault.
   */
  #readVaults(): { vaults: readonly VaultSummary[]; problems: string[] } {
    const { dataDir } = this.#options
    try {
      this.#lastSeenVaults = listVaults(dataDir).map((name) => readVaultSummary(dataDir, name))
      const problems = listMissingVaults(dataDir).map(
        (name) =>
          `The vault ${name} is missing from ${getVaultFiles(dataDir, name).folder}. Put the folder back, or restore a backup under this name.`,
      )
      return { vaults: this.#lastSeenVaults, problems }
    } catch (error) {
      if (!this.#lastSeenVaults) throw error
      return { vaults: this.#lastSeenVaults, problems: [toCofferError(error).message] }
    }
  }

  /**
   * Opens a vault in place of the current one. SECURITY: if Coffer was locked while the vault was being opened, the
   * vault is locked too, and this throws `locked`.
   */
  #replaceVault(vault: OpenVault, lockCount: number, then = 'Unlock the vault again.'): void {
    if (lockCount !== this.#lockCount) {
      vault.lock()
      throw new CofferError('locked', `Coffer was locked in the meantime. ${then}`)
    }
    this.adopt(vault)
  }

  #rememberVault(vault: OpenVault): void {
    if (isEphemeral(vault)) return
    if (vault.upgrade !== undefined) this.#notices.push(vault.upgrade)
    this.#lastVault = vault.name
    try {
      this.#settings.rememberLastVault(vault.name)
    } catch (error) {
      this.#notices.push(toCofferError(error).message)
    }
  }

  #getUrl(): string | undefined {
    const { state } = this.#listener
    return state.state === 'on' ? state.url : undefined
  }

  #onListenerChange(): void {
    this.#vault?.announceUrl(this.#getUrl())
    this.#publishStatus()
  }

  async #askKeychain(): Promise<void> {
    const problem = await findKeychainProblem()
    this.#keychain = problem ? problem.message : true
    this.#probe = null
    this.#publishStatus()
  }

  #publishStatus(): void {
    if (this.#subscribers.size > 0) this.#publishEvent({ type: 'status', status: this.getStatus() })
  }

  #publishEvent(event: HostEvent): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event)
      } catch (error) {
        // One failing window must not stop the other windows or the vault.
        this.reportIncident(error, 'event')
      }
    }
  }
}

/**
 * Returns the packages folder. Throws `unavailable` if another user could change it (X-68), because Coffer runs the
 * code in it.
 */
function requireTrustedPackages(dataDir: string): string {
  const folder = migratePackages(dataDir)
  if (describeExposure(folder) === null) return folder
  const text =
    'Another user could change the packages of reactors, so no code runs. Run coffer doctor for details.'
  throw new CofferError('unavailable', text)
}

/**
 * Returns whether the passphrase that opens a backup also protects the restored vault. If so, it is not a new
 * passphrase, and its strength is not checked.
 */
function isSamePassphrase(credential: Credential, protection: Protection): boolean {
  return (
    'passphrase' in credential &&
    'passphrase' in protection &&
    credential.passphrase === protection.passphrase
  )
}

function toVaultStatus(vault: OpenVault, vaults: readonly VaultSummary[]): HostStatus['vault'] {
  const { name, engine } = vault
  const storedProtection = vaults.find((each) => each.name === name)?.protection ?? 'passphrase'
  const { tenant_id, clock } = engine
  const protection = isEphemeral(vault) ? 'memory' : storedProtection
  return {
    name,
    tenant_id,
    protection,
    now: formatIsoTime(engine.now()),
    ...(clock.ahead && { clock_ahead: clock.ahead }),
  }
}
