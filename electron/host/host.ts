import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../shared/errors.ts'
import type {
  HostCommands,
  HostEvent,
  HostSettings,
  HostStatus,
  ListenerState,
  VaultSummary,
} from '../../shared/host.ts'
import type { ClockAhead } from '../../shared/schemas/clock-ahead.ts'
import type { FaultReport, FaultRule } from '../../shared/schemas/fault.ts'
import type { FirstSteps } from '../../shared/schemas/first-steps.ts'
import { isoTime } from '../../shared/time.ts'
import type { z } from '../../shared/zod.ts'
import { toCofferError } from '../engine/db/storage-error.ts'
import type { Report } from '../engine/door/incident.ts'
import { unlocked } from '../engine/door/locked.ts'
import type { Engine, EngineOptions } from '../engine/engine.ts'
import type { Answered } from '../http/answered.ts'
import { Faults } from '../http/faults.ts'
import { Outbound } from '../outbound/outbound.ts'
import type { Fork } from '../reactors/fork.ts'
import { packagesIn, type ReactorPackage } from '../reactors/packages.ts'
import { ReactorPool } from '../reactors/pool.ts'
import { WindowBulk } from './bulk/window-bulk.ts'
import { ChangeFeed } from './change-feed.ts'
import { WindowDocuments } from './documents/window-documents.ts'
import { describeExposure } from './files/exposed.ts'
import { readHeader } from './files/header.ts'
import { missingVaults } from './files/known-vaults.ts'
import { packagesOf, settlePackages } from './files/packages-folder.ts'
import { existingVault, listVaults, vaultFiles } from './files/vault-files.ts'
import { firstSteps } from './first-data/first-steps.ts'
import { SettingsInForce } from './host-settings.ts'
import { IdleWatch } from './idle-watch.ts'
import { type Incidents, incidentsOf } from './incidents/incidents.ts'
import { confirmOwner } from './keys/confirm-owner.ts'
import type { Credential } from './keys/credential.ts'
import { keychainProblem } from './keys/keychain.ts'
import type { Protection } from './keys/protection.ts'
import { refuseWeak } from './keys/weak-passphrase.ts'
import { ListenerSwitch } from './listener-switch.ts'
import { LogFeed } from './log-feed.ts'
import { Reactors } from './reactors/reactors.ts'
import { WindowTransfer } from './transfer/window-transfer.ts'
import { DailyBackups } from './upkeep/daily-backups.ts'
import { Upkeep } from './upkeep/upkeep.ts'
import { broughtBack } from './vault/brought-back.ts'
import { deleteVault } from './vault/delete-vault.ts'
import { isEphemeral } from './vault/ephemeral.ts'
import { totalsKept } from './vault/keep-totals.ts'
import { type AcceptedLoss, openVault } from './vault/open-vault.ts'
import { restoreVault } from './vault/restore-vault.ts'
import type { OpenVault } from './vault/vault.ts'
import { summaryOf } from './vault/vault-summary.ts'
import { Deliveries } from './webhooks/deliveries.ts'
import { inTurn } from './work/in-turn.ts'
import { Jobs } from './work/jobs.ts'

export type HostOptions = {
  readonly version: string
  readonly shell: HostStatus['shell']
  readonly dataDir: string
  /** The vault to offer for unlocking, instead of the one opened last. */
  readonly vault?: string
  /** Whether to lock an idle vault. */
  readonly autoLock: boolean
  /** Settings given on the command line, which win over the file's. */
  readonly overrides?: Partial<HostSettings>
  /** The ports of servers beside the listener, which no call of a proxy may reach. */
  readonly ownPorts?: () => readonly number[]
  /** Copies a secret to a clipboard that is cleared, and returns after how many seconds. */
  readonly copySecret?: (text: string) => Promise<number>
  /** How a process for code is started; with the Node of this process unless given. */
  readonly fork?: Fork
  /** Initial faults. If given at all, management keys may change faults in a kept vault too. */
  readonly faults?: readonly FaultRule[]
  /** The clock, in epoch ms. */
  readonly now?: () => number
  /** How long the window's deletions wait before they begin, in ms; 10 seconds unless given. */
  readonly undoMs?: number
  /** Called once a vault is locked. */
  readonly onLocked?: () => void
  /** Called with sentences for the owner when the files of the open vault are lost. */
  readonly onLost?: (sentences: string) => void
  /** Called once for each request to the listener, after its answer. */
  readonly onAnswered?: ((answered: Answered) => void) | undefined
  /** Called when what waits because the clock is far ahead has changed, or the clock was set; with null when nothing waits (case X-45). */
  readonly onClock?: (ahead: ClockAhead | null) => void
}

