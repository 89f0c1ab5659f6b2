import fs from 'node:fs'
import path from 'node:path'

const MAX_FILE_BYTES = 256 * 1024

/** The incident file of a data folder. */
export function getIncidentFile(dataDir: string): string {
  return path.join(dataDir, 'incidents.log')
}

/** Returns the file that a full incident file is renamed to, so there are never more than two files. */
function getOlderFile(file: string): string {
  return `${file}.1`
}

/**
 * Appends a line and returns whether it was written. Never throws, and creates no folder: failing to record an
 * incident must not become a failure itself.
 */
export function appendLine(file: string, line: string): boolean {
  try {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (size > 0 && size + line.length > MAX_FILE_BYTES) fs.renameSync(file, getOlderFile(file))
    const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = fs.constants
    // SECURITY: readable by the owner alone, and never written through a link.
    const to = fs.openSync(file, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
    try {
      const text = isTruncated(to) ? `\n${line}` : line
      // If the disk is full, only a part of the line is stored.
      return fs.writeSync(to, text) === Buffer.byteLength(text)
    } finally {
      fs.closeSync(to)
    }
  } catch {
    return false
  }
}

/** Whether the last line of a file is incomplete. A line appended to it would be lost too. */
function isTruncated(file: number): boolean {
  const last = Buffer.alloc(1)
  const { size } = fs.fstatSync(file)
  return size > 0 && fs.readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
}

/** Reads the lines of both files, oldest first. Empty if there is no file. Throws if one cannot be read. */
export function readIncidentLines(file: string): string[] {
  return [getOlderFile(file), file]
    .filter((each) => fs.existsSync(each))
    .flatMap((each) => fs.readFileSync(each, 'utf8').split('\n'))
    .filter((line) => line !== '')
}
