import { CofferError } from '../../../shared/errors.ts'
import { type Database, endWriteAheadLog } from './open.ts'

/** Long enough for a process that reads the vault to finish a short read. */
const READER_TIMEOUT_MS = 1000

/**
 * Throws `conflict` where another process has this database open. SECURITY: the lock files beside a vault can
 * be deleted; this asks for a lock on the database itself, which every process that has it open shares.
 */
export function assertSoleUser(db: Database): void {
  try {
    // SQLite leaves WAL mode only while nobody else has the file open.
    endWriteAheadLog(db, READER_TIMEOUT_MS)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'conflict') throw error
    throw new CofferError(
      'conflict',
      'The vault is open in another process, which may be a backup. Close it there first.',
      { cause: error },
    )
  }
  db.pragma('journal_mode = WAL')
  // Reading creates the new log.
  db.pragma('schema_version')
}
