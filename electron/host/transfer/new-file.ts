import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'

/**
 * Writes a new file that only its owner may read, and returns what `writeContent` returns. Until it is complete, the file is
 * called `<file>.part`. A killed process leaves that file behind, and the next write to the same name replaces it.
 * Throws `conflict` if the file exists, whatever `writeContent` throws, and errors of the file system.
 */
export async function writeNewFile<T>(
  file: string,
  writeContent: (writeText: (text: string) => void) => Promise<T>,
): Promise<T> {
  assertNewFile(file)
  const part = `${file}.part`
  let isStarted = false
  try {
    fs.rmSync(part, { force: true })
    const to = fs.openSync(part, 'wx', 0o600)
    isStarted = true
    let result: T
    try {
      result = await writeContent((text) => fs.writeFileSync(to, text))
      fs.fsyncSync(to)
    } finally {
      fs.closeSync(to)
    }
    fs.renameSync(part, file)
    return result
  } catch (error) {
    // Without this condition, if the path leads through a file, removing would fail too and hide the original error.
    if (isStarted) fs.rmSync(part, { force: true })
    throw error
  }
}

/** Throws `conflict` if the file exists. */
export function assertNewFile(file: string): void {
  if (fs.existsSync(file)) throw new CofferError('conflict', `${file} already exists. It was not changed.`)
}
