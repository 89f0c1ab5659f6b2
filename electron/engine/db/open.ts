import fs from 'node:fs'
import Driver from 'better-sqlite3'
import { CofferError } from '../../../shared/errors.ts'
import { storageError } from './storage-error.ts'

export type Database = Driver.Database

const PLAIN_HEADER = Buffer.from('SQLite format 3\0')
const HEX = Buffer.from('0123456789abcdef')

/**
 * Opens the encrypted database in `file` with 32 raw key bytes; `create` says whether it must be new or must exist.
 * Nothing that is there is ever overwritten. Throws `conflict` (it exists), `not_found`, `damaged` (plain, cut off,
 * altered or another key), `unavailable` (cannot be read or written), `storage_full`.
 */
export function openDatabase(file: string, key: Buffer, options: { create: boolean }): Database {
  if (key.length !== 32) throw new CofferError('internal', 'A database key has 32 bytes.')
  if (options.create) reserve(file)
  else refuseForeign(file)
  // SECURITY: never pass `verbose`: it would print the key.
  let db: Database | undefined
  try {
    const complete = options.create || !hasContent(`${file}-wal`)
    db = new Driver(file, { fileMustExist: true })
    unlock(db, key)
    if (!options.create) refuseIncomplete(db, file, complete)
    configure(db)
    refusePlain(file)
    return db
  } catch (error) {
    db?.close()
    if (options.create) for (const end of ['', '-wal', '-shm']) fs.rmSync(file + end, { force: true })
    throw storageError(error, file)
  }
}

/** Claims the name of a new database, readable by its owner only, before the driver can see it. */
function reserve(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    throw storageError(error, file)
  }
}

function refuseForeign(file: string): void {
  if (!fs.existsSync(file)) throw new CofferError('not_found', `There is no vault file ${file}.`)
  refusePlain(file)
}

/** SECURITY: a plain file in the vault's place is refused before it sees a key or a single write. */
function refusePlain(file: string): void {
  const head = Buffer.alloc(PLAIN_HEADER.length)
  try {
    const descriptor = fs.openSync(file, 'r')
    fs.readSync(descriptor, head)
    fs.closeSync(descriptor)
  } catch (error) {
    throw storageError(error, file)
  }
  if (!head.equals(PLAIN_HEADER)) return
  throw new CofferError(
    'damaged',
    `${file} is an unencrypted SQLite file, not a vault. It was left as it is. Move it away and put the vault file or a backup in its place.`,
  )
}

function unlock(db: Database, key: Buffer): void {
  db.pragma("cipher = 'aegis'")
  // SECURITY: a driver built without ciphers ignores keys without a word and would write plain text.
  if (db.pragma('cipher', { simple: true }) !== 'aegis') {
    throw new CofferError('internal', 'This build of SQLite does not encrypt. Install Coffer again.')
  }
  // SECURITY: spelled in a buffer, not in SQL: a string could not be wiped.
  const spelled = Buffer.alloc(4 + 2 * key.length, 'raw:')
  for (const [index, byte] of key.entries()) {
    spelled[4 + 2 * index] = HEX[byte >> 4] ?? 0
    spelled[5 + 2 * index] = HEX[byte & 15] ?? 0
  }
  const result = db.key(spelled)
  spelled.fill(0)
  if (result !== 0) throw new CofferError('internal', 'SQLite did not take the key of the vault.')
}

function configure(db: Database): void {
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 10000')
  db.pragma('synchronous = FULL')
  db.pragma('secure_delete = ON')
  db.pragma('temp_store = MEMORY')
  db.pragma('foreign_keys = ON')
  db.pragma('cache_size = -65536')
}

/** `complete` says that no write-ahead log held pages the file may still lack. */
function refuseIncomplete(db: Database, file: string, complete: boolean): void {
  const tables = db.prepare<[], { count: number }>('SELECT count(*) AS count FROM sqlite_schema').get()
  const pages = Number(db.pragma('page_count', { simple: true }))
  const size = pages * Number(db.pragma('page_size', { simple: true }))
  if (tables?.count !== 0 && !(complete && fs.statSync(file).size < size)) return
  throw new CofferError(
    'damaged',
    `${file} is cut off or lacks its write-ahead log (${file}-wal). It was left as it is. Put both files back together, or restore a backup.`,
  )
}

function hasContent(file: string): boolean {
  return (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
}
