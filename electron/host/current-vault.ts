import { CofferError } from '../../shared/errors.ts'
import type { Engine, ReportIncident } from '../engine/index.ts'
import { createExclusiveRunner } from './jobs/run-exclusive.ts'
import type { OpenVault } from './vault/vault.ts'

type CurrentVaultDeps = {
  /** Starts the vault's own work, which ends when the vault is locked. */
  readonly start: (vault: OpenVault) => void
  /** Starts the automatic lock and the daily backups of this vault in place of another's; null stops them. */
  readonly watch: (vault: OpenVault | null) => void
  /** Run once a vault was taken over and the previous one is locked. If one throws, the others still run. */
  readonly afterAdoption: readonly ((vault: OpenVault) => void)[]
  /** Called before a lock. */
  readonly onLocking: () => void
  /** Called after a lock, with whether a vault was open. */
  readonly onLocked: (wasOpen: boolean) => void
  /** Called with sentences for the owner when the files of the open vault are lost; may repeat the same ones. */
  readonly onLost: (sentences: string, isNew: boolean) => void
  readonly onChange: () => void
  readonly report: ReportIncident
}

/** Takes over an opened vault; `then` says what to do if Coffer was locked in the meantime. */
type AdoptVault = (vault: OpenVault, then?: string) => void

/** The vault that is open in this process, if any. It is replaced as a whole or not at all. */
export class CurrentVault {
  readonly #deps: CurrentVaultDeps
  readonly #runExclusive = createExclusiveRunner()
  #vault: OpenVault | null = null
  /** The vault whose files were lost, until another vault is opened. The engine of a lost vault responds with 503. */
  #lost: { readonly engine: Engine; readonly notice: string } | null = null
  #lockCount = 0

  constructor(deps: CurrentVaultDeps) {
    this.#deps = deps
  }

  get vault(): OpenVault | null {
    return this.#vault
  }

  /** The engine of the open vault, or of the vault whose files were lost; null if there is neither. */
  get engine(): Engine | null {
    return this.#vault?.engine ?? this.#lost?.engine ?? null
  }

  /** Says that the files of the vault were lost. */
  get lossNotice(): string | null {
    return this.#lost?.notice ?? null
  }

  /**
   * Runs `open`, which may pass a vault to `adopt`, after other calls of this method have ended. SECURITY: if Coffer was
   * locked while the vault was being opened, `adopt` locks that vault too and throws `locked`.
   */
  replaceVault<T>(open: (adopt: AdoptVault) => Promise<T>): Promise<T> {
    const lockCount = this.#lockCount
    return this.#runExclusive(() =>
      open((vault, then = 'Unlock the vault again.') => {
        if (lockCount === this.#lockCount) return this.adoptVault(vault)
        vault.lock()
        throw new CofferError('locked', `Coffer was locked in the meantime. ${then}`)
      }),
    )
  }

  /**
   * Takes over an opened vault and locks the one before. If this throws, the new vault is locked and the one before is
   * still open.
   */
  adoptVault(vault: OpenVault): void {
    const before = this.#vault
    try {
      this.#deps.start(vault)
      this.#deps.watch(vault)
    } catch (error) {
      this.#runStep('lock', () => vault.lock())
      this.#keepVault(before)
      throw error
    }
    this.#vault = vault
    vault.onLost = (sentences, isClosed) => this.#onVaultLost(vault, sentences, isClosed)
    // From here on, a failure must not leave the new vault with only a part of what an open vault needs.
    this.#runStep('lock', () => before?.lock())
    // Only now, because that lock may find that the files of the vault before are lost.
    this.#lost = null
    for (const step of this.#deps.afterAdoption) this.#runStep('adopt', () => step(vault))
  }

  /** Drops the keys and closes the vault immediately. Safe to repeat. */
  lock(): void {
    this.#lockCount++
    this.#lockVault()
  }

  #lockVault(): void {
    const vault = this.#vault
    this.#vault = null
    this.#deps.watch(null)
    this.#deps.onLocking()
    try {
      vault?.lock()
    } finally {
      this.#deps.onLocked(vault !== null)
    }
  }

  /** Makes a vault that is still being opened be locked too, once it is open. */
  lockOpening(): void {
    this.#lockCount++
  }

  #keepVault(before: OpenVault | null): void {
    try {
      this.#deps.watch(before)
      this.#deps.onChange()
    } catch (error) {
      this.#deps.report(error, 'adopt')
      // SECURITY: no vault stays open without its automatic lock.
      this.#runStep('lock', () => this.lock())
    }
  }

  /**
   * Handles the loss of a vault's files: once the vault has closed itself, it is locked here too. Keeps its engine, so
   * that callers get the reason.
   */
  #onVaultLost(vault: OpenVault, sentences: string, isClosed: boolean): void {
    this.#deps.onLost(sentences, this.#lost?.notice !== sentences)
    this.#lost = { engine: vault.engine, notice: sentences }
    // Nobody asked for a lock, so a vault that is being opened meanwhile stays open.
    if (isClosed && this.#vault === vault) this.#lockVault()
    else this.#deps.onChange()
  }

  #runStep(where: string, step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#deps.report(error, where)
    }
  }
}
