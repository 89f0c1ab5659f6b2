import fs from 'node:fs'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { MAX_SEALS, SEALS_DUE } from '../../../shared/seals.ts'
import { requireUnlocked } from '../../engine/index.ts'
import { readBackupHead } from '../backups/backup-file.ts'
import { listBackedUpVaults, listBackups } from '../backups/backup-folder.ts'
import { type Header, readHeader } from '../files/header.ts'
import { getVaultFiles, vaultExists } from '../files/vault-files.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { confirmOwner } from '../keys/confirm-owner.ts'
import type { Credential } from '../keys/credential.ts'
import { getSameProtection, type Protection } from '../keys/protection.ts'
import { newRecoveryKey } from '../keys/recovery-key.ts'
import { confirmOpenVaultOwner } from '../vault/confirm-open-vault-owner.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import { backUpOpenVault, type CreatedBackup } from './back-up.ts'
import { changeProtection, keepsRecoveryKey } from './change-protection.ts'
import { changeKeys, type PreparedKeyChange } from './key-change.ts'
import { renewRecoveryKey } from './renew-recovery-key.ts'
import { rotateDataKey } from './rotate-data-key.ts'
import { rotateMaster } from './rotate-master.ts'

type MaintenanceDeps = {
  readonly dataDir: string
  readonly now: () => number
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
  readonly onChange: () => void
}

/** A credential that opens the vault now, entered again. */
type ConfirmedInput = { readonly with: Credential }

/**
 * The maintenance tasks that the owner starts from the window, run as jobs of the host. They do the same as the
 * commands of the CLI.
 */
