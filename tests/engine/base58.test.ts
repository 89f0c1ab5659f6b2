import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base58, fromBase58 } from '../../electron/engine/crypto/base58.ts'

test('T-09 base58 gives the known texts of known bytes', () => {
  expect(base58(Buffer.from('Hello World!'))).toBe('2NEpo7TZRRrLZSi2U')
  expect(base58(Buffer.from('0000287fb4cd', 'hex'))).toBe('11233QC4')
  expect(base58(Buffer.alloc(0))).toBe('')
})

test('T-09 base58 reads back what it wrote, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 44 }), (bytes) => {
      expect(fromBase58(base58(Buffer.from(bytes)))).toEqual(Buffer.from(bytes))
    }),
  )
})

test('T-09 what is not base58 is not read', () => {
  expect(fromBase58('0OIl')).toBeNull()
  expect(fromBase58('1'.repeat(65))).toBeNull()
})
