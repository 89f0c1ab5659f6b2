import fs from 'node:fs'
import { CofferError, invalid } from '../../../shared/errors.ts'
import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { MOST_SEALS, SEALS_DUE } from '../../../shared/seals.ts'
import { unlocked } from '../../engine/door/locked.ts'
import { readBackupHead } from '../backups/backup-file.ts'
import { backedUpVaults, listBackups } from '../backups/backup-folder.ts'
import { type Header, readHeader } from '../files/header.ts'
import { vaultExists, vaultFiles } from '../files/vault-files.ts'
import { confirmOwner } from '../keys/confirm-owner.ts'
import type { Credential } from '../keys/credential.ts'
import { type Protection, sameProtection } from '../keys/protection.ts'
import { newRecoveryKey } from '../keys/recovery-key.ts'
import { confirmOwnerOf } from '../vault/confirm-owner-of.ts'
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

/** What opens the vault now, entered again. */
type Confirmed = { readonly with: Credential }

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
   * says whether a change of protection takes one. Rejects as `confirmOwner` does where a credential is given.
   */
  async draftRecoveryKey(input: {
    readonly with?: Credential | undefined
  }): Promise<{ recovery_key: string; needed: boolean }> {
    const vault = this.#stored()
    if (input.with) await confirmOwnerOf(vault, input.with)
    return { recovery_key: newRecoveryKey(), needed: !keepsRecoveryKey(vault) }
  }

  /**
   * Changes the master secret of the open vault and keeps its protection. Also rejects as `confirmOwner` does, and with
   * `invalid` for another credential than the passphrase that goes on protecting the vault.
   */
  async rotateMaster({
    recovery_key,
    renew_fingerprints: fingerprints,
    ...input
  }: Confirmed & { recovery_key: string; renew_fingerprints?: boolean | undefined }): Promise<void> {
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

  /**
   * Protects the open vault another way, or with another passphrase, under a new master secret. Also rejects as
   * `confirmOwner` does.
   */
  async changeProtection({
    with: credential,
    ...change
  }: Confirmed & { protection: Protection; recovery_key?: string | undefined }): Promise<void> {
    const vault = this.#stored()
    await confirmOwnerOf(vault, credential)
    await this.#options.jobs.run('rotate master', (watch) => changeProtection(vault, change, watch))
    this.#options.changed()
  }

  /** Gives the open vault another recovery key, under a new master secret. Rejects as `rotateMaster` does. */
  async newRecoveryKey({ recovery_key, ...input }: Confirmed & { recovery_key: string }): Promise<void> {
    const vault = this.#stored()
    const protection = await this.#protectionOf(vault, input)
    await this.#options.jobs.run('rotate master', (watch) =>
      renewRecoveryKey(vault, { recovery_key, protection }, watch),
    )
  }

  /**
   * Removes a backup that the data folder lists. What opens its vault confirms it, or what opens the backup where that
   * vault is gone. Rejects as `confirmOwner` does, with `not_found`, and with `damaged` where neither can be read.
   */
  async removeBackup({ file, with: credential }: Confirmed & { file: string }): Promise<void> {
    const { dataDir } = this.#options
    const names = backedUpVaults(dataDir)
    const name = names.find((each) => listBackups(dataDir, each).some((backup) => backup.file === file))
    // SECURITY: no other file of this machine can be removed.
    if (name === undefined)
      throw new CofferError('not_found', 'There is no such backup. It may be gone already.')
    await confirmOwner(confirmingHeader(dataDir, name, file), credential)
    fs.rmSync(file, { force: true })
  }

  /** The protection the vault has, which a passphrase is needed to keep. */
  async #protectionOf(vault: OpenVault, { with: credential }: Confirmed): Promise<Protection> {
    const header = readHeader(vault.files.header)
    await confirmOwnerOf(vault, credential)
    return sameProtection(header, () => {
      if ('passphrase' in credential) return credential.passphrase
      throw invalid('with', 'must be the passphrase, which goes on protecting the vault')
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

/** The header of the vault that a backup is of, or else that of the backup. */
function confirmingHeader(dataDir: string, name: string, file: string): Header {
  const files = vaultFiles(dataDir, name)
  const header = vaultExists(files) ? readHeader(files.header) : undefined
  let own: Header
  try {
    own = readBackupHead(file).header
  } catch (error) {
    // A damaged backup names no vault: the one of its folder counts.
    if (header) return header
    throw error
  }
  return header?.vault_id === own.vault_id ? header : own
}
