import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { countKey } from '../../engine/crypto/keyring.ts'
import { sealCommitCountAlso } from '../../engine/db/commit-count.ts'
import { storageError, toCofferError } from '../../engine/db/storage-error.ts'
import { afterwards } from '../../engine/door/afterwards.ts'
import type { Report } from '../../engine/door/incident.ts'
import { locked } from '../../engine/door/locked.ts'
import { Engine, type Waiting } from '../../engine/engine.ts'
import type { Claim } from '../files/claim.ts'
import type { Header } from '../files/header.ts'
import type { filesIn } from '../files/vault-files.ts'
import { type Incidents, incidentsOf } from '../incidents/incidents.ts'
import type { Watch } from '../work/background.ts'
import { inTurn } from '../work/in-turn.ts'
import { FileWatch } from './file-watch.ts'
import { bringToSafety } from './lost-files.ts'
import type { MemorySandbox } from './memory-sandbox.ts'

type Parts = {
  readonly name: string
  readonly files: ReturnType<typeof filesIn>
  readonly engine: Engine
  readonly master: Buffer
  readonly claim: Claim
  /** Says that opening changed the file's format, and where the backup is. */
  readonly upgrade?: string | undefined
  /** For a vault that lives in memory. */
  readonly sandbox?: (vault: OpenVault) => MemorySandbox
  /** Runs last when the vault is locked. */
  readonly afterwards?: () => void
}

/** After a rescue failed, the next attempt waits this long. */
const RESCUE_AGAIN_MS = 5000

/** A vault that is open in this process. */
export class OpenVault {
  readonly name: string
  readonly files: ReturnType<typeof filesIn>
  /** Says that opening changed the file's format, and where the backup is. */
  readonly upgrade: string | undefined
  /** The controls for tests; null for a vault that is kept. */
  readonly sandbox: MemorySandbox | null
  /** Serializes long work on the keys or files of this vault. */
  readonly inTurn = inTurn()
  readonly #parts: Parts
  /** Called when the vault's files are lost, with sentences for its owner, and whether the vault is closed now. */
  onLost: (sentences: string, isClosed: boolean) => void = () => {}
  readonly #locked = new AbortController()
  readonly #watch: FileWatch | null
  #engine: Engine
  #rescueAfter = 0

  constructor(parts: Parts) {
    this.name = parts.name
    this.files = parts.files
    this.upgrade = parts.upgrade
    this.#engine = parts.engine
    this.#parts = parts
    this.sandbox = parts.sandbox?.(this) ?? null
    this.#watch = this.sandbox ? null : this.#watchFiles(parts)
    this.#hearLoss()
  }

  get engine(): Engine {
    return this.#engine
  }

  get isLocked(): boolean {
    return this.#locked.signal.aborted
  }

  /** Where to report internal errors; not in a file for an in-memory vault. */
  get incidents(): Incidents {
    return incidentsOf(this.sandbox ? null : path.dirname(this.files.folder))
  }

  /** Throws `locked` if the vault is locked. */
  assertOpen(): void {
    if (this.isLocked) throw locked()
  }

