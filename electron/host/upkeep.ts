import { CofferError } from '../../shared/errors.ts'
import type { BackupSummary } from '../../shared/schemas/backup.ts'
import { backUp, type MadeBackup } from './back-up.ts'
import { listBackups } from './backups.ts'
import { isEphemeral } from './ephemeral.ts'
import type { Jobs } from './jobs.ts'
import type { OpenVault } from './vault.ts'
import { listVaults } from './vault-files.ts'

type Options = {
  readonly dataDir: string
  readonly now: () => number
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
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
    return jobs.run('backup', (watch) => backUp(vault, { dataDir, file, now: now() }, watch))
  }

  /** The backups kept for a vault's name, or for every vault that has a folder. */
  listBackups({ name }: { name?: string | undefined }): BackupSummary[] {
    const { dataDir } = this.#options
    const names = name === undefined ? listVaults(dataDir) : [name]
    return names.flatMap((each) => listBackups(dataDir, each))
  }

  #kept(): OpenVault {
    const vault = this.#options.vault()
    if (!vault) throw new CofferError('locked', 'The vault is locked. Unlock it and try again.')
    if (!isEphemeral(vault)) return vault
    throw new CofferError('invalid', 'A vault in memory has no files to keep. Make a vault that is kept.')
  }
}
