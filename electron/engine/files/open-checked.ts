import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { deriveCountKey, deriveDatabaseKey, Keyring } from '../crypto/keyring.ts'
import { CommitCount, emptyWriteAheadLog, recordCommit } from '../db/commit-count.ts'
import type { PersistedTotal } from '../db/lost-commits.ts'
import { assertNotNewer, type MigrateOptions, migrateDatabase } from '../db/migrate.ts'
import { migrations } from '../db/migrations.ts'
import { type Database, endWriteAheadLog, openDatabase, openReadOnly } from '../db/open.ts'
import { removeCopy } from '../db/undo-journal.ts'
import { findTenantId } from '../resources/tenants/store.ts'
import { createLossError, findLoss } from './find-loss.ts'

/** Long enough for another process to finish a short read. */
const READER_TIMEOUT_MS = 1000

/**
 * Throws `conflict` if another process has this database open. SECURITY: the lock files next to a vault can be
 * deleted, so this tries to lock the database file itself, on which every process that has it open holds a lock.
 */
function assertSoleUser(db: Database): void {
  try {
    // SQLite leaves WAL mode only while nobody else has the file open.
    endWriteAheadLog(db, READER_TIMEOUT_MS)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'conflict') throw error
    throw new CofferError(
      'conflict',
      'The vault is open in another process, which may be a backup. Close it there, then try again.',
      { cause: error },
    )
  }
  db.pragma('journal_mode = WAL')
  // SQLite creates the new log on the first read.
  db.pragma('schema_version')
}

type OpenCheckedOptions = {
  readonly file: string
  readonly master: Buffer
  readonly kept?: PersistedTotal | undefined
  readonly migrating: MigrateOptions
  readonly report: (error: unknown) => void
}

/**
 * Opens a vault's file, migrates it to the newest format, starts counting its commits, and calls `use` with it. All
 * checks use a read-only connection that stays open until the end, so that SQLite does not checkpoint the log and a
 * rejected file, including its log, stays unchanged. Throws `not_found`, `unavailable`, `unprocessable` (from a
 * newer Coffer), `conflict` (open in another process, X-46), and `damaged` with the number of commits that opening
 * would lose.
 */
export function openChecked<T>(
  { file, master, kept, migrating, report }: OpenCheckedOptions,
  use: (db: Database, count: CommitCount) => T,
): T {
  const cleanUp = createIndexCleanup(file)
  const key = deriveDatabaseKey(master)
  let probe: Database | undefined
  let db: Database | undefined
  let count: CommitCount | undefined
  try {
    const state = findLoss({ database: file, master, kept })
    if (state.loss) throw createLossError(file, state.loss)
    probe = openReadOnly(file, key)
    assertNotNewer(probe, migrations)
    new Keyring(probe, master, findTenantId(probe))
    db = openDatabase(file, key, { create: false })
    const before = state.count === 'damaged' ? null : state.count
    count = new CommitCount({ db, key: deriveCountKey(master), before, log: state.log, report })
    // Unfinished frames from a power cut must not stay in the log ahead of new commits.
    if (state.log?.bad_frame) emptyWriteAheadLog(db)
    migrateDatabase(db, migrations, migrating)
    recordCommit(db)
    // The count must be stored before the log is removed.
    count.moveLog()
    probe.close()
    probe = undefined
    assertSoleUser(db)
    // An interrupted opening may have left copies that it tested.
    for (const end of ['.trial', '.alone']) removeCopy(file + end)
    count.followNewLog()
    count.writeRow(false)
    return use(db, count)
  } catch (error) {
    count?.retainLogIfBehind()
    db?.close()
    count?.afterClose()
    probe?.close()
    probe = undefined
    cleanUp()
    throw error
  } finally {
    probe?.close()
    key.fill(0)
  }
}

/**
 * Call this before reading a vault file, because reading leaves SQLite's index file and an empty log next to it. The
 * returned function deletes whichever of the two did not exist before. Only for the process that has locked the vault.
 */
export function createIndexCleanup(file: string): () => void {
  const [log, index] = [`${file}-wal`, `${file}-shm`]
  const absent = [log, index].filter((each) => !fs.existsSync(each))
  return () => {
    const isWritten = absent.includes(log) && Boolean(fs.statSync(log, { throwIfNoEntry: false })?.size)
    if (isWritten) return
    for (const each of absent) fs.rmSync(each, { force: true })
  }
}
