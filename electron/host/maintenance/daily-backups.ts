import type { HostSettings } from '../../../shared/host/settings.ts'
import { toCofferError } from '../../engine/index.ts'
import { isBackupDue, listBackups, pruneDailyBackups } from '../backups/backup-folder.ts'
import { readHeader } from '../files/header.ts'
import type { OpenVault } from '../vault/vault.ts'
import { backUpOpenVault } from './back-up.ts'

const FIRST_DELAY_MS = 10_000
const CHECK_INTERVAL_MS = 15 * 60 * 1000

type DailyBackupsDeps = {
  readonly dataDir: string
  readonly now: () => number
  readonly settings: () => Pick<HostSettings, 'backup_daily' | 'backups_kept'>
  /** Called with the reason when a backup fails. The backup is retried later. */
  readonly onProblem: (message: string) => void
}

/** Backs up the open vault once a day and keeps as many backups as the settings say. */
export class DailyBackups {
  readonly #deps: DailyBackupsDeps
  #timers: NodeJS.Timeout[] = []

  constructor(deps: DailyBackupsDeps) {
    this.#deps = deps
  }

  start(vault: OpenVault): void {
    this.stop()
    const checkDue = () => void this.backUpIfDue(vault)
    this.#timers = [
      setTimeout(checkDue, FIRST_DELAY_MS).unref(),
      setInterval(checkDue, CHECK_INTERVAL_MS).unref(),
    ]
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
  }

  async backUpIfDue(vault: OpenVault): Promise<void> {
    const { dataDir, now, settings, onProblem } = this.#deps
    const { backup_daily, backups_kept } = settings()
    if (!backup_daily || vault.isLocked) return
    try {
      const header = readHeader(vault.files.header)
      const at = now()
      if (!isBackupDue(listBackups(dataDir, vault.name), header, at)) return
      await backUpOpenVault(vault, { dataDir, reason: 'daily', now: at })
      // SECURITY: a wrong clock must not delete anything permanently (case X-45).
      if (vault.isLocked || vault.engine.clock.isFarAhead) return
      pruneDailyBackups(dataDir, vault.name, { vault_id: header.vault_id, keepCount: backups_kept, now: at })
    } catch (error) {
      vault.incidents.reportError(error, 'daily backup')
      if (!vault.isLocked) onProblem(`The daily backup failed. ${toCofferError(error).message}`)
    }
  }
}
