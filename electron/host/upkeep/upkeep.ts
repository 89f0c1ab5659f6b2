import { CofferError, invalid } from '../../../shared/errors.ts'
import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { unlocked } from '../../engine/door/locked.ts'
import { backedUpVaults, listBackups } from '../backups/backup-folder.ts'
import { readHeader } from '../files/header.ts'
import { masterOf } from '../keys/credential.ts'
import { changeProtection, type Protection } from '../keys/protection.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import type { Jobs } from '../work/jobs.ts'
import { backUpOpenVault, type MadeBackup } from './back-up.ts'
import { renewRecoveryKey } from './renew-recovery-key.ts'
import { rotateDataKey } from './rotate-data-key.ts'
import { rotateMaster } from './rotate-master.ts'
import { settledHeader } from './settled-header.ts'

type Options = {
  readonly dataDir: string
  readonly now: () => number
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
  /** Called when something in the host's status changed. */
  readonly changed: () => void
}

/** What the owner does for the open vault now and then: backups, keys. */
export class Upkeep {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Backs up the open vault. Rejects with `locked`, `invalid` (a vault in memory), and what `backUp` says. */
  async backUp({ file }: { file?: string | undefined }): Promise<MadeBackup> {
    const { dataDir, now, jobs } = this.#options
    const vault = this.#kept()
    return jobs.run('backup', (watch) => backUpOpenVault(vault, { dataDir, file, now: now() }, watch))
  }

  /** The backups kept for a vault's name, or all, also those of vaults that are gone. */
  listBackups({ name }: { name?: string | undefined }): BackupSummary[] {
    const { dataDir } = this.#options
    const names = name === undefined ? backedUpVaults(dataDir) : [name]
    return names.flatMap((each) => listBackups(dataDir, each))
  }

  /** Changes the data key of the open vault, or goes on with a change that was stopped. Rejects as the engine does. */
  async rotateDataKey(vault = this.#open()): Promise<void> {
    await this.#options.jobs.run('rotate data key', (watch) => rotateDataKey(vault, watch))
  }

  /** Resumes in the background what was stopped when the vault was last open. */
  resume(vault: OpenVault): void {
    if (!vault.engine.isRotating) return
    // The next opening of the vault tries again.
    this.rotateDataKey(vault).catch((error) => vault.incidents.report(error, 'resume'))
  }

  /**
   * Changes the master secret of the open vault, kept as before: `passphrase` is the vault's, where it has one. Rejects
   * also with `unauthenticated`, `rate_limited` (another passphrase).
   */
  async rotateMaster({ passphrase }: { passphrase?: string | undefined }): Promise<{ recovery_key: string }> {
    const vault = this.#kept()
    const header = readHeader(vault.files.header)
    let protection: Protection = { keychain: true }
    if (header.protection === 'passphrase') {
      if (passphrase === undefined) throw invalid('passphrase', 'is needed: the vault is kept by one')
      const master = await masterOf(header, { passphrase })
      master.fill(0)
      protection = { passphrase }
    }
    return this.#options.jobs.run('rotate master', (watch) => rotateMaster(vault, protection, watch))
  }

  /** Keeps the open vault another way, or with another passphrase. */
  async changeProtection({ protection }: { protection: Protection }): Promise<void> {
    const vault = this.#kept()
    const assertOpen = () => vault.assertOpen()
    const change = async () => {
      assertOpen()
      await settledHeader(vault)
      await vault.withMaster((master) => changeProtection(vault.files.header, master, protection, assertOpen))
    }
    await vault.inTurn(() => vault.recorded('vault.changeProtection', change))
    this.#options.changed()
  }

  /** A new recovery key for the open vault, to be shown once. */
  async newRecoveryKey(): Promise<{ recovery_key: string }> {
    return renewRecoveryKey(this.#kept())
  }

  #open(): OpenVault {
    return unlocked(this.#options.vault())
  }

  #kept(): OpenVault {
    const vault = this.#open()
    if (!isEphemeral(vault)) return vault
    throw new CofferError('invalid', 'A vault in memory has no files to keep. Make a vault that is kept.')
  }
}
