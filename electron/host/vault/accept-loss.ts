import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import {
  createLossError,
  findLoss,
  type PersistedTotal,
  restartCountAfterLoss,
  toStorageError,
} from '../../engine/index.ts'
import { syncFolder } from '../files/atomic-write.ts'
import type { VaultFiles } from '../files/vault-files.ts'
import { runInBackground } from '../jobs/background.ts'

type AcceptLossOptions = {
  readonly files: VaultFiles
  readonly master: Buffer
  readonly kept: PersistedTotal | undefined
  readonly commits: number
  readonly now: number
}

/**
 * Allows a vault to be opened without `commits` acknowledged commits, if exactly that many are missing. First copies
 * everything in its folder to a quarantine folder, whose path it returns. Throws `invalid` (nothing is missing),
 * `damaged` (another number is missing, or the remaining data is not sound), `storage_full`, `unavailable`. If it
 * throws, the vault's files are unchanged.
 */
export async function acceptLoss({ files, master, kept, commits, now }: AcceptLossOptions): Promise<string> {
  const { folder, database } = files
  const lossResult = findLoss({ database, master, kept })
  const { loss } = lossResult
  if (!loss) {
    throw new CofferError('invalid', 'No commit of this vault is missing. Open it without accepting a loss.')
  }
  if (loss.commits !== commits) throw createLossError(database, loss)
  const quarantineFolder = quarantineFiles(folder, now)
  const [log, left] = [`${database}-wal`, `${database}-wal.left`]
  try {
    if (loss.without_log) {
      fs.renameSync(log, left)
      fs.rmSync(`${database}-shm`, { force: true })
    }
    try {
      // An interrupted checkpoint may have copied only some pages of a commit into the database, so every page is
      // checked.
      await runInBackground('inspect', { database, master })
    } catch (error) {
      if (loss.without_log) fs.renameSync(left, log)
      throw new CofferError(
        'damaged',
        `Without the missing commits, ${database} is damaged, so it was not opened and its files were not changed. Restore a backup. A copy of everything is in ${quarantineFolder}.`,
        { cause: error },
      )
    }
    restartCountAfterLoss({ database, master, kept }, lossResult)
    fs.rmSync(left, { force: true })
    syncFolder(folder)
    return quarantineFolder
  } catch (error) {
    throw toStorageError(error, folder)
  }
}

/** Durably copies every file of a vault's folder into a new folder next to it. On failure the copy is removed. */
function quarantineFiles(folder: string, now: number): string {
  const time = formatIsoTime(now).replaceAll(/[:.]/g, '-')
  const quarantineFolder = `${folder}.aside-${time}`
  try {
    fs.mkdirSync(quarantineFolder, { mode: 0o700 })
  } catch (error) {
    throw toStorageError(error, quarantineFolder)
  }
  try {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isFile()) continue
      const copy = path.join(quarantineFolder, entry.name)
      fs.copyFileSync(path.join(folder, entry.name), copy, fs.constants.COPYFILE_EXCL)
      fs.chmodSync(copy, 0o600)
      const descriptor = fs.openSync(copy, 'r+')
      try {
        fs.fsyncSync(descriptor)
      } finally {
        fs.closeSync(descriptor)
      }
    }
    syncFolder(quarantineFolder)
    syncFolder(path.dirname(quarantineFolder))
    return quarantineFolder
  } catch (error) {
    fs.rmSync(quarantineFolder, { recursive: true, force: true })
    throw toStorageError(error, quarantineFolder)
  }
}
