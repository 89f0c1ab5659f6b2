import { CofferError, toCofferError } from '../../../shared/errors.ts'

/**
 * What an error of the file system or SQLite about `file` means to its owner and what to do: `damaged`,
 * `unavailable`, `conflict`, `storage_full`; a CofferError stays as it is.
 */
export function storageError(error: unknown, file: string): CofferError {
  if (error instanceof CofferError) return error
  const code = String((error as { code?: unknown } | null)?.code)
  const cause = { cause: error }
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
    return new CofferError('conflict', `${file} exists already. It was left as it is.`, cause)
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
      `${file} cannot be read or written: the system answers ${code}. Check the disk and the folder, then try again.`,
      cause,
    )
  }
  return toCofferError(error)
}
