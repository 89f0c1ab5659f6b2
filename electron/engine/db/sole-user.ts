import { CofferError } from '../../../shared/errors.ts'
import { type Database, endWriteAheadLog } from './open.ts'

/** Long enough for another process to finish a short read. */
const READER_TIMEOUT_MS = 1000

/**
 * Throws `conflict` if another process has this database open. SECURITY: the lock files next to a vault can be
 * deleted, so this tries to lock the database file itself, on which every process that has it open holds a lock.
 */
export function assertSoleUser(db: Database): void {
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
