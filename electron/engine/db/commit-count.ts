import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import fs from 'node:fs'
import { endianness } from 'node:os'
import path from 'node:path'
import { readCommitCountRow, writeCommitCountRow } from './commit-count-row.ts'
import type { Database } from './open.ts'
import { toStorageError } from './storage-error.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The state of a database's commits, stored outside the database. Only commits that are on disk are counted. */
export type CommitCountState = {
  /** How often the file has been written: the slot with the higher number applies. */
  readonly sequence: number
  /** Identifies this count, in the file and in the database. */
  readonly id: Buffer
  /** All commits since the vault was first counted. */
  readonly total: number
  /** The minimum total in the database's row; 0 before there is a row. */
  readonly row: number
  /** Whether the database was closed with all commits in its file, so that there is no log. */
  readonly closed: boolean
  /** The generation of the log, as in `WriteAheadLog`; '' before the first commit after opening. */
  readonly generation: string
  readonly frames: number
  readonly commits: number
  /** How many of the frames are also in the database file. */
  readonly moved: number
}

const MAGIC = 'coffer commits 1'
const BODY = 96
const SLOT = 512
const SYNC_MS = 1000
/** Offsets in the index of the log (`-shm`), whose format SQLite documents. */
const INDEX = { changes: 8, frames: 16, salts: 32, moved: 96, length: 100 }
const READ_WORD = endianness() === 'LE' ? 'readUInt32LE' : 'readUInt32BE'

export const getCountFile = (database: string) => `${database}-commits`

/**
 * Reads the count that is stored next to `database` and sealed with `key`. Returns null if there is none, and `damaged`
 * if neither of its slots is intact. Throws `unavailable`.
 */
export function readCommitCount(database: string, key: KeyObject): CommitCountState | null | 'damaged' {
  const file = getCountFile(database)
  let content: Buffer
  try {
    content = fs.readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw toStorageError(error, file)
  }
  return findNewestSlot(content, key) ?? 'damaged'
}

function findNewestSlot(content: Buffer, key: KeyObject): CommitCountState | undefined {
  const slots = [0, SLOT].flatMap((at) => {
    const slot = content.subarray(at, at + BODY + 32)
    if (slot.length < BODY + 32) return []
    const isSealed = timingSafeEqual(computeSeal(slot.subarray(0, BODY), key), slot.subarray(BODY))
    return isSealed ? [decodeSlot(slot)] : []
  })
  return slots.sort((a, b) => b.sequence - a.sequence)[0]
}

/** Writes a count into its slot; the other slot retains the previous count. */
function writeSlot(descriptor: number, count: CommitCountState, key: KeyObject): void {
  const slot = encodeSlot(count, key)
  fs.writeSync(descriptor, slot, 0, slot.length, (count.sequence % 2) * SLOT)
}

/**
 * Also seals the stored count of a closed database under a second key, so that it can be read with whichever master
 * secret is valid after a change. Throws `unavailable`, `storage_full`.
 */
export function addCommitCountSeal(database: string, key: KeyObject, next: KeyObject): void {
  const count = readCommitCount(database, key)
  if (count === null || count === 'damaged') return
  writeCountFile(database, 'r+', (descriptor) =>
    writeSlot(descriptor, { ...count, sequence: count.sequence + 1 }, next),
  )
}

/** Restarts the count of a closed database, after its owner accepted a loss. Throws `unavailable`, `storage_full`. */
export function restartCommitCount(
  database: string,
  key: KeyObject,
  { id, total }: { readonly id: Buffer; readonly total: number },
): void {
  const fresh = {
    sequence: 0,
    id,
    total,
    row: 0,
    closed: false,
    generation: '',
    frames: 0,
    commits: 0,
    moved: 0,
  }
  writeCountFile(database, 'w', (descriptor) => writeSlot(descriptor, fresh, key))
}

