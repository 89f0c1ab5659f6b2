import fs from 'node:fs'
import path from 'node:path'
import { CofferError, createInternalError, type ErrorCode } from '../../../shared/errors.ts'
import { describeSystemError } from './describe-system-error.ts'

type ErrorMeaning = {
  /** Matches the error's code, followed by a space and the system call that failed. */
  readonly pattern: RegExp
  readonly code: ErrorCode
  /** The message that names the file. If absent, `running` is used. */
  readonly about?: (file: string, error: unknown) => string
  /** The message for callers of a running vault, who must not learn its path. If absent, the error is `internal`. */
  readonly running?: string
}

const DAMAGED_MESSAGE =
  'Part of the vault file cannot be read: it is damaged, or the disk is failing. Lock the vault and run coffer doctor --open to find out which. If it is damaged, restore a backup.'
const UNAVAILABLE_MESSAGE =
  'The vault file cannot be read or written. Nothing was lost. Check the disk, the folder and its permissions, then try again.'

/** The meaning of errors of the file system or SQLite; the first match applies. */
const meanings: readonly ErrorMeaning[] = [
  {
    pattern: /^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)\b/,
    code: 'storage_full',
    running: 'The disk is full; nothing was lost. Free some space and try again.',
  },
  {
    // The file is too short for a page that SQLite expects.
    pattern: /^SQLITE_IOERR_SHORT_READ/,
    code: 'damaged',
    about: (file) => `${file} or its write-ahead log was truncated. It was left as it is. Restore a backup.`,
    running: DAMAGED_MESSAGE,
  },
  {
    pattern: /^(EIO read$|SQLITE_IOERR_(READ|CORRUPTFS)\b)/,
    code: 'unavailable',
    about: describeUnreadable,
    running: UNAVAILABLE_MESSAGE,
  },
  {
    pattern: /^SQLITE_NOTADB/,
    code: 'damaged',
    about: (file) =>
      `${file} does not open with this key: it belongs to another vault or its first page is damaged. It was left as it is. Try the recovery key, or restore a backup.`,
    running: DAMAGED_MESSAGE,
  },
  {
    pattern: /^SQLITE_CORRUPT/,
    code: 'damaged',
    about: (file) =>
      `${file} is damaged: a page was altered or truncated. It was left as it is. Restore a backup.`,
    running: DAMAGED_MESSAGE,
  },
  {
    pattern: /^SQLITE_(BUSY|LOCKED)/,
    code: 'conflict',
    about: (file) => `${file} is in use by another program. Close that program first.`,
  },
  { pattern: /^EEXIST/, code: 'conflict', about: (file) => `${file} already exists. It was left as it is.` },
  {
    pattern: /^SQLITE_CANTOPEN/,
    code: 'unavailable',
    about: (file) =>
      `${file} cannot be opened. Make it and its folder readable and writable for you, close programs if too many files are open, then try again.`,
    running: UNAVAILABLE_MESSAGE,
  },
  {
    // There is a rollback journal, which only a process that may write can roll back.
    pattern: /^SQLITE_READONLY_ROLLBACK/,
    code: 'unavailable',
    about: (file) =>
      `Opening or closing ${file} was interrupted. It was left as it is. Open the vault once, which repairs it, then try again.`,
    running: UNAVAILABLE_MESSAGE,
  },
  {
    pattern: /^(EROFS|SQLITE_READONLY)/,
    code: 'unavailable',
    about: describeUnwritable,
    running: UNAVAILABLE_MESSAGE,
  },
  { pattern: /^(EACCES|EPERM|SQLITE_PERM)/, code: 'unavailable', about: describeUnwritable },
  {
    pattern: /^ENOTDIR/,
    code: 'unavailable',
    about: (file) =>
      `${file} cannot be reached: part of its path is a file, not a folder. Choose another path.`,
  },
  {
    pattern: /^(EIO|SQLITE_IOERR)/,
    code: 'unavailable',
    about: describeBroken,
    running: UNAVAILABLE_MESSAGE,
  },
  { pattern: /^(ENOENT|EISDIR|ELOOP|ENAMETOOLONG)/, code: 'unavailable', about: describeBroken },
  {
    pattern: /^(EMFILE|ENFILE)\b/,
    code: 'unavailable',
    running: 'Too many files are open on this system; nothing was lost. Close some programs and try again.',
  },
  {
    // Node sets an empty code on some errors that occur when a file is removed.
    pattern: /^( |$)/,
    code: 'unavailable',
    running: UNAVAILABLE_MESSAGE,
  },
]

/**
 * Converts an error of the file system or SQLite about `file` into one for its owner: `damaged`, `unavailable`,
 * `conflict` or `storage_full`, each with advice. A CofferError is returned unchanged.
 */
export function toStorageError(error: unknown, file: string): CofferError {
  if (error instanceof CofferError) return error
  const meaning = findMeaning(error)
  const message = meaning?.about?.(file, error) ?? meaning?.running
  if (!meaning || message === undefined) return createInternalError(error)
  return new CofferError(meaning.code, message, { cause: error })
}

/**
 * Converts anything thrown in a running vault into a CofferError that names no file: `storage_full`, `damaged`,
 * `unavailable`, or `internal` for anything unknown (rule ).
 */
