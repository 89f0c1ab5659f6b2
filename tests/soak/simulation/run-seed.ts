import { createHash } from 'node:crypto'
import { type Database, openReadOnly } from '../../../electron/engine/db/open.ts'
import { catalogue, deriveDatabaseKey } from '../../../electron/engine/index.ts'
import { backUpOpenVault } from '../../../electron/host/maintenance/back-up.ts'
import { changeProtection } from '../../../electron/host/maintenance/change-protection.ts'
import { rotateDataKey } from '../../../electron/host/maintenance/rotate-data-key.ts'
import { rotateMaster } from '../../../electron/host/maintenance/rotate-master.ts'
import { restoreVault } from '../../../electron/host/vault/restore-vault.ts'
import { eventTypes } from '../../../shared/webhook-events.ts'
import { computeExpected, type Rows, readRows } from '../../entity-rows.ts'
import { protectBy, sessionTime } from '../power-loss/marks.ts'
import { createCallers, mayCall, type SimulatedCaller } from './callers.ts'
import { checkLeft, checkStep, describeCall, formatShown, isUnknown } from './check-step.ts'
import type { FaultyDisk, ProcessEnd } from './faulty-disk.ts'
import { Ledger } from './ledger.ts'
import { prepareCall } from './prepared-calls.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { ownerCaller, SimulatedVault } from './simulated-vault.ts'

export type SeedResult = {
  /** The mistake that was made on purpose. */
  readonly mistake?: string | null
  readonly seed: number
  /** Equal for equal runs. */
  readonly digest: string
  readonly problems: readonly string[]
  /** The last steps. */
  readonly trace: readonly string[]
  /** How often each operation succeeded. */
  readonly succeeded: Readonly<Record<string, number>>
}

type SeedInput = {
  readonly process: SimulatedProcess
  readonly disk: FaultyDisk
  readonly seed: number
  readonly steps: number
  /** The operations that are called in turn; all by default. */
  readonly operations?: readonly string[] | undefined
}

const TRACE_STEPS = 20
/** A check of everything takes as long as several steps. */
const CHECK_EVERY = 25
const minute = 60_000
const day = 24 * 60 * minute

const names = [...catalogue.keys()]
const often = ['tokens.create', 'tokens.update', 'tokens.get', 'tokens.remove', 'tokens.list']
/** How far the first operations of two seeds are from each other. */
const OPERATIONS_PER_SEED = 47

/** Runs the steps of a seed, until one of them shows a problem. */
export async function runSeed({ process, disk, seed, steps, operations }: SeedInput): Promise<SeedResult> {
  process.startProgram(seed, sessionTime)
  disk.clearDisk()
  const run = new SeedRun(new SimulatedVault({ process, disk }), seed, operations)
  await run.runSteps(steps).catch((error: unknown) => {
    run.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  })
  await run.endRun()
  const { problems, trace, succeeded } = run
  return { seed, digest: run.digest, problems, trace: trace.slice(-TRACE_STEPS), succeeded }
}

/** One run of a seed. */
class SeedRun {
  readonly problems: string[] = []
  readonly trace: string[] = []
  readonly succeeded: Record<string, number> = {}
  readonly #vault: SimulatedVault
  readonly #random: () => number
  readonly #hash = createHash('sha256')
  readonly #ledger: Ledger
  #callers: SimulatedCaller[] = [ownerCaller]
  #rows: Rows = {}
  #reader: Database | null = null
  #version: unknown
  #lastRows: Rows = {}
  /** The rows that a disk may still lose, because it did not confirm them. */
  #uncertain = new Set<string>()
  #mayHaveUnseen = false
  /** The passphrases that remain once the step is over, if its process does not end in it. */
  #keptPassphrases: readonly string[] | null = null
  #faultySteps = 0
  #wasFaulty = false
  /** The operations that are called in turn, and the one that is next. */
  readonly #operations: readonly string[]
  #next: number

