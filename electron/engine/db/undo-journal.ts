import fs from 'node:fs'
import { openConnection } from './open.ts'
import { toStorageError } from './storage-error.ts'

const MAGIC = 'd9d505f920a163d7'
/** Offsets in a rollback journal. */
const AT = { records: 8, sector: 20, page: 24, length: 28 }

/**
 * Undoes a change of journal mode that a kill interrupted. SQLite then finds a rollback journal with the
 * previous first page, and rejects readers until a process that may write has restored it. Does nothing without
 * such a journal, or if the journal does not fit the file and the key, which is tested on a copy. Call it only
 * in the process that has locked the vault. Throws `unavailable`, `storage_full`.
 */
export function undoJournal(file: string, key: Buffer): void {
  const probe = `${file}.trial`
  try {
    if (!isHarmless(`${file}-journal`)) return
    // SQLite would treat files that an earlier kill left behind as parts of the copy.
    removeCopy(probe)
    try {
      copyStart(file, probe)
      fs.copyFileSync(`${file}-journal`, `${probe}-journal`)
      if (!canOpen(probe, key)) return
    } finally {
      removeCopy(probe)
    }
    canOpen(file, key)
  } catch (error) {
    throw toStorageError(error, file)
  }
}

/**
 * Whether a journal has only the first page. SECURITY: no other journal may change a vault's file. One without a magic
 * number, which a power cut can leave, changes nothing: SQLite only deletes it.
 */
function isHarmless(journal: string): boolean {
  const size = fs.statSync(journal, { throwIfNoEntry: false })?.size ?? 0
  if (size < AT.length) return false
  const start = Buffer.alloc(AT.length)
  const number = Buffer.alloc(4)
  const descriptor = fs.openSync(journal, 'r')
  try {
    fs.readSync(descriptor, start, 0, start.length, 0)
    fs.readSync(descriptor, number, 0, 4, start.readUInt32BE(AT.sector))
  } finally {
    fs.closeSync(descriptor)
  }
  const isIgnored = start.toString('hex', 0, 8) !== MAGIC
  const isOne = start.readUInt32BE(AT.records) === 1 && number.readUInt32BE() === 1
  const maxSize = start.readUInt32BE(AT.sector) + start.readUInt32BE(AT.page) + 8
  return (isIgnored || isOne) && size <= maxSize
}

/** Creates a sparse copy: same size, first page only. */
function copyStart(file: string, copy: string): void {
  const page = Buffer.alloc(64 * 1024)
  const from = fs.openSync(file, 'r')
  try {
    const to = fs.openSync(copy, 'w', 0o600)
    try {
      fs.writeSync(to, page, 0, fs.readSync(from, page, 0, page.length, 0), 0)
      fs.ftruncateSync(to, fs.fstatSync(from).size)
    } finally {
      fs.closeSync(to)
    }
  } finally {
    fs.closeSync(from)
  }
}

/** Removes a copy of a database with SQLite's files next to it, if it exists. Throws the system's error. */
export function removeCopy(copy: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) fs.rmSync(copy + end, { force: true })
}

function canOpen(file: string, key: Buffer): boolean {
  try {
    openConnection(file, key, (db) => db.pragma('schema_version')).close()
    return true
  } catch {
    return false
  }
}
