import fs from 'node:fs'
import Driver from 'better-sqlite3'
import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from './storage-error.ts'

export type Database = Driver.Database

const HEX = Buffer.from('0123456789abcdef')

/**
 * Opens the encrypted database in `file` with 32 raw key bytes; `create` says whether the file must be new or must
 * exist. `durable: false`, for a file that does not outlive the process, never waits for the disk. Never overwrites an
 * existing file. Throws `conflict` (it exists), `not_found`, `damaged` (unencrypted, truncated, altered, or another
 * key), `unavailable` (cannot be read or written), `storage_full`.
 */
export function openDatabase(
  file: string,
  key: Buffer,
  { create, durable = true }: { create: boolean; durable?: boolean },
): Database {
  if (key.length !== 32) throw new CofferError('internal', 'A database key has 32 bytes.')
  if (!create) return openExisting(file, key, { tables: 1, durable })
  createEmptyFile(file)
  try {
    openConnection(file, key, (db) => {
      if (!durable) db.pragma('synchronous = OFF')
      // This takes effect immediately only in a file without pages.
      db.pragma('auto_vacuum = INCREMENTAL')
      // WAL mode writes the first page, so reopening the file proves that it is encrypted.
      db.pragma('journal_mode = WAL')
    }).close()
    return openExisting(file, key, { tables: 0, durable })
  } catch (error) {
    for (const end of ['', '-wal', '-shm']) fs.rmSync(file + end, { force: true })
    throw error
  }
}

/** Returns the version of SQLite. */
export function readSqliteVersion(): string {
  const db = new Driver(':memory:')
  try {
    return String(db.prepare('SELECT sqlite_version()').pluck().get())
  } finally {
    db.close()
  }
}

/** Opens an existing database read-only while another connection may write to it. Throws like `openDatabase`. */
export function openReadOnly(file: string, key: Buffer): Database {
  requireNonEmptyFile(file)
  assertEncrypted(file)
  return openConnection(file, key, (db) => db.pragma('schema_version'), { readonly: true })
}

/** A file with fewer tables than `tables` has lost the write-ahead log that created them. */
function openExisting(
  file: string,
  key: Buffer,
  { tables, durable }: { tables: number; durable: boolean },
): Database {
  const size = requireNonEmptyFile(file)
  assertEncrypted(file)
  const complete = !readFileSize(`${file}-wal`)
  return openConnection(file, key, (db) => {
    const pages = Number(db.pragma('page_count', { simple: true }))
    const pageSize = Number(db.pragma('page_size', { simple: true }))
    // With a write-ahead log next to it, the file itself may still lack pages.
    if (complete && size < pages * pageSize) throw createIncompleteError(file)
    if (Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()) < tables)
      throw createIncompleteError(file)
    configureConnection(db, durable)
    // SQLite opens a write-protected file without an error, and reports one only on the first write.
    db.exec('BEGIN; CREATE TABLE attempt (at INTEGER) STRICT; ROLLBACK')
  })
}

/**
 * Creates the empty file of a new database, readable only by its owner, so that the driver does not create it with
 * other permissions. Throws `conflict`, `unavailable`.
 */
export function createEmptyFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    throw toStorageError(error, file)
  }
}

/** Opens a connection, applies the key and calls `prepare`. Throws like `openDatabase`. */
export function openConnection(
  file: string,
  key: Buffer,
  prepare: (db: Database) => void,
  options: { readonly?: true } = {},
): Database {
  let db: Database | undefined
  try {
    // SECURITY: never pass `verbose`: it would print the statements that touch secrets.
    db = new Driver(file, { fileMustExist: true, ...options })
    applyKey(db, key)
    prepare(db)
    return db
  } catch (error) {
    db?.close()
    throw toStorageError(error, file)
  }
}

/**
 * SECURITY: rejects an unencrypted file in the vault's place before a key or a write reaches it. SQLite does the
 * check instead of this process, because closing a file drops every lock that the process has on it (POSIX).
 */
export function assertEncrypted(file: string): void {
  let db: Database | undefined
  try {
    db = new Driver(file, { readonly: true, fileMustExist: true })
    db.pragma('schema_version')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SQLITE_NOTADB') return
    throw toStorageError(error, file)
  } finally {
    db?.close()
  }
  throw new CofferError(
    'damaged',
    `${file} is an unencrypted SQLite file, not a vault. It was left as it is. Move it away, and restore the vault file or a backup in its place.`,
  )
}

