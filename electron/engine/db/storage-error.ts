import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { CofferError, toCofferError } from '../../../shared/errors.ts'
import { systemReason } from './system-reason.ts'

/**
 * Explains an error of the file system or SQLite about `file` to its owner: `damaged`, `unavailable`, `conflict`,
 * `storage_full`, each with what to do. A CofferError stays as it is.
 */
export function storageError(error: unknown, file: string): CofferError {
  if (error instanceof CofferError) return error
  return damageOrDisk(judge(error, file), file)
}

/** The same error, but `unavailable` where it says `damaged` and it is the disk that cannot read `file`. */
export function damageOrDisk(error: CofferError, file: string): CofferError {
  // SQLite takes what cannot be read for damage, and says the same of both.
  return error.code === 'damaged' && !isReadable(file) ? unreadable(file, error) : error
}

function judge(error: unknown, file: string): CofferError {
  const { code: given, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  const code = String(given)
  const cause = { cause: error }
  if ((code === 'EIO' && syscall === 'read') || /^SQLITE_IOERR_(READ|CORRUPTFS)$/.test(code)) {
    return unreadable(file, error)
  }
  if (code === 'SQLITE_NOTADB') {
    return new CofferError(
      'damaged',
      `${file} does not open with this key: it belongs to another vault or its first page is damaged. It was left as it is. Try the recovery key, or restore a backup.`,
      cause,
    )
  }
  if (code.startsWith('SQLITE_CORRUPT')) {
    return new CofferError(
      'damaged',
      `${file} is damaged: a page was altered or cut off. It was left as it is. Restore a backup.`,
      cause,
    )
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new CofferError('conflict', `${file} is in use by another program. Close that first.`, cause)
  }
  if (code === 'EEXIST') {
    return new CofferError('conflict', `${file} already exists. It was left as it is.`, cause)
  }
  if (code.startsWith('SQLITE_CANTOPEN')) {
    return new CofferError(
      'unavailable',
      `${file} cannot be opened. Make it and its folder readable and writable for you, close programs if too many files are open, then try again.`,
      cause,
    )
  }
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_PERM)/.test(code)) {
    return new CofferError(
      'unavailable',
      `${file} cannot be written. Make its folder and the files in it readable and writable for you, then try again.`,
      cause,
    )
  }
  if (code === 'ENOTDIR') {
    return new CofferError(
      'unavailable',
      `${file} cannot be reached: a file stands where a folder should be. Choose another place.`,
      cause,
    )
  }
  if (/^(EIO|ENOENT|EISDIR|ELOOP|ENAMETOOLONG|SQLITE_IOERR)/.test(code)) {
    return new CofferError(
      'unavailable',
      `${file} cannot be read or written: ${systemReason(error)}. Check the disk and the folder, then try again.`,
      cause,
    )
  }
  return toCofferError(error)
}

function unreadable(file: string, cause: unknown): CofferError {
  return new CofferError(
    'unavailable',
    `The disk could not be read: ${file}. The file was left as it is and may well be whole. Check the disk and how it is connected, then try again; if it stays so, restore a backup on another disk.`,
    { cause },
  )
}

/**
 * Whether the disk gives every byte of a database and its log. By a program of its own: this process would drop its
 * locks on the file by closing it (POSIX). Where there is no such program, as on Windows, what SQLite said holds.
 */
function isReadable(file: string): boolean {
  const files = [file, `${file}-wal`].filter((each) => fs.existsSync(each))
  if (files.length === 0) return true
  const { stderr } = spawnSync('cat', ['--', ...files], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  return !stderr?.includes('Input/output error')
}
