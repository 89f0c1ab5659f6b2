import { CofferError } from '../../../shared/errors.ts'
import { createEmptyFile, type Database, openReadOnly } from './open.ts'
import { toStorageError } from './storage-error.ts'

/**
 * Copies the current state of the database in `file`, under the same key, to the new file `target`, while other
 * connections continue to read and write. Throws `conflict` (the target exists), `damaged`, `unavailable`,
 * `storage_full`.
 */
export function copyDatabaseFile(file: string, key: Buffer, target: string): void {
  const db = openReadOnly(file, key)
  try {
    copyOpenDatabase(db, target)
  } finally {
    db.close()
  }
}

/** Copies an open database, under the same key, to the new file `target`. Throws like `copyDatabaseFile`. */
export function copyOpenDatabase(db: Database, target: string): void {
  try {
    // SECURITY: if SQLite created the copy, other users could read it.
    createEmptyFile(target)
    // Unlike the original, the copy can then shrink.
    if (db.pragma('auto_vacuum', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL')
    // The driver's own backup() cannot copy an encrypted database, and serialize() returns it unencrypted.
    db.prepare('VACUUM INTO ?').run(target)
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code)
    throw toStorageError(error, /^SQLITE_(CORRUPT|NOTADB)/.test(code) ? db.name : target)
  }
}

/** Checks every page and reference of a database and returns its format number. Throws `damaged` if any is wrong. */
export function checkDatabase(file: string, key: Buffer): { format: number } {
  const db = openReadOnly(file, key)
  try {
    const integrity = db.pragma('integrity_check', { simple: true })
    const dangling = db.pragma('foreign_key_check') as unknown[]
    if (integrity !== 'ok' || dangling.length > 0) {
      throw new CofferError('damaged', `${file} is damaged: its integrity check failed. Restore a backup.`)
    }
    return { format: Number(db.pragma('user_version', { simple: true })) }
  } catch (error) {
    throw toStorageError(error, file)
  } finally {
    db.close()
  }
}
