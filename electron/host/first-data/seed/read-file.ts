import fs from 'node:fs'
import path from 'node:path'
import { CofferError, invalid } from '../../../../shared/errors.ts'
import { systemReason } from '../../../engine/db/system-reason.ts'

/** Opens a file, relative to `folder`, to be closed by the caller. Throws `invalid` where it cannot be read. */
export function openedFile(file: string, folder: string): number {
  const full = path.resolve(folder, file)
  return reading(() => {
    // A pipe would be waited for.
    if (!fs.statSync(full).isFile()) throw invalid('file', 'must name a file')
    return fs.openSync(full, 'r')
  })
}

/** The code in a file. Throws `invalid` where it cannot be read or is not UTF-8. */
export function readCode(file: string, folder: string): string {
  const open = openedFile(file, folder)
  try {
    const bytes = reading(() => fs.readFileSync(open))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw invalid('file', 'must hold UTF-8 text')
    throw error
  } finally {
    fs.closeSync(open)
  }
}

/** Throws `invalid` for what the system refuses. */
export function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CofferError) throw error
    throw invalid('file', `cannot be read: ${systemReason(error)}`)
  }
}
