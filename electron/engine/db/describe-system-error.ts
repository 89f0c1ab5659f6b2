const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of its path is a file, not a folder',
  EROFS: 'the disk is read-only',
}

/** Returns the system's reason for an error as text, or its code if no text is known. */
export function describeSystemError(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code)
  return reasons[code] ?? `the system reports ${code}`
}
