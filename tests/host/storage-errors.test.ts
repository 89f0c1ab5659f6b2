import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  resolveDamageError,
  toCofferError,
  toReadError,
  toStorageError,
} from '../../electron/engine/db/storage-error.ts'
import { createTempFolder } from '../vault.ts'

test.each([
  ['SQLITE_FULL', 'storage_full', /disk is full/],
  ['ENOSPC', 'storage_full', /disk is full/],
  ['SQLITE_CORRUPT', 'damaged', /restore a backup/],
  ['SQLITE_CORRUPT_INDEX', 'damaged', /restore a backup/],
  ['SQLITE_NOTADB', 'damaged', /restore a backup/],
  ['SQLITE_IOERR_WRITE', 'unavailable', /Check the disk/],
  ['SQLITE_READONLY_DBMOVED', 'unavailable', /Check the disk/],
  ['SQLITE_CANTOPEN', 'unavailable', /Check the disk/],
  ['EIO', 'unavailable', /Check the disk/],
  ['EROFS', 'unavailable', /Check the disk/],
  ['', 'unavailable', /Check the disk/],
  ['EMFILE', 'unavailable', /Close some programs/],
  ['ENFILE', 'unavailable', /Close some programs/],
  ['SQLITE_ERROR', 'internal', /Something went wrong/],
])('X-25 the storage error %s gives the code %s and advice', (theirs, code, message) => {
  const error = toCofferError(Object.assign(new Error('near "4242424242424242": secret'), { code: theirs }))
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  expect(error.message).not.toContain('4242')
})

const createFailure = (code: string, more = {}) => Object.assign(new Error('secret'), { code, ...more })

test.each([
  createFailure('EIO', { syscall: 'read' }),
  createFailure('SQLITE_IOERR_READ'),
  createFailure('SQLITE_IOERR_CORRUPTFS'),
])('X-25 a failed read is reported as an unreadable disk: %o', (error) => {
  const { code, message } = toStorageError(error, 'vault.db')
  expect([code, message]).toEqual(['unavailable', expect.stringMatching(/^The disk could not be read/)])
  expect(message).not.toMatch(/damaged|secret/)
})

test.each([createFailure('SQLITE_CORRUPT'), createFailure('SQLITE_NOTADB')])(
  'X-25 an SQLite error means damage only if the disk can be read: %o',
  async (error) => {
    const file = path.join(createTempFolder(), "-it's")
    for (const there of [false, true]) {
      if (there) fs.writeFileSync(file, 'not a vault')
      expect((await resolveDamageError(toStorageError(error, file), file)).code).toBe('damaged')
    }
    if (process.platform !== 'linux') return
    // A file whose every read fails with EIO, as on a failing disk.
    const unreadable = await resolveDamageError(toStorageError(error, file), '/proc/self/mem')
    expect(unreadable).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The disk could not be read: \/proc\/self\/mem/),
    })
    fs.symlinkSync('/proc/self/mem', `${file}-wal`)
    expect((await resolveDamageError(toStorageError(error, file), file)).code).toBe('unavailable')
  },
)

test.runIf(process.platform === 'linux')(
  'X-71 if not even the first page can be read, the error is 503, not damaged',
  () => {
    const file = path.join(createTempFolder(), 'vault.db')
    fs.writeFileSync(file, 'readable')
    for (const code of ['SQLITE_CORRUPT', 'SQLITE_NOTADB']) {
      expect(toReadError(createFailure(code), file)).toMatchObject({ code: 'damaged', status: 500 })
      // A file whose every read fails with EIO, as on a failing disk.
      const refusal = toReadError(createFailure(code), '/proc/self/mem')
      expect(refusal).toMatchObject({ code: 'unavailable', status: 503 })
      expect(refusal.message).not.toContain('secret')
    }
    expect(toReadError(createFailure('SQLITE_ERROR'), '/proc/self/mem').code).toBe('internal')
  },
)
