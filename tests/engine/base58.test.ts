import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../../electron/engine/crypto/base58.ts'

test('T-09 a fingerprint is encoded as base58 and decoded again', () => {
  const bytes = Buffer.from('0000287fb4cd', 'hex')
  expect(encodeBase58(bytes)).toBe('11233QC4')
  expect(decodeBase58('11233QC4')).toEqual(bytes)
})

test('T-09 text that is not base58 is not decoded', () => {
  expect(decodeBase58('0OIl')).toBeNull()
  expect(decodeBase58('é')).toBeNull()
  expect(decodeBase58('1'.repeat(65))).toBeNull()
})
