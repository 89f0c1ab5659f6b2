import { CofferError, invalid } from '../../../shared/errors.ts'
import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { MOST_SEALS, SEALS_DUE } from '../../../shared/seals.ts'
import { unlocked } from '../../engine/door/locked.ts'
import { backedUpVaults, listBackups } from '../backups/backup-folder.ts'
import { readHeader } from '../files/header.ts'
import { masterOf } from '../keys/credential.ts'
import { type Protection, sameProtection } from '../keys/protection.ts'
import { newRecoveryKey } from '../keys/recovery-key.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import type { Jobs } from '../work/jobs.ts'
import { backUpOpenVault, type MadeBackup } from './back-up.ts'
import { changeProtection, keepsRecoveryKey } from './change-protection.ts'
import { renewRecoveryKey } from './renew-recovery-key.ts'
import { rotateDataKey } from './rotate-data-key.ts'
import { rotateMaster } from './rotate-master.ts'

type Options = {
  readonly dataDir: string
  readonly now: () => number
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
  /** Called when something in the host's status changed. */
  readonly changed: () => void
}

type OwnPassphrase = { readonly passphrase?: string | undefined }

/** The maintenance the owner starts from the window: the same as on the command line, run here as jobs of the host. */
export class Upkeep {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Backs up the open vault. Rejects with `locked`, `invalid` (an in-memory vault), and as `backUpOpenVault` does. */
  async backUp({ file }: { file?: string | undefined }): Promise<MadeBackup> {
    const { dataDir, now, jobs } = this.#options
    const vault = this.#stored()
    return jobs.run('backup', (watch) => backUpOpenVault(vault, { dataDir, file, now: now() }, watch))
  }

  /** The backups under a vault's name, or all of them, including those of deleted vaults. */
  listBackups({ name }: { name?: string | undefined }): BackupSummary[] {
    const { dataDir } = this.#options
    const names = name === undefined ? backedUpVaults(dataDir) : [name]
    return names.flatMap((each) => listBackups(dataDir, each))
  }

  /** Changes the data key of the open vault, or resumes an interrupted change. Rejects as the engine does. */
  async rotateDataKey(vault = this.#open()): Promise<void> {
    await this.#options.jobs.run('rotate data key', (watch) => rotateDataKey(vault, watch))
  }

  /**
   * Resumes, in the background, work that was interrupted when the vault was last open, and changes a data key that has
   * sealed as much as it may.
   */
  resume(vault: OpenVault): void {
    if (!vault.engine.isRotating && vault.engine.seals < MOST_SEALS) return
    // The next opening tries again.
    this.rotateDataKey(vault).catch((error) => vault.incidents.report(error, 'resume'))
  }

  /**
   * A recovery key that opens nothing yet: the owner saves it, then it is given to one of the changes below. `needed`
   * says whether a change of protection takes one. Rejects as `rotateMaster` does where the passphrase is wrong.
   */
  async draftRecoveryKey(input: OwnPassphrase): Promise<{ recovery_key: string; needed: boolean }> {
    const vault = this.#stored()
    if (input.passphrase !== undefined) await this.#protectionOf(vault, input)
    return { recovery_key: newRecoveryKey(), needed: !keepsRecoveryKey(vault) }
  }

  /**
   * Changes the master secret of the open vault and keeps its protection: `passphrase` is the vault's, if it has one.
   * Also rejects with `unauthenticated`, `rate_limited` (a wrong passphrase).
   */
  async rotateMaster({
    recovery_key,
    renew_fingerprints: fingerprints,
    ...input
  }: OwnPassphrase & { recovery_key: string; renew_fingerprints?: boolean | undefined }): Promise<void> {
    const vault = this.#stored()
    const protection = await this.#protectionOf(vault, input)
    await this.#options.jobs.run('rotate master', (watch) =>
      rotateMaster(vault, protection, watch, recovery_key, { fingerprints }),
    )
  }

  /** How much the data key of the open vault has sealed. */
  dataKey(): { seals: number; is_due: boolean } {
    const { seals } = this.#open().engine
    return { seals, is_due: seals >= SEALS_DUE }
  }

  /** Protects the open vault another way, or with another passphrase, under a new master secret. */
  async changeProtection(change: {
    protection: Protection
    recovery_key?: string | undefined
  }): Promise<void> {
    const vault = this.#stored()
    await this.#options.jobs.run('rotate master', (watch) => changeProtection(vault, change, watch))
    this.#options.changed()
  }

  /** Gives the open vault another recovery key, under a new master secret. Rejects as `rotateMaster` does. */
  async newRecoveryKey({ recovery_key, ...input }: OwnPassphrase & { recovery_key: string }): Promise<void> {
    const vault = this.#stored()
    const protection = await this.#protectionOf(vault, input)
    await this.#options.jobs.run('rotate master', (watch) =>
      renewRecoveryKey(vault, { recovery_key, protection }, watch),
    )
  }

  /** The protection the vault has, from its own passphrase where that is what protects it. */
  #protectionOf(vault: OpenVault, { passphrase }: OwnPassphrase): Promise<Protection> {
    const header = readHeader(vault.files.header)
    return sameProtection(header, async () => {
      if (passphrase === undefined) throw invalid('passphrase', 'is required: it protects the vault')
      const master = await masterOf(header, { passphrase })
      master.fill(0)
      return passphrase
    })
  }

  #open(): OpenVault {
    return unlocked(this.#options.vault())
  }

  #stored(): OpenVault {
    const vault = this.#open()
    if (!isEphemeral(vault)) return vault
    throw new CofferError('invalid', 'This does not apply to a vault in memory. Create a vault that is kept.')
  }
}
