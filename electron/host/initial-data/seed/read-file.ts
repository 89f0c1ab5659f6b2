import fs from 'node:fs'
import path from 'node:path'
import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { describeSystemError } from '../../../engine/index.ts'

/** Opens a file, relative to `folder`. The caller closes it. Throws `invalid` if it cannot be read. */
export function openSeedFile(file: string, folder: string): number {
  const full = path.resolve(folder, file)
  return withReadErrors(() => {
    // Reading a pipe would block.
    if (!fs.statSync(full).isFile()) throw createInvalidError('file', 'must name a file')
    return fs.openSync(full, 'r')
  })
}

/** Reads a small file, relative to `folder`. Throws `invalid` if it cannot be read. */
export function readSeedFile(file: string, folder: string): Buffer {
  const open = openSeedFile(file, folder)
  try {
    return withReadErrors(() => fs.readFileSync(open))
  } finally {
    fs.closeSync(open)
  }
}

/** Reads the code in a file. Throws `invalid` if it cannot be read or is not UTF-8. */
export function readCode(file: string, folder: string): string {
  const bytes = readSeedFile(file, folder)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw createInvalidError('file', 'must hold UTF-8 text')
  }
}

/** Runs `read`. Throws `invalid` for an error of the system. */
export function withReadErrors<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CofferError) throw error
    throw createInvalidError('file', `cannot be read: ${describeSystemError(error)}`)
  }
}