type Commands = HostCommands['host']
type Input<Name extends keyof Commands> = z.output<Commands[Name]['input']>
type Output<Name extends keyof Commands> = z.output<Commands[Name]['output']>

const KEYCHAIN_PATIENCE_MS = 3000
const UNANSWERED = 'The system keychain has not answered yet.'

/** The running program: at most one open vault, the listener, this machine's settings. It does not know the window. */
export class Host {
  readonly jobs = new Jobs({
    progress: (job, done, total) => this.#tell({ type: 'progress', job, done, total }),
    ended: (job) => this.#tell({ type: 'ended', job }),
  })
  readonly upkeep: Upkeep
  readonly bulk: WindowBulk
  readonly transfer: WindowTransfer
  readonly documents = new WindowDocuments(() => this.#vault?.engine ?? null)
  readonly #options: HostOptions
  readonly #now: () => number
  readonly #settings: SettingsInForce
  readonly #outbound: Outbound
  readonly reactors: Reactors
  readonly #deliveries: Deliveries
  readonly #listener: ListenerSwitch
  readonly #idle: IdleWatch
  readonly #daily: DailyBackups
  readonly #faults: Faults
  readonly #feed = new LogFeed((records) => this.#tell({ type: 'log', records }))
  readonly #changes = new ChangeFeed((changes) => this.#tell({ type: 'changes', changes }))
  readonly #subscribers = new Set<(event: HostEvent) => void>()
  readonly #notices: string[] = []
  readonly #opening = inTurn()
  #vault: OpenVault | null = null
  /** The vault whose files were lost, until another is opened: its engine answers 503. */
  #lost: { readonly engine: Engine; readonly notice: string } | null = null
  #seen: readonly VaultSummary[] | null = null
  #last: string | null
  #keychain: true | string = UNANSWERED
  #probe: Promise<void> | null = null
  #locks = 0

  constructor(options: HostOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#last = options.vault ?? null
    this.#settings = new SettingsInForce(options.dataDir, options.overrides ?? {}, (sentence) =>
      this.#notices.push(sentence),
    )
    this.#faults = new Faults(options.faults, () => this.#changed())
    const open = { vault: () => this.#vault, jobs: this.jobs }
    this.bulk = new WindowBulk({ ...open, undoMs: options.undoMs })
    this.transfer = new WindowTransfer({ ...open, idsOf: (selection) => this.bulk.idsOf(selection) })
    const sandbox = {
      faults: this.#faults,
      vault: () => this.#vault?.sandbox ?? null,
      faultsAllowed: () => options.faults !== undefined,
    }
    this.#outbound = new Outbound({
      destinations: () => this.#settings.current.destinations,
      ownPorts: () => [...this.#listener.ports, ...(options.ownPorts?.() ?? [])],
    })
    this.#deliveries = new Deliveries({
      engine: () => this.#vault?.engine ?? null,
      outbound: this.#outbound,
      report: this.report,
    })
    this.reactors = new Reactors({
      engine: this.engine,
      isOn: () => this.#settings.current.reactors,
      baseUrl: () => this.#url() ?? null,
      report: this.report,
      newPool: () =>
        new ReactorPool({
          packagesDir: trustedPackages(options.dataDir),
          ...(options.fork && { fork: options.fork }),
        }),
    })
    const served = {
      engine: this.engine,
      sandbox,
      report: this.report,
      outbound: this.#outbound,
      code: this.reactors,
      onAnswered: options.onAnswered,
    }
    this.#listener = new ListenerSwitch(served, () => this.#listenerChanged())
    this.#idle = new IdleWatch({
      now: this.#now,
      minutes: () => this.#settings.current.auto_lock_minutes,
      onIdle: () => this.lock(),
    })
    const { dataDir } = options
    this.upkeep = new Upkeep({
      dataDir,
      now: this.#now,
      vault: () => this.#vault,
      jobs: this.jobs,
      changed: () => this.#changed(),
    })
    this.#daily = new DailyBackups({
      dataDir,
      now: this.#now,
      settings: () => this.#settings.current,
      onProblem: (sentence) => this.addNotice(sentence),
    })
  }

  /** The engine of the open vault, or null. */
  readonly engine = (): Engine | null => this.#vault?.engine ?? this.#lost?.engine ?? null

  /** The vault that is open, or null. */
  get openVault(): OpenVault | null {
    return this.#vault
  }

  /** Where internal errors are reported; not in a file while the open vault lives in memory. */
  get incidents(): Incidents {
    return this.#vault?.incidents ?? incidentsOf(this.#options.dataDir)
  }

  /** Reports an internal error. Never throws. */
  readonly report: Report = (error, where, trace_id) => this.incidents.report(error, where, trace_id)

  /** Notices for the owner, as sentences. */
  get notices(): readonly string[] {
    return this.#notices
  }

  /** Adds a sentence for the owner, once. */
  addNotice(sentence: string): void {
    if (!this.#notices.includes(sentence)) this.#notices.push(sentence)
    this.#changed()
  }

  /** The options an engine must be opened with to be adopted. */
  get engineOptions(): EngineOptions {
    return {
      now: this.#now,
      onLog: (records) => {
        if (records.some(({ actor_type }) => actor_type !== 'vault')) this.touch()
        if (this.#subscribers.size > 0) this.#feed.add(records)
      },
      onChanges: (changes) => {
        if (this.#subscribers.size > 0) this.#changes.add(changes)
      },
      onEvents: () => this.#deliveries.wake(),
      onClock: () => {
        this.#options.onClock?.(this.engine()?.clockAhead ?? null)
        this.#changed()
      },
    }
  }

  /** Subscribes to events; returns the function that unsubscribes. */
  subscribe(subscriber: (event: HostEvent) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  /** The status of everything. A vault or keychain that fails is reported in it, never thrown. */
  async status(): Promise<HostStatus> {
    if (this.#keychain !== true && (!this.#vault || this.#keychain === UNANSWERED)) {
      this.#probe ??= this.#askKeychain()
      // While a vault is open, nobody waits for this answer; an event delivers it.
      if (!this.#vault)
        await Promise.race([this.#probe, delay(KEYCHAIN_PATIENCE_MS, undefined, { ref: false })])
    }
    return this.statusNow()
  }

  /** The status without asking the keychain. */
  statusNow(): HostStatus {
    const { dataDir, version, shell } = this.#options
    const { vaults, problems } = this.#look()
    const last = this.#last ?? this.#settings.last_vault
    const known = vaults.some(({ name }) => name === last)
    return {
      version,
      shell,
      data_dir: dataDir,
      vaults: [...vaults],
      vault: this.#vault && openVaultOf(this.#vault, vaults),
      last_vault: known ? last : (vaults[0]?.name ?? null),
      listener: this.#listener.state,
      faults: this.#faults.active(),
      keychain: this.#keychain,
      settings: this.#settings.current,
      notices: [...(this.#lost ? [this.#lost.notice] : []), ...this.#notices, ...problems],
    }
  }

  /**
   * Creates a vault with its starter applications and opens it in place of the current one. Throws what `newVault`
   * throws; then the current vault stays open.
   */
  createVault({ name, protection, sample_data }: Input<'createVault'>): Promise<Output<'createVault'>> {
    const locks = this.#locks
    return this.#opening(() =>
      this.jobs.run('create vault', () => this.#create({ name, protection, sample_data }, locks)),
    )
  }

  async #create(
    { name, protection, sample_data }: Input<'createVault'>,
    locks: number,
  ): Promise<Output<'createVault'>> {
    const { dataDir } = this.#options
    try {
      const { newVault } = await import('./first-data/new-vault.ts')
      const { vault, ...secrets } = await newVault({
        ...(!('memory' in protection) && { stored: { dataDir, name, protection } }),
        engine: this.engineOptions,
        ...(sample_data && {
          samples: (done, total) => this.#tell({ type: 'progress', job: 'sample data', done, total }),
        }),
      })
      const then = isEphemeral(vault) ? undefined : 'Unlock the vault, and make a new recovery key.'
      this.#replace(vault, locks, then)
      return secrets
    } catch (error) {
      this.#changed()
      throw error
    }
  }

  /** Opens a vault in place of the current one; does nothing if it is open already. Throws what `openVault` throws. */
  unlock({ name, with: credential, accept_loss }: Input<'unlock'>): Promise<void> {
    const locks = this.#locks
    return this.#opening(async () => {
      if (this.#vault?.name === name && !isEphemeral(this.#vault)) return
      const { dataDir } = this.#options
      const accepted = accept_loss === undefined ? undefined : this.acceptedLoss(accept_loss)
      const engine = this.engineOptions
      this.#replace(
        await openVault({ dataDir, name, with: credential, engine, accept_loss: accepted }),
        locks,
      )
      if (this.#settings.current.listen_on_unlock && this.#listener.state.state !== 'on') {
        await this.listenerOn({})
      }
    })
  }

  /**
   * Deletes a vault, after whoever asks has opened it again. Throws what `confirmOwner` and `deleteVault` throw; a vault
   * that was open may then be locked.
   */
  deleteVault({
    name,
    with_backups,
    with: credential,
  }: Input<'deleteVault'>): Promise<Output<'deleteVault'>> {
    const { dataDir } = this.#options
    return this.#opening(async () => {
      await confirmOwner(readHeader(existingVault(dataDir, name).header), credential)
      if (this.#vault?.name === name && !isEphemeral(this.#vault)) this.lock()
      try {
        const { keychain_left, ...backups } = await deleteVault({ dataDir, name, with_backups })
        return { ...backups, keychain_left: keychain_left.length }
      } finally {
        this.#changed()
      }
    })
  }

  /** Which first steps have been taken in the open vault. Throws `locked`, `unavailable`. */
  firstSteps(): Promise<FirstSteps> {
    return firstSteps(unlocked(this.#vault), this.#options.dataDir)
  }

  /** What restoring a backup would bring back. Throws what `broughtBack` throws. */
  async broughtBack(input: Input<'previewRestore'>): Promise<Output<'previewRestore'>> {
    const { dataDir } = this.#options
    const asked = { ...input, dataDir, open: this.#vault, now: this.#now() }
    return { brings_back: await this.jobs.run('restore', (watch) => broughtBack(asked, watch)) }
  }

  /**
   * Creates a new vault from a backup and opens it in place of the current one. Throws what `restoreVault` throws,
   * and `invalid` for a new passphrase that is easy to guess; then the current vault stays open.
   */
  restore(input: Input<'restore'>): Promise<void> {
    const locks = this.#locks
    return this.#opening(async () => {
      const { dataDir } = this.#options
      if (!isSame(input.with, input.protection)) await refuseWeak(input.protection, input.name)
      const restored = await this.jobs.run('restore', (watch) =>
        restoreVault({ ...input, dataDir, engine: this.engineOptions }, watch),
      )
      this.#replace(restored, locks)
    })
  }

  /** The owner's consent to lose this many commits, with a notice of where everything was put aside. */
  acceptedLoss(commits: number): AcceptedLoss {
    return {
      commits,
      onPutAside: (folder) =>
        this.#notices.push(
          `The vault was opened ${commits === 0 ? 'as it was' : `without ${commits} missing ${commits === 1 ? 'commit' : 'commits'}`}. A copy of everything is in ${folder}.`,
        ),
    }
  }

  /** Takes over a vault opened with `engineOptions`. If that fails, it is locked again, and no vault is open. */
  adopt(vault: OpenVault): void {
    const before = this.#vault
    this.#vault = vault
    try {
      before?.lock()
    } catch (error) {
      // It is closed as far as it can be; the other one is open all the same.
      this.report(error, 'lock')
    }
    try {
      this.#begin(vault)
    } catch (error) {
      try {
        this.lock()
      } catch (closing) {
        this.report(closing, 'lock')
      }
      throw error
    }
  }

  /** Starts all that goes with an open vault. */
  #begin(vault: OpenVault): void {
    void this.reactors.stop()
    this.#deliveries.wake()
    this.#lost = null
    vault.onLost = (sentences, isClosed) => this.#vaultLost(vault, sentences, isClosed)
    this.#feed.drop()
    this.#changes.drop()
    this.#remember(vault)
    // SECURITY: never an in-memory vault, because locking deletes it.
    if (this.#options.autoLock && !isEphemeral(vault)) this.#idle.start()
    else this.#idle.stop()
    if (isEphemeral(vault)) this.#daily.stop()
    else this.#daily.start(vault)
    vault.engine.startSweeping()
    this.upkeep.resume(vault)
    vault.announce(this.#url())
    this.#changed()
  }

  /** Drops the keys and closes the vault at once; the listener then answers 423. Safe to repeat. */
  lock(): void {
    this.#locks++
    this.#idle.stop()
    this.#daily.stop()
    this.#deliveries.stop()
    const vault = this.#vault
    this.#vault = null
    this.bulk.forget()
    void this.reactors.stop()
    try {
      vault?.lock()
    } finally {
      this.#feed.flush()
      this.#changes.drop()
      if (vault) this.#changed()
      if (vault) this.#options.onLocked?.()
    }
  }

  /** A vault whose files are lost is closed here too. Its engine stays, so that callers are told why (X-46). */
  #vaultLost(vault: OpenVault, sentences: string, isClosed: boolean): void {
    if (this.#lost?.notice !== sentences) this.#options.onLost?.(sentences)
    this.#lost = { engine: vault.engine, notice: sentences }
    if (isClosed && this.#vault === vault) this.lock()
    else this.#changed()
  }

  /**
   * Locks because the computer sleeps or its screen is locked. An in-memory vault stays open: locking would delete
   * it.
   */
  lockUnattended(): void {
    // SECURITY: this also locks a vault that is still being opened.
    this.#locks++
    if (this.#vault && !isEphemeral(this.#vault)) this.lock()
  }

  /**
   * Opens the listener on the given port or the one from the settings; a refusal is a state. Rejects with `conflict`
   * where it is open and cannot move there.
   */
  listenerOn({ port }: Input<'listenerOn'>): Promise<ListenerState> {
    const { current } = this.#settings
    return this.#listener.on({ ...current, port: port ?? current.port })
  }

  /** Replaces the faults of the listener. */
  setFaults({ rules }: Input<'setFaults'>): FaultReport {
    this.#faults.set(rules)
    return this.#faults.report()
  }

  faults(): FaultReport {
    return this.#faults.report()
  }

  listenerOff(): Promise<ListenerState> {
    return this.#listener.off()
  }

  /**
   * Saves and applies changed settings. An open listener moves to a new port, and rejects with `conflict` about
   * `port` where that is taken; throws what saving throws. Then nothing changed.
   */
  updateSettings(patch: Input<'updateSettings'>): Promise<HostSettings> {
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
    const moves = () => (patch.port === this.#settings.current.port ? undefined : patch.port)
    return this.#listener.follow(moves, () => {
      const changed = this.#settings.change(given)
      if (!this.#settings.current.reactors) void this.reactors.turnOff()
      return changed
    })
  }

  /** Copies a secret, if the shell has a clipboard that clears itself. */
  async copySecret({ text }: Input<'copySecret'>): Promise<Output<'copySecret'>> {
    const seconds = await this.#options.copySecret?.(text)
    return seconds === undefined ? { copied: false } : { copied: true, clears_in_seconds: seconds }
  }

  /** Marks activity, which postpones the automatic lock. */
  touch(): void {
    this.#idle.touch()
  }

  /** Locks now if the vault has been idle; for when the computer wakes up. */
  checkIdle(): void {
    this.#idle.check()
  }

  /** Whether a call to this address may leave Coffer by the settings in force. */
  mayCall(url: string): boolean {
    return this.#outbound.allows(url)
  }

  /** The packages that code may require (rule F-03). Throws `invalid` if they cannot be read. */
  reactorPackages(): ReactorPackage[] {
    return packagesIn(packagesOf(this.#options.dataDir))
  }

  /** Undoes a deletion that waits, closes the listener, which finishes its requests, ends deliveries, then locks. */
  async close(): Promise<void> {
    await this.bulk.undo()
    await this.#listener.off()
    await this.#deliveries.close()
    this.#outbound.close()
    const stopped = this.reactors.stop()
    this.lock()
    await stopped
    await totalsKept()
  }

  /**
   * The vaults of the data folder. While the folder cannot be reached, those seen last: it must not look like a first
   * run.
   */
  #look(): { vaults: readonly VaultSummary[]; problems: string[] } {
    const { dataDir } = this.#options
    try {
      this.#seen = listVaults(dataDir).map((name) => summaryOf(dataDir, name))
      const problems = missingVaults(dataDir).map(
        (name) =>
          `The vault ${name} is gone from ${vaultFiles(dataDir, name).folder}. Put the folder back, or restore a backup under this name.`,
      )
      return { vaults: this.#seen, problems }
    } catch (error) {
      if (!this.#seen) throw error
      return { vaults: this.#seen, problems: [toCofferError(error).message] }
    }
  }

  /** SECURITY: a lock during the opening of a vault applies to that vault too. */
  #replace(vault: OpenVault, locks: number, then = 'Unlock the vault again.'): void {
    if (locks !== this.#locks) {
      vault.lock()
      throw new CofferError('locked', `Coffer was locked in the meantime. ${then}`)
    }
    this.adopt(vault)
  }

  #remember(vault: OpenVault): void {
    if (isEphemeral(vault)) return
    if (vault.upgrade !== undefined) this.#notices.push(vault.upgrade)
    this.#last = vault.name
    try {
      this.#settings.opened(vault.name)
    } catch (error) {
      this.#notices.push(toCofferError(error).message)
    }
  }

  #url(): string | undefined {
    const { state } = this.#listener
    return state.state === 'on' ? state.url : undefined
  }

  #listenerChanged(): void {
    this.#vault?.announce(this.#url())
    this.#changed()
  }

  async #askKeychain(): Promise<void> {
    const problem = await keychainProblem()
    this.#keychain = problem ? problem.message : true
    this.#probe = null
    this.#changed()
  }

  #changed(): void {
    if (this.#subscribers.size > 0) this.#tell({ type: 'status', status: this.statusNow() })
  }

  #tell(event: HostEvent): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event)
      } catch (error) {
        // One failing window must not stop the other windows or the vault.
        this.report(error, 'event')
      }
    }
  }
}

/** The packages folder. Throws `unavailable` where somebody else could change it (X-68): what lies there is run. */
function trustedPackages(dataDir: string): string {
  const folder = settlePackages(dataDir)
  if (describeExposure(folder) === null) return folder
  const text =
    'Somebody else could change the packages of reactors, so no code runs. coffer doctor says more.'
  throw new CofferError('unavailable', text)
}

/** Whether the passphrase that opens a backup also protects the restored vault, so that it is no new one. */
function isSame(credential: Credential, protection: Protection): boolean {
  return (
    'passphrase' in credential &&
    'passphrase' in protection &&
    credential.passphrase === protection.passphrase
  )
}

function openVaultOf(vault: OpenVault, vaults: readonly VaultSummary[]): HostStatus['vault'] {
  const { name, engine } = vault
  const kept = vaults.find((each) => each.name === name)?.protection ?? 'passphrase'
  const { tenant_id, clockAhead: clock_ahead } = engine
  const protection = isEphemeral(vault) ? 'memory' : kept
  return { name, tenant_id, protection, now: isoTime(engine.now()), ...(clock_ahead && { clock_ahead }) }
}