function writeCountFile(database: string, flags: 'r+' | 'w', writeTo: (descriptor: number) => void): void {
  const file = getCountFile(database)
  try {
    const descriptor = fs.openSync(file, flags, 0o600)
    try {
      writeTo(descriptor)
      fs.fdatasyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch (error) {
    throw toStorageError(error, file)
  }
}

function encodeSlot(each: CommitCountState, key: KeyObject): Buffer {
  const slot = Buffer.alloc(BODY + 32)
  slot.write(MAGIC, 0, 'latin1')
  each.id.copy(slot, 16)
  for (const [index, value] of [each.sequence, each.total, each.row].entries()) {
    slot.writeBigUInt64BE(BigInt(value), 32 + 8 * index)
  }
  slot.writeUInt8(each.closed ? 1 : 0, 56)
  slot.write(each.generation, 60, 'hex')
  slot.writeUInt8(each.generation === '' ? 0 : 1, 57)
  for (const [index, value] of [each.frames, each.commits, each.moved].entries()) {
    slot.writeUInt32BE(value, 68 + 4 * index)
  }
  computeSeal(slot.subarray(0, BODY), key).copy(slot, BODY)
  return slot
}

function decodeSlot(slot: Buffer): CommitCountState {
  return {
    id: Buffer.from(slot.subarray(16, 32)),
    sequence: Number(slot.readBigUInt64BE(32)),
    total: Number(slot.readBigUInt64BE(40)),
    row: Number(slot.readBigUInt64BE(48)),
    closed: slot.readUInt8(56) === 1,
    generation: slot.readUInt8(57) === 1 ? slot.toString('hex', 60, 68) : '',
    frames: slot.readUInt32BE(68),
    commits: slot.readUInt32BE(72),
    moved: slot.readUInt32BE(76),
  }
}

function computeSeal(body: Buffer, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(body).digest()
}

/** Returns the total, including commits in the log that the count lacks: a power cut may leave the count behind. */
export function computeTotal(count: CommitCountState | null, log: WriteAheadLog | null): number {
  if (!count) return log?.commits ?? 0
  const already = log && log.generation === count.generation ? count.commits : 0
  return count.total + Math.max(0, (log?.commits ?? 0) - already)
}

function syncParentFolder(file: string): void {
  if (process.platform !== 'win32') syncPath(path.dirname(file), 'r')
}

function syncPath(file: string, flags: 'r' | 'r+'): void {
  const descriptor = fs.openSync(file, flags)
  try {
    fs.fdatasyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Whether all commits in the log are in the database file too. */
function isMoved({ frames, moved }: CommitCountState): boolean {
  return frames > 0 && moved === frames
}

const counts = new WeakMap<Database, CommitCount>()

/** Counts the commits of `db`, if it is counted. Call it after a commit, before the response. */
export function recordCommit(db: Database): void {
  counts.get(db)?.recordCommits()
}

/** Checkpoints the write-ahead log and empties it. */
export function emptyWriteAheadLog(db: Database): void {
  // Counted, and synced, in between: otherwise, after a crash, the count could require a log that no longer exists.
  counts.get(db)?.moveLog()
  db.pragma('wal_checkpoint(TRUNCATE)')
  // Otherwise, after a power cut, the old log could lie next to the count of an empty one, which would be refused.
  syncPath(`${db.name}-wal`, 'r+')
  recordCommit(db)
}

type CommitCountOptions = {
  readonly db: Database
  readonly key: KeyObject
  /** Null for a vault that has not been counted before. */
  readonly before: CommitCountState | null
  /** The write-ahead log as it was when the database was opened. */
  readonly log: WriteAheadLog | null
  readonly report: (error: unknown) => void
}

/**
 * The count of an open database. Each commit is counted after it is on disk and before its call is answered. So
 * the count is never ahead of the disk, and never lacks an answered commit when the process is killed.
 */
export class CommitCount {
  readonly #db: Database
  readonly #key: KeyObject
  readonly #report: (error: unknown) => void
  readonly #index = Buffer.alloc(INDEX.length)
  readonly #file: number
  #shared: number
  #changes: number
  #now: CommitCountState
  /** Whether the file lacks the current state. */
  #isBehind = false
  /** Whether a second hard link retains the log while the connection closes. */
  #isLogRetained = false
  #timer: NodeJS.Timeout | null = null
  #onCounted: ((log: { readonly frames: number; readonly moved: number }) => void) | null = null

  /** Starts counting: the count is on disk before the first commit. Throws `unavailable`, `storage_full`. */
  constructor({ db, key, before, log, report }: CommitCountOptions) {
    this.#db = db
    this.#key = key
    this.#report = report
    const inLog = { generation: log?.generation ?? '', frames: log?.frames ?? 0, commits: log?.commits ?? 0 }
    this.#now = {
      sequence: before?.sequence ?? 0,
      id: before?.id ?? randomBytes(16),
      total: computeTotal(before, log),
      row: before?.row ?? 0,
      closed: false,
      moved: 0,
      ...inLog,
    }
    const file = getCountFile(db.name)
    let descriptor: number | undefined
    try {
      const isNew = !fs.existsSync(file)
      descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
      this.#file = descriptor
      this.#writeState()
      fs.fdatasyncSync(descriptor)
      if (isNew) syncParentFolder(file)
      this.#shared = fs.openSync(`${db.name}-shm`, 'r')
      fs.readSync(this.#shared, this.#index, 0, INDEX.length, 0)
      this.#changes = this.#index[READ_WORD](INDEX.changes)
    } catch (error) {
      if (descriptor !== undefined) fs.closeSync(descriptor)
      throw toStorageError(error, file)
    }
    counts.set(db, this)
  }

  /** The total, and the id of the count. */
  get total(): { readonly id: string; readonly total: number } {
    return { id: this.#now.id.toString('hex'), total: this.#now.total }
  }

  /** Writes the row in the database. From then on, opening requires at least this total. Throws SQLite's error. */
  writeRow(at_close: boolean): void {
    this.recordCommits()
    const { id, total } = this.#now
    writeCommitCountRow(this.#db, { id, total: total + 1, at_close })
    this.recordCommits()
    const row = readCommitCountRow(this.#db)?.total ?? 0
    this.#now = { ...this.#now, row, total: Math.max(row, this.#now.total) }
    this.#writeState()
    this.#syncFile()
  }

  /** Counts new commits. Never throws, because the commit itself is on disk. */
  recordCommits(): void {
    try {
      if (this.#readIndex()) {
        this.#writeState()
        // The next commit begins the log again. If a power cut destroyed its first bytes, a count on disk that still
        // required the log would report lost commits.
        if (isMoved(this.#now)) this.#syncFile()
      }
      this.#onCounted?.(this.#now)
      this.#timer ??= setTimeout(() => this.#startSync(), SYNC_MS).unref()
    } catch (error) {
      this.#report(error)
    }
  }

  /** Calls `listener` with the length of the log whenever commits are counted. The listener must not throw. */
  onCounted(listener: (log: { readonly frames: number; readonly moved: number }) => void): void {
    this.#onCounted = listener
  }

  /** Writes the last row and checkpoints the log. Never throws: if that fails, the next start reads the log. */
  beforeClose(): void {
    try {
      this.writeRow(true)
    } catch (error) {
      this.#report(error)
    }
    try {
      this.moveLog()
    } catch (error) {
      this.#report(error)
    }
  }

  /**
   * Checkpoints the log and records that in the count. Only then may the log be deleted: if the count still required
   * it, the next start would be rejected. Throws `unavailable`, `storage_full`.
   */
  moveLog(): void {
    try {
      this.#db.pragma('wal_checkpoint(PASSIVE)')
      this.#readIndex()
      // Written even without a change, because an earlier attempt may have failed.
      this.#writeState()
      this.#syncFile()
    } catch (error) {
      throw toStorageError(error, getCountFile(this.#db.name))
    }
  }

  /** Continues counting in the new log after a change of journal mode. Throws `unavailable`, `storage_full`. */
  followNewLog(): void {
    const before = this.#shared
    try {
      this.#shared = fs.openSync(`${this.#db.name}-shm`, 'r')
      fs.closeSync(before)
      fs.readSync(this.#shared, this.#index, 0, INDEX.length, 0)
      this.#changes = this.#index[READ_WORD](INDEX.changes)
      this.#now = { ...this.#now, generation: '', frames: 0, commits: 0, moved: 0 }
      // Into both slots: the next two commits overwrite both before a sync, so a power cut can destroy the newer one.
      // The other must not require the old log.
      for (let slot = 0; slot < 2; slot++) {
        this.#writeState()
        this.#syncFile()
      }
    } catch (error) {
      throw toStorageError(error, getCountFile(this.#db.name))
    }
  }

  /**
   * Retains the log after the connection is closed if the count could not be written, because only the log then proves
   * at the next start that no commit is missing. Never throws.
   */
  retainLogIfBehind(): void {
    const log = `${this.#db.name}-wal`
    try {
      if (!this.#isBehind || !fs.existsSync(log)) return
      fs.rmSync(`${log}.left`, { force: true })
      fs.linkSync(log, `${log}.left`)
      this.#isLogRetained = true
    } catch (error) {
      this.#report(error)
    }
  }

  #restoreLog(): void {
    const log = `${this.#db.name}-wal`
    if (!this.#isLogRetained) return
    if (fs.existsSync(log)) fs.rmSync(`${log}.left`)
    else fs.renameSync(`${log}.left`, log)
  }

  /** Ends the count, after the connection was closed. If the files are lost, the last count stays as it was. */
  afterClose(isLost = false): void {
    try {
      if (this.#timer) clearTimeout(this.#timer)
      if (isLost) return
      this.#restoreLog()
      const log = `${this.#db.name}-wal`
      if (!fs.statSync(log, { throwIfNoEntry: false })?.size) {
        // Otherwise, after a power cut, the deleted log could lie next to a count without one, which would be refused.
        syncParentFolder(log)
        this.#now = { ...this.#now, closed: true, generation: '', frames: 0, commits: 0, moved: 0 }
        this.#writeState()
        this.#syncFile()
      }
    } catch (error) {
      this.#report(error)
    } finally {
      // SECURITY: closed only after the connection: closing any descriptor of this file drops SQLite's locks (POSIX).
      fs.closeSync(this.#shared)
      fs.closeSync(this.#file)
      counts.delete(this.#db)
    }
  }

  /** Reads the position of the log. Returns whether it changed. */
  #readIndex(): boolean {
    const index = this.#index
    if (fs.readSync(this.#shared, index, 0, INDEX.length, 0) < INDEX.length) return false
    const changes = index[READ_WORD](INDEX.changes)
    const generation = index.toString('hex', INDEX.salts, INDEX.salts + 8)
    const frames = index[READ_WORD](INDEX.frames)
    const moved = index[READ_WORD](INDEX.moved)
    const newCommits = (changes - this.#changes) >>> 0
    const before = this.#now
    if (newCommits === 0 && moved === before.moved && frames === before.frames) return false
    this.#changes = changes
    const isSame = generation === before.generation
    this.#now = {
      ...before,
      total: before.total + newCommits,
      generation,
      frames,
      commits: (isSame ? before.commits : 0) + newCommits,
      moved,
    }
    return true
  }

  #writeState(): void {
    const next = { ...this.#now, sequence: this.#now.sequence + 1 }
    this.#isBehind = true
    writeSlot(this.#file, next, this.#key)
    this.#isBehind = false
    this.#now = next
  }

  #syncFile(): void {
    fs.fdatasyncSync(this.#file)
  }

  #startSync(): void {
    this.#timer = null
    fs.fdatasync(this.#file, (error) => {
      if (error && error.code !== 'EBADF') this.#report(error)
    })
  }
}