export class Maintenance {
  readonly #deps: MaintenanceDeps

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps
  }

  /** Backs up the open vault. Rejects with `locked`, `invalid` (an in-memory vault), and as `backUpOpenVault` does. */
  async backUp({ file }: { file?: string | undefined }): Promise<CreatedBackup> {
    const { dataDir, now, jobs } = this.#deps
    const vault = this.#requireStoredVault()
    return jobs.runJob('backup', (watch) => backUpOpenVault(vault, { dataDir, file, now: now() }, watch))
  }

  /** Lists the backups under a vault's name, or all of them, including those of deleted vaults. */
  listBackups({ name }: { name?: string | undefined }): BackupSummary[] {
    const { dataDir } = this.#deps
    const names = name === undefined ? listBackedUpVaults(dataDir) : [name]
    return names.flatMap((each) => listBackups(dataDir, each))
  }

  /** Rotates the data key of the open vault, or resumes an interrupted rotation. Rejects as the engine does. */
  async rotateDataKey(vault = this.#requireVault()): Promise<void> {
    await this.#deps.jobs.runJob('rotate data key', (watch) => rotateDataKey(vault, watch))
  }

  /**
   * Resumes, in the background, a rotation that was interrupted when the vault was last open, and rotates a data key
   * that has reached its limit of seals.
   */
  resumeRotation(vault: OpenVault): void {
    if (!vault.engine.lifecycle.isRotating && vault.engine.lifecycle.seals < MAX_SEALS) return
    // The rotation is tried again when the vault is next opened.
    this.rotateDataKey(vault).catch((error) => vault.incidents.reportError(error, 'resume'))
  }

  /**
   * Creates a recovery key that opens nothing yet: the owner saves it, and then a change of the master secret or the
   * protection puts it into use. `needed` says whether a change of protection requires one. Rejects as `confirmOwner`
   * does if a credential is given.
   */
  async draftRecoveryKey(input: {
    readonly with?: Credential | undefined
  }): Promise<{ recovery_key: string; needed: boolean }> {
    const vault = this.#requireStoredVault()
    if (input.with) await confirmOpenVaultOwner(vault, input.with)
    return { recovery_key: newRecoveryKey(), needed: !keepsRecoveryKey(vault) }
  }

  /**
   * Changes the master secret of the open vault without changing how it is protected. Rejects as the functions
   * `rotateMaster` and `confirmOwner` do, and with `invalid` if a passphrase protects the vault and the credential is
   * not a passphrase.
   */
  async rotateMaster({
    recovery_key,
    renew_fingerprints: fingerprints,
    ...input
  }: ConfirmedInput & { recovery_key: string; renew_fingerprints?: boolean | undefined }): Promise<void> {
    const vault = this.#requireStoredVault()
    const protection = await this.#confirmProtection(vault, input)
    await this.#deps.jobs.runJob('rotate master', (watch) =>
      rotateMaster(vault, protection, watch, recovery_key, { fingerprints }),
    )
  }

  getDataKey(): { seals: number; is_due: boolean } {
    const { seals } = this.#requireVault().engine.lifecycle
    return { seals, is_due: seals >= SEALS_DUE }
  }

  /**
   * Protects the open vault in another way, or with another passphrase, under a new master secret. Rejects as the
   * functions `changeProtection` and `confirmOwner` do.
   */
  async changeProtection({
    with: credential,
    ...change
  }: ConfirmedInput & { protection: Protection; recovery_key?: string | undefined }): Promise<void> {
    const vault = this.#requireStoredVault()
    await confirmOpenVaultOwner(vault, credential)
    await this.#deps.jobs.runJob('rotate master', (watch) => changeProtection(vault, change, watch))
    this.#deps.onChange()
  }

  /**
   * Applies a change of keys that a command sealed with the master secret of the open vault. Rejects as the function
   * `changeKeys` does.
   */
  async changeKeys(change: PreparedKeyChange): Promise<void> {
    const vault = this.#requireStoredVault()
    await this.#deps.jobs.runJob('rotate master', (watch) => changeKeys(vault, change, watch))
    this.#deps.onChange()
  }

  /** Gives the open vault another recovery key, under a new master secret. Rejects as `rotateMaster` does. */
  async newRecoveryKey({ recovery_key, ...input }: ConfirmedInput & { recovery_key: string }): Promise<void> {
    const vault = this.#requireStoredVault()
    const protection = await this.#confirmProtection(vault, input)
    await this.#deps.jobs.runJob('rotate master', (watch) =>
      renewRecoveryKey(vault, { recovery_key, protection }, watch),
    )
  }

  /**
   * Removes one of the backups in the data folder. The owner confirms with a credential of the backup's vault, or of the
   * backup itself if that vault no longer exists. Rejects with `not_found`, with `damaged` if the header that the
   * credential is checked against cannot be read, or as `confirmOwner` does.
   */
  async removeBackup({ file, with: credential }: ConfirmedInput & { file: string }): Promise<void> {
    const { dataDir } = this.#deps
    const names = listBackedUpVaults(dataDir)
    const name = names.find((each) => listBackups(dataDir, each).some((backup) => backup.file === file))
    // SECURITY: only a backup in the data folder can be removed, not any other file of this machine.
    if (name === undefined)
      throw new CofferError('not_found', 'This backup does not exist. It may have been deleted already.')
    await confirmOwner(findConfirmingHeader(dataDir, name, file), credential)
    fs.rmSync(file, { force: true })
  }

  /** Returns the vault's protection. To keep a passphrase, the owner must enter it. */
  async #confirmProtection(vault: OpenVault, { with: credential }: ConfirmedInput): Promise<Protection> {
    const header = readHeader(vault.files.header)
    await confirmOpenVaultOwner(vault, credential)
    return getSameProtection(header, () => {
      if ('passphrase' in credential) return credential.passphrase
      throw createInvalidError('with', 'must be the passphrase, because it still protects the vault')
    })
  }

  #requireVault(): OpenVault {
    return requireUnlocked(this.#deps.vault())
  }

  #requireStoredVault(): OpenVault {
    const vault = this.#requireVault()
    if (!isEphemeral(vault)) return vault
    throw new CofferError('invalid', 'This does not apply to an in-memory vault. Create a stored vault.')
  }
}

function findConfirmingHeader(dataDir: string, name: string, file: string): Header {
  const files = getVaultFiles(dataDir, name)
  const header = vaultExists(files) ? readHeader(files.header) : undefined
  let backupHeader: Header
  try {
    backupHeader = readBackupHead(file).header
  } catch (error) {
    // A damaged backup does not say which vault it is from, so the vault that its folder is named after is used.
    if (header) return header
    throw error
  }
  return header?.vault_id === backupHeader.vault_id ? header : backupHeader
}