  /** The same watch, which locking the vault also aborts. */
  watched({ signal, onProgress }: Watch): Watch {
    return {
      onProgress,
      signal: signal ? AbortSignal.any([signal, this.#locked.signal]) : this.#locked.signal,
    }
  }

  /** Runs an action on the vault as a whole and logs how it ended (rule O-05). */
  async recorded<T>(
    operation: `vault.${string}`,
    act: () => T | Promise<T>,
    by: 'owner' | 'vault' = 'owner',
  ): Promise<T> {
    const started = performance.now()
    const record = (error?: CofferError) =>
      this.#engine.recordUpkeep(operation, by, error, performance.now() - started)
    try {
      const result = await act()
      record()
      return result
    } catch (error) {
      record(toCofferError(error))
      throw error
    }
  }

  /** Lends the master secret. SECURITY: never store or copy it; locking wipes it. */
  withMaster<T>(use: (master: Buffer) => T): T {
    return use(this.#parts.master)
  }

  /** Replaces the engine and closes the old one. Changes nothing where `open` throws. */
  replaceEngine(open: (master: Buffer) => Engine): void {
    this.assertOpen()
    const before = this.#engine
    // Waiting writes belong to the state that ends here: their records and changes go out before the new state's.
    before.drain()
    before.hold()
    try {
      this.#engine = open(this.#parts.master)
    } catch (error) {
      before.release()
      throw error
    }
    before.close()
  }

  /**
   * Reopens the vault under another master secret, which is copied, once `swap` has put its file in place; pending
   * calls are answered afterwards. On failure the old file and secret stay in use. If the file in place cannot be opened
   * at a second attempt either, the vault is locked.
   */
  changeMaster(next: Buffer, swap: () => void): void {
    const { files, master } = this.#parts
    const waiting = this.#engine.leave()
    let failure: CofferError | null = null
    try {
      // Whichever of the two a crash leaves in force must find the count.
      sealCommitCountAlso(files.database, countKey(master), countKey(next))
      swap()
      next.copy(master)
    } catch (error) {
      failure = storageError(error, files.database)
    }
    try {
      this.#engine = this.#succeed(waiting)
      this.#hearLoss()
    } catch (error) {
      failure ??= storageError(error, files.database)
      this.incidents.report(error, 'change of the master secret')
      for (const { reject } of waiting.queue) reject(failure)
      this.lock()
    }
    if (failure) throw failure
  }

  /** Opens the file that is in place. Tries twice, because the disk or a limit may have failed for a moment only. */
  #succeed(waiting: Waiting): Engine {
    const { files, master } = this.#parts
    try {
      return Engine.succeed(files.database, master, waiting)
    } catch (error) {
      this.incidents.report(error, 'change of the master secret')
      return Engine.succeed(files.database, master, waiting)
    }
  }

  /** Tells other processes where this one listens, or that it does not. */
  announce(url: string | undefined): void {
    this.#parts.claim.announce(url)
  }

  #watchFiles({ name, files, claim }: Parts): FileWatch {
    const { incidents } = this
    const onLost = (header: Header | null) => this.#rescue(header)
    return new FileWatch({ name, files, claim, incidents, engine: () => this.#engine, onLost })
  }

  /** What a call notices is looked at once it is answered. */
  #hearLoss(): void {
    this.#engine.onLost((loss) => {
      this.incidents.report(new Error(), `files ${loss}`)
      const report: Report = (error, where) => this.incidents.report(error, where)
      afterwards(report, 'files', () => this.#watch?.look())
    })
  }

  /** Brings a vault whose files are lost to safety, and locks it. Until that succeeds, its connection stays open. */
  #rescue(header: Header | null): void {
    if (this.isLocked || performance.now() < this.#rescueAfter) return
    const { name, files } = this
    try {
      if (!header) throw new CofferError('unavailable', `${files.header} could not be read before.`)
      const lost = { name, files, engine: this.#engine, header, now: Date.now() }
      const sentences = this.withMaster((master) => bringToSafety(lost, master))
      this.#lock()
      this.onLost(sentences, true)
    } catch (error) {
      this.incidents.report(error, 'rescue')
      this.#rescueAfter = performance.now() + RESCUE_AGAIN_MS
      const { message } = storageError(error, files.folder)
      this.onLost(
        `The files of the vault ${name} were removed or replaced while it was open, and could not be written again yet: ${message} Coffer tries again for as long as it runs. Do not stop it before that succeeds.`,
        false,
      )
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.lock()
  }

  /** Closes the engine, wipes the master secret and lets other processes open the vault. Safe to repeat. */
  lock(): void {
    // Nothing that was answered is lost because the files went away a moment ago.
    this.#rescueAfter = 0
    if (!this.isLocked) this.#watch?.look()
    this.#lock()
  }

  #lock(): void {
    if (this.isLocked) return
    this.#locked.abort()
    this.#watch?.stop()
    const { master, claim, afterwards } = this.#parts
    try {
      this.#engine.close()
    } finally {
      // SECURITY: even if closing fails, no key stays behind.
      master.fill(0)
      claim.release()
      afterwards?.()
    }
  }
}
