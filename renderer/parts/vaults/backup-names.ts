/** The file's own name, on any system. */
export function getFileName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
}

/** The name of the folder a file is in, which is that of its vault. */
export function getFolderName(file: string): string {
  return getFileName(file.slice(0, -getFileName(file).length - 1))
}