export function toCofferError(error: unknown): CofferError {
  if (error instanceof CofferError) return error
  const meaning = findMeaning(error)
  if (meaning?.running === undefined) return createInternalError(error)
  return new CofferError(meaning.code, meaning.running, { cause: error })
}

/** Returns the error of a write that was committed but not confirmed: a power cut decides whether it stays. */
export function createUnconfirmedError(cause: unknown): CofferError {
  const message =
    'The disk did not confirm this write, so it may or may not be stored. Check the disk, and look for your change before you try again.'
  return new CofferError('unavailable', message, { cause })
}

/** Returns the error of a failed commit: if its sync failed, its writes may be stored all the same. */
export function toCommitError(error: unknown): unknown {
  const isUnconfirmed = error instanceof Error && 'code' in error && error.code === 'SQLITE_IOERR_FSYNC'
  return isUnconfirmed ? createUnconfirmedError(error) : error
}

/** Returns the disk or file system error that caused a rejection; null for any other rejection. */
export function findDiskCause(rejection: CofferError): unknown {
  if (rejection.code !== 'storage_full' && rejection.code !== 'unavailable') return null
  let root: unknown = rejection
  while (root instanceof CofferError) root = root.cause
  return findMeaning(root) ? root : null
}

/** A disk with less free space counts as full, once it has rejected a write. */
const MIN_FREE_BYTES = 256 * 1024

/**
 * Whether the disk of a file has space for any usual write. A successful small write does not prove that, because it
 * may fit into blocks that the file already has. True if the system does not report free space.
 */
export function hasFreeSpace(file: string): boolean {
  try {
    const { blocks, bfree, bavail, bsize } = fs.statfsSync(path.dirname(file))
    // `bfree` includes the blocks reserved for root.
    const free = process.getuid?.() === 0 ? bfree : bavail
    return blocks === 0 || free * bsize >= MIN_FREE_BYTES
  } catch {
    return true
  }
}

/**
 * Converts an error while reading the open database `file`, like `toCofferError`. If the disk cannot read the first
 * page either, which SQLite reports as damage, returns `unavailable` instead of `damaged` (case X-71). Reads that page
 * in another process, which takes some milliseconds, so the result is cached for a second.
 */
export function toReadError(error: unknown, file: string): CofferError {
  const rejection = toCofferError(error)
  if (rejection.code !== 'damaged' || isFirstPageReadable(file)) return rejection
  return new CofferError('unavailable', UNAVAILABLE_MESSAGE, { cause: rejection.cause })
}

const REREAD_INTERVAL_MS = 1000
const PAGE_BYTES = '4096'
const lastReads = new Map<string, { readonly at: number; readonly isReadable: boolean }>()

function isFirstPageReadable(file: string): boolean {
  const now = performance.now()
  const last = lastReads.get(file)
  if (last && now - last.at < REREAD_INTERVAL_MS) return last.isReadable
  // Loaded on demand, because it would slow down every start.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { stderr } = spawnSync('head', ['-c', PAGE_BYTES, '--', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    encoding: 'utf8',
    timeout: REREAD_INTERVAL_MS,
  })
  // Without `head`, as on Windows, SQLite's error is returned.
  const isReadable = !stderr?.includes(IO_ERROR)
  lastReads.set(file, { at: now, isReadable })
  return isReadable
}

/**
 * Returns the error, or `unavailable` instead of `damaged` if the disk cannot read `file`. Reads the whole file
 * in another process, so call it only after opening or checking a vault has failed.
 */
export async function resolveDamageError(error: CofferError, file: string): Promise<CofferError> {
  // SQLite reports an unreadable file as a damaged one.
  if (error.code !== 'damaged' || (await isReadable(file))) return error
  return new CofferError('unavailable', describeUnreadable(file), { cause: error })
}

function findMeaning(error: unknown): ErrorMeaning | undefined {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  const codeAndCall = syscall === undefined ? String(code) : `${code} ${syscall}`
  return meanings.find(({ pattern }) => pattern.test(codeAndCall))
}

function describeUnreadable(file: string): string {
  return `The disk could not be read: ${file}. The file was left as it is and may be intact. Check the disk and its connection, then try again; if that fails, restore a backup on another disk.`
}

function describeUnwritable(file: string): string {
  return `${file} cannot be written. Make its folder and the files in it readable and writable for you, then try again.`
}

function describeBroken(file: string, error: unknown): string {
  return `${file} cannot be read or written: ${describeSystemError(error)}. Check the disk and the folder, then try again.`
}

const IO_ERROR = 'Input/output error'

/** A failing disk may take minutes. After this timeout, SQLite's error is returned. */
const READ_CHECK_TIMEOUT_MS = 60_000

/**
 * Whether every byte of a database and its write-ahead log can be read. Another program reads them, because closing the
 * file would drop this process's locks on it (POSIX). Without that program, as on Windows, SQLite's error is returned.
 */
async function isReadable(file: string): Promise<boolean> {
  const files = [file, `${file}-wal`].filter((each) => fs.existsSync(each))
  if (files.length === 0) return true
  const { spawn } = await import('node:child_process')
  const cat = spawn('cat', ['--', ...files], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    timeout: READ_CHECK_TIMEOUT_MS,
  })
  let stderr = ''
  cat.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => {
    cat.on('error', () => resolve(true))
    cat.on('close', () => resolve(!stderr.includes(IO_ERROR)))
  })
}