  constructor(vault: SimulatedVault, seed: number, operations: readonly string[] = names) {
    this.#operations = operations
    this.#next = seed * OPERATIONS_PER_SEED
    this.#vault = vault
    this.#random = vault.process.getRandom
    this.#ledger = new Ledger(vault)
  }

  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }

  async runSteps(steps: number): Promise<void> {
    const vault = this.#vault
    await this.#awaitAll(vault.createFiles())
    vault.startWork()
    await this.#awaitAll(this.#ledger.createWebhook(eventTypes))
    const created = await this.#awaitAll(createCallers(vault))
    this.#callers = created
    this.#rows = this.#readRows()
    for (let step = 1; step <= steps && this.problems.length === 0; step++) {
      vault.step = step
      await this.#runStep(step)
      if (step % CHECK_EVERY === 0 || step === steps) await this.#checkEverything(step === steps)
    }
  }

  /** Ends the run: nothing of it goes on in the next one. */
  async endRun(): Promise<void> {
    this.#closeReader()
    this.#vault.endProcess('killed', this.#vault.disk.moment)
  }

  async #awaitAll<T>(promise: Promise<T>): Promise<T> {
    const outcome = await this.#vault.process.settlePromise(promise)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  /** Reads the tables, on a connection of its own. Returns the same rows if nothing was committed since. */
  #readRows(): Rows {
    const { vault } = this.#vault
    this.#reader ??= openReadOnly(
      vault.files.database,
      vault.withMaster((master) => deriveDatabaseKey(master)),
    )
    const version = this.#reader.pragma('data_version', { simple: true })
    if (version !== this.#version) this.#lastRows = readRows(this.#reader)
    this.#version = version
    return this.#lastRows
  }

  /** Closes the connection before something that needs the file alone. */
  #closeReader(): void {
    this.#reader?.close()
    this.#reader = null
    this.#version = undefined
  }

  async #runStep(step: number): Promise<void> {
    const vault = this.#vault
    const start = vault.disk.moment
    vault.calls = []
    vault.changes = []
    vault.incidents = []
    const what = await this.#actOnce()
    if (this.#random() < 0.4) await vault.process.passTime(Math.floor(this.#random() * 400))
    const hasFailed = this.#faultySteps > 0 || this.#wasFaulty
    this.#wasFaulty = this.#faultySteps > 0
    // The disk is whole while it is checked.
    vault.disk.setFault({})
    if (this.#faultySteps > 0 && --this.#faultySteps === 0) await vault.process.passTime(1000)
    const [before, after] = [this.#rows, this.#readRows()]
    this.#rows = after
    const expected = computeExpected(before, after)
    this.#noteStep(step, what, expected)
    if (what !== 'changes a key') {
      const tables = { before, expected, after, isFaulty: hasFailed }
      this.problems.push(...checkStep(vault, tables, this.#ledger))
    }
    this.#followUncertain(before, after)
    if (this.#random() < 0.06 && this.problems.length === 0) await this.#endProcess(before, after, start)
    else this.#ledger.addCalls(vault.calls, Number.POSITIVE_INFINITY)
    if (this.#keptPassphrases) vault.passphrases = [...this.#keptPassphrases]
    this.#keptPassphrases = null
    if (this.#random() < 0.03 && this.#faultySteps === 0) this.#startFault()
  }

  /** Does one of the things that can happen to a vault. Returns what it was. */
  async #actOnce(): Promise<string> {
    const chance = this.#random()
    if (chance < 0.72) return this.#makeCall()
    if (chance < 0.77) return this.#makeCalls()
    if (chance < 0.83) return this.#letTimePass()
    if (chance < 0.88) return this.#moveClock()
    if (chance < 0.91) return this.#repeatCall()
    if (chance < 0.94) return this.#restartVault()
    if (chance < 0.96) return this.#sweepVault()
    if (chance < 0.98) return this.#changeKeys()
    if (chance < 0.985) return this.#backUp()
    this.#vault.network.isReliable = !this.#vault.network.isReliable
    return `makes the network ${this.#vault.network.isReliable ? 'reliable' : 'unreliable'}`
  }

  /** Takes every operation in turn, beginning elsewhere for each seed, so that rare ones are called as often as others. */
  #takeName(): string {
    // What programs do most is called most.
    if (this.#random() < 0.3) return this.#pickOne(often)
    return this.#operations[this.#next++ % this.#operations.length] ?? ''
  }

  /** Chooses who makes a call: the owner, somebody who may, or anybody; anybody more often for what programs call most. */
  #pickCaller(name: string): SimulatedCaller {
    const chance = this.#random()
    const able = chance < 0.4 ? [ownerCaller] : this.#callers.filter((caller) => mayCall(caller, name))
    const isAny = this.#random() < (often.includes(name) ? 0.4 : 0.1) || able.length === 0
    return this.#pickOne(isAny ? this.#callers : able)
  }

  #pickOne<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T
  }

  async #makeCall(): Promise<string> {
    const vault = this.#vault
    const name = this.#takeName()
    vault.acting = ownerCaller
    vault.idempotency = undefined
    const prepared = await vault.process.settlePromise(prepareCall(vault, name), { isTimed: true })
    if (prepared.status === 'rejected') return `cannot prepare ${name}`
    vault.acting = this.#pickCaller(name)
    const route = catalogue.get(name)?.route
    if (route && this.#random() < 0.3)
      vault.idempotency = { key: `key-${vault.step}`, method: 'POST', path: name }
    await vault.process.settlePromise(prepared.value(), { isTimed: true })
    vault.idempotency = undefined
    vault.acting = ownerCaller
    return `calls ${name}`
  }

  /** Makes several calls at the same time, which share a commit. */
  async #makeCalls(): Promise<string> {
    const vault = this.#vault
    const acts = []
    for (const name of ['tokens.create', 'tokens.create', 'tokens.update', 'tokens.get', 'tokens.remove']) {
      const prepared = await vault.process.settlePromise(prepareCall(vault, name))
      if (prepared.status === 'fulfilled') acts.push(prepared.value)
    }
    vault.acting = this.#pickOne(this.#callers)
    await vault.process.settlePromise(Promise.allSettled(acts.map((act) => act())))
    vault.acting = ownerCaller
    return 'calls several operations at a time'
  }

  async #letTimePass(): Promise<string> {
    const ms = this.#pickOne([10, 1000, 40_000])
    await this.#vault.process.passTime(ms)
    return `lets ${ms} ms pass`
  }

  async #moveClock(): Promise<string> {
    const ms = this.#pickOne([1000, minute, 10 * minute, 60 * minute, 3 * 60 * minute, -minute, -30 * minute])
    const expiries = Object.values(this.#rows)
      .flatMap((table) => [...table.values()].map(({ expires_at }) => Number(expires_at)))
      .filter((time) => time > this.#vault.process.wall && time < this.#vault.process.wall + day)
    const next = Math.min(...expiries)
    if (this.#random() < 0.3 && Number.isFinite(next)) {
      this.#vault.process.wall = next
      return 'moves the clock to the next expiry'
    }
    this.#vault.process.wall += ms
    return `moves the clock by ${ms} ms`
  }

  /** Repeats an answered call with its idempotency key: the answer is the same, and nothing changes (rule A-12). */
  async #repeatCall(): Promise<string> {
    const vault = this.#vault
    const before = this.#ledger.findRepeatable(this.#random)
    if (!before) return 'has nothing to repeat'
    const { name, input, caller, info } = before
    const { idempotency } = info
    await vault.process.settlePromise(
      vault.makeCall(name, input, caller, { info: { idempotency } }).catch(() => {}),
    )
    const again = vault.calls.at(-1)
    const rows = this.#readRows()
    const changed = Object.keys(computeExpected(this.#rows, rows)).filter((each) =>
      /^(token|application|proxy|reactor|webhook) (created|deleted)/.test(each),
    )
    if (again?.result) {
      const [first, second] = [before.result?.output, again.result.output].map(
        (output) => (Object(output) as { id?: string }).id,
      )
      if (first !== second) this.problems.push(`${name} was repeated, and answered ${second}, not ${first}`)
      if (changed.includes(`${catalogue.get(name)?.entity} created`))
        this.problems.push(`${name} was repeated, and ran again`)
    }
    return `repeats ${name}`
  }

  async #restartVault(): Promise<string> {
    const vault = this.#vault
    this.#closeReader()
    try {
      vault.lockVault()
    } catch (error) {
      if (this.#faultySteps === 0) throw error
    }
    const locked = await vault.process.settlePromise(
      vault.makeCall('tokens.list', {}, ownerCaller).catch((error: { code?: string }) => error.code),
    )
    if (locked.status === 'fulfilled' && locked.value !== 'locked')
      this.problems.push('a locked vault answered a call')
    vault.calls = []
    await this.#openVault()
    vault.startWork()
    return 'restarts'
  }

  /** Opens the vault. While the disk fails, only after it is whole again. */
  async #openVault(): Promise<void> {
    const opened = await this.#vault.process.settlePromise(this.#vault.openFiles())
    if (opened.status === 'fulfilled') return
    if (this.#faultySteps === 0) throw opened.reason
    this.#vault.disk.setFault({})
    await this.#awaitAll(this.#vault.openFiles())
  }

  async #sweepVault(): Promise<string> {
    await this.#vault.process.settlePromise(this.#vault.vault.engine.sweeper.sweep(), { isTimed: true })
    return 'sweeps'
  }

  async #changeKeys(): Promise<string> {
    const vault = this.#vault
    const passphrase = `passphrase ${vault.step}`
    this.#closeReader()
    const known = vault.passphrases
    vault.passphrases = [...known, passphrase]
    const [change, left] = this.#pickOne<readonly [() => Promise<unknown>, readonly string[]]>([
      [() => rotateDataKey(vault.vault), known],
      [() => rotateMaster(vault.vault, protectBy(passphrase)), [passphrase]],
      [() => changeProtection(vault.vault, { protection: protectBy(passphrase) }), [passphrase]],
    ])
    const changed = await vault.process.settlePromise(change())
    if (changed.status === 'rejected' && this.#faultySteps === 0) throw changed.reason
    if (changed.status === 'fulfilled') this.#keptPassphrases = left
    return 'changes a key'
  }

  /** Backs the vault up, restores it as another one, and compares the two. */
  async #backUp(): Promise<string> {
    const vault = this.#vault
    const { dataDir } = vault.disk
    const backup = await vault.process.settlePromise(backUpOpenVault(vault.vault, { dataDir }))
    if (backup.status === 'rejected') {
      if (this.#faultySteps === 0) throw backup.reason
      return 'cannot back up'
    }
    if (this.#faultySteps > 0) return 'backs up'
    const name = `restored-${vault.step}`
    const [passphrase = ''] = vault.passphrases
    const restored = await this.#awaitAll(
      restoreVault({
        ...{ dataDir, name, file: backup.value.file, with: { passphrase } },
        ...{ protection: protectBy(passphrase), engine: { now: vault.process.getTime } },
      }),
    )
    const { data } = await this.#awaitAll(restored.engine.as({ kind: 'owner' }).tokens.list({ size: 100 }))
    const there = data.filter(({ id }) => this.#rows.token?.has(id)).length
    if (there !== data.length) this.problems.push('a backup has tokens that the vault does not have')
    restored.lock()
    return 'backs up'
  }

  #startFault(): void {
    const [ENOSPC, EIO] = [28, 5]
    const writes_left = Math.floor(this.#random() * 12)
    this.#faultySteps = 1 + Math.floor(this.#random() * 3)
    const fault = this.#pickOne([
      { write_error: ENOSPC, writes_left },
      { write_error: EIO, writes_left },
      { sync_error: EIO },
      { has_short_reads: 1 },
    ])
    this.#vault.disk.setFault(fault)
    this.trace.push(`the disk fails: ${JSON.stringify(fault)}`)
  }

  #noteStep(step: number, what: string, changes: object): void {
    const { calls, process } = this.#vault
    for (const { name, result } of calls) if (result) this.succeeded[name] = (this.succeeded[name] ?? 0) + 1
    this.trace.push(`${step} ${what}: ${calls.map(describeCall).join('; ')}`)
    this.#hash.update(JSON.stringify([step, what, calls.map(describeCall), changes, process.wall]))
  }

  #forgetUncertain(): void {
    this.#uncertain = new Set()
    this.#mayHaveUnseen = false
  }

  /** After an error of the disk, a write may be visible, and lost with the power. The next answered write keeps it. */
  #followUncertain(before: Rows, after: Rows): void {
    const { calls } = this.#vault
    if (
      calls.some(({ name, result }) => result && catalogue.get(name)?.effect === 'write') &&
      !this.#wasFaulty
    )
      this.#forgetUncertain()
    if (!this.#wasFaulty && !calls.some(isUnknown)) return
    this.#mayHaveUnseen = true
    for (const [table, rows] of Object.entries(after)) {
      for (const id of new Set([...rows.keys(), ...(before[table]?.keys() ?? [])]))
        if (formatShown(rows.get(id)) !== formatShown(before[table]?.get(id)))
          this.#uncertain.add(`${table} ${id}`)
    }
  }

  /** Ends the process at a moment of the step, and checks what is left. */
  async #endProcess(before: Rows, after: Rows, start: number): Promise<void> {
    const vault = this.#vault
    const end: ProcessEnd = this.#random() < 0.5 ? 'killed' : 'power'
    const answers = vault.calls.flatMap(({ answeredAt }) => answeredAt ?? [])
    const any = start + Math.floor(this.#random() * (vault.disk.moment - start + 1))
    const moment = answers.length > 0 && this.#random() < 0.6 ? this.#pickOne(answers) : any
    const { calls, changes } = vault
    this.trace.push(`the process ends (${end}) at ${moment - start} of ${vault.disk.moment - start}`)
    this.#closeReader()
    this.#keptPassphrases = null
    vault.endProcess(end, moment)
    await this.#openVault()
    const left = this.#readRows()
    // A commit that the disk did not confirm may be in the log, although its write failed.
    const isSure = !this.#wasFaulty && !this.#mayHaveUnseen
    if (isSure)
      this.problems.push(
        ...checkLeft({ before, after }, left, {
          moment,
          changes,
          uncertain: this.#uncertain,
        }),
      )
    vault.startWork()
    this.#rows = left
    this.#forgetUncertain()
    this.#ledger.addCalls(calls, moment)
    await this.#checkEverything(false)
  }

  async #checkEverything(isLast: boolean): Promise<void> {
    const vault = this.#vault
    vault.disk.setFault({})
    this.#faultySteps = 0
    await vault.process.passTime(1000)
    vault.calls = []
    vault.changes = []
    this.#rows = this.#readRows()
    this.problems.push(...(await this.#awaitAll(this.#ledger.checkVault(this.#rows))))
    if (isLast) {
      vault.network.isReliable = true
      this.problems.push(...(await this.#ledger.checkDelivered((promise) => this.#awaitAll(promise))))
    }
    this.#rows = this.#readRows()
  }
}
