import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../../electron/engine/crypto/base58.ts'

test('T-09 a fingerprint is base58, and is read back', () => {
  const bytes = Buffer.from('0000287fb4cd', 'hex')
  expect(encodeBase58(bytes)).toBe('11233QC4')
  expect(decodeBase58('11233QC4')).toEqual(bytes)
})

test('T-09 what is not base58 is not read', () => {
  expect(decodeBase58('0OIl')).toBeNull()
  expect(decodeBase58('é')).toBeNull()
  expect(decodeBase58('1'.repeat(65))).toBeNull()
})