/**
 * Checkpoints the write-ahead log and leaves WAL mode, so that the file can be replaced. Waits at most `timeoutMs` ms
 * for other connections to be closed. Throws `conflict` if one is still open.
 */
export function endWriteAheadLog(db: Database, timeoutMs = 0): void {
  db.pragma(`busy_timeout = ${timeoutMs}`)
  try {
    if (db.pragma('journal_mode = DELETE', { simple: true }) === 'delete') return
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
  } finally {
    db.pragma('busy_timeout = 5000')
  }
  throw new CofferError(
    'conflict',
    'Another process is reading this vault, perhaps to back it up. Try again later.',
  )
}

/** The largest file that is rewritten when opened: SQLite builds the new one in memory. */
const MAX_REWRITE_BYTES = 256 * 1024 * 1024

/**
 * Rewrites a file of an older version once, so that it can shrink after large deletions. Does nothing if the file can
 * shrink already or is large; copies by `copyDatabaseFile` can always shrink. SECURITY: without `temp_store = MEMORY`,
 * the rewriting would use temporary files, which would not be encrypted.
 */
export function enableShrinking(db: Database): void {
  if (db.pragma('auto_vacuum', { simple: true }) !== 0) return
  const pages = Number(db.pragma('page_count', { simple: true }))
  if (pages * Number(db.pragma('page_size', { simple: true })) > MAX_REWRITE_BYTES) return
  db.pragma('auto_vacuum = INCREMENTAL')
  db.exec('VACUUM')
}

/** Re-encrypts, under another key, a database that nobody else has open. Not crash-safe: use it on copies only. */
export function rekeyDatabase(db: Database, key: Buffer): void {
  db.pragma('journal_mode = DELETE')
  if (withKeyLiteral(key, (keyLiteral) => db.rekey(keyLiteral)) !== 0) {
    throw new CofferError('internal', 'SQLite did not accept the new key of the vault.')
  }
}

function applyKey(db: Database, key: Buffer): void {
  db.pragma("cipher = 'aegis'")
  // SECURITY: a driver built without ciphers silently ignores keys and would write plaintext.
  if (db.pragma('cipher', { simple: true }) !== 'aegis') {
    throw new CofferError('internal', 'This build of SQLite does not encrypt. Install Coffer again.')
  }
  if (withKeyLiteral(key, (keyLiteral) => db.key(keyLiteral)) !== 0) {
    throw new CofferError('internal', 'SQLite did not accept the key of the vault.')
  }
}

/** SECURITY: the key is passed in a buffer, not in SQL: a string could not be wiped. */
function withKeyLiteral(key: Buffer, use: (keyLiteral: Buffer) => number): number {
  const keyLiteral = Buffer.alloc(4 + 2 * key.length, 'raw:')
  for (const [index, byte] of key.entries()) {
    keyLiteral[4 + 2 * index] = HEX[byte >> 4] ?? 0
    keyLiteral[5 + 2 * index] = HEX[byte & 15] ?? 0
  }
  try {
    return use(keyLiteral)
  } finally {
    keyLiteral.fill(0)
  }
}

function configureConnection(db: Database, durable: boolean): void {
  // Set before the journal mode, because changing that mode would otherwise wait for the disk too.
  db.pragma(`synchronous = ${durable ? 'FULL' : 'OFF'}`)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 12000')
  db.pragma('secure_delete = ON')
  db.pragma('temp_store = MEMORY')
  db.pragma('foreign_keys = ON')
  db.pragma('cache_size = -16384')
}

function readFileSize(file: string): number | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.size
  } catch (error) {
    throw toStorageError(error, file)
  }
}

/** SECURITY: SQLite removes the log next to an empty file, so SQLite must never open an empty file. */
function requireNonEmptyFile(file: string): number {
  const size = readFileSize(file)
  if (size === undefined)
    throw new CofferError('not_found', `There is no vault file ${file}. Put it back, or restore a backup.`)
  if (size === 0) throw createIncompleteError(file)
  return size
}

function createIncompleteError(file: string): CofferError {
  return new CofferError(
    'damaged',
    `${file} is truncated or lacks its write-ahead log (${file}-wal). It was left as it is. Put both files back, or restore a backup.`,
  )
}
