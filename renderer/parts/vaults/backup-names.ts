/** The file's own name, on any system. */
export function fileNameOf(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
}

/** The name of the folder a file is in, which is that of its vault. */
export function folderNameOf(file: string): string {
  return fileNameOf(file.slice(0, -fileNameOf(file).length - 1))
}
