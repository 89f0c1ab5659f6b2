import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { deriveCountKey, deriveDatabaseKey } from '../crypto/keyring.ts'
import {
  type CommitCountState,
  computeTotal,
  readCommitCount,
  restartCommitCount,
} from '../db/commit-count.ts'
import { type CommitCountRow, readCommitCountRow } from '../db/commit-count-row.ts'
import { type CommitLoss, findCommitLoss, isForeign, type PersistedTotal } from '../db/lost-commits.ts'
import { openReadOnly } from '../db/open.ts'
import { removeCopy } from '../db/undo-journal.ts'
import { cutWriteAheadLog, readWriteAheadLog, type WriteAheadLog } from '../db/write-ahead-log.ts'

type FindLossOptions = {
  readonly database: string
  readonly master: Buffer
  readonly kept?: PersistedTotal | undefined
}

/** The files of a closed vault, and the commits that opening it would lose. */
export type ClosedVaultState = {
  readonly count: CommitCountState | null | 'damaged'
  readonly log: WriteAheadLog | null
  readonly row: CommitCountRow | undefined | null
  readonly loss: CommitLoss | null
}

/**
 * Finds confirmed commits that opening the vault would lose. Changes only the WAL index file (X-41, X-42). Throws
 * `not_found`, `unavailable`, and `damaged` if the database cannot be read and no loss explains why.
 */
export function findLoss({ database, master, kept }: FindLossOptions): ClosedVaultState {
  const count = readCommitCount(database, deriveCountKey(master))
  const log = readWriteAheadLog(`${database}-wal`)
  const key = deriveDatabaseKey(master)
  let row: CommitCountRow | undefined | null = null
  try {
    row = isForeign({ count, log }) ? readCountRowWithoutLog(database, key) : readCountRow(database, key)
  } catch (error) {
    // A damaged log also makes the database unreadable, so if the log shows a loss, the loss is returned instead.
    if (!findCommitLoss({ count, log, row, persistedTotal: kept })) throw error
  } finally {
    key.fill(0)
  }
  return { count, log, row, loss: findCommitLoss({ count, log, row, persistedTotal: kept }) }
}

function readCountRow(database: string, key: Buffer): CommitCountRow | undefined {
  const db = openReadOnly(database, key)
  try {
    return readCommitCountRow(db)
  } finally {
    db.close()
  }
}

/**
 * Reads the commit count without the log. SQLite finds the log by the name of the database file, so the file is opened
 * through a hard link with another name.
 */
function readCountRowWithoutLog(database: string, key: Buffer): CommitCountRow | undefined | null {
  const alone = `${database}.alone`
  try {
    fs.linkSync(database, alone)
  } catch {
    // Some file systems have no hard links. On these, only the log shows what would be lost.
    return null
  }
  try {
    return readCountRow(alone, key)
  } finally {
    removeCopy(alone)
  }
}

/** Returns the error for a vault that was not opened because it would lose commits. */
export function createLossError(database: string, loss: CommitLoss): CofferError {
  return new CofferError('damaged', `${database} was not opened. ${describeLoss(loss)}`, {
    lost_commits: loss.commits,
  })
}

/** Describes what opening the vault would lose, why, and what to do. */
export function describeLoss({ commits, exactness, reason }: CommitLoss): string {
  const many = `${commits} ${commits === 1 ? 'commit' : 'commits'}`
  const lost =
    commits > 0
      ? `Opening the vault would lose ${exactness === 'exactly' ? '' : `${exactness} `}${many} that had been confirmed.`
      : exactness === 'exactly'
        ? 'Opening the vault without the log would lose nothing.'
        : 'No lost commits are known.'
  return `${reason}. ${lost} Nothing was changed. Put back the original files of the vault, restore a backup, or open the vault without the missing commits.`
}

/**
 * Restarts the commit count after the owner has accepted a loss. First truncates the log to the frames that SQLite
 * can use, because the others would be reported as lost again. Throws `unavailable`, `storage_full`.
 */
export function restartCountAfterLoss(
  { database, master, kept }: FindLossOptions,
  { count, log, row }: ClosedVaultState,
): void {
  const sound = count === 'damaged' ? null : count
  const id = sound?.id ?? row?.id ?? Buffer.from(kept?.id ?? '', 'hex')
  const own = isForeign({ count, log }) ? null : log
  if (own && own.bad_frame !== null) cutWriteAheadLog(`${database}-wal`, own.frames)
  const total = Math.max(computeTotal(sound, own), row?.total ?? 0, kept?.total ?? 0)
  restartCommitCount(database, deriveCountKey(master), { id, total })
}
