/** The last segment of a path, for both Windows and POSIX separators. */
export function getFileName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
}

/** The name of the folder that holds a file. For a backup, that is the name of its vault. */
export function getFolderName(file: string): string {
  return getFileName(file.slice(0, -getFileName(file).length - 1))
}
