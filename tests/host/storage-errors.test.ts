import { expect, test } from 'vitest'
import { toCofferError } from '../../shared/errors.ts'

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
])('X-25 %s under a running vault is answered as %s and says what to do', (theirs, code, message) => {
  const error = toCofferError(Object.assign(new Error('near "4242424242424242": secret'), { code: theirs }))
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  expect(error.message).not.toContain('4242')
})
