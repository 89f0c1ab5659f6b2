import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatContainers,
  formatPairs,
  parseContainers,
  parsePairs,
} from '../../renderer/screens/tokens/list/cell-text.ts'
import { hasConflict } from '../../renderer/screens/tokens/list/edit-changes.ts'
import type { Token } from '../../shared/schemas/token.ts'

test('metadata survives its text in a cell, whatever is in it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '=', ';', '\\', '\n', '\r', 'é', '"', 'n') })
  const key = text.filter((each) => each !== '')
  fc.assert(
    fc.property(fc.dictionary(key, text, { noNullPrototype: true }), (metadata) => {
      expect(parsePairs(formatPairs(metadata))).toEqual(metadata)
    }),
  )
  expect(parsePairs(' customer = ada lovelace ;; order=a=b;')).toEqual({
    customer: 'ada lovelace',
    order: 'a=b',
  })
  expect(parsePairs('')).toEqual({})
  expect(parsePairs('customer')).toBeNull()
  expect(parsePairs('=ada')).toBeNull()
})

test('containers may be written without their slashes', () => {
  expect(parseContainers('pci/high, /b/ /b/')).toEqual(['/pci/high/', '/b/'])
  expect(parseContainers('/')).toEqual(['/'])
  expect(parseContainers(' , ')).toBeNull()
  expect(formatContainers(['/pci/', '/b/'])).toBe('/pci/, /b/')
})

test('only a change of what is edited is a conflict', () => {
  const base: Token = {
    id: 'a',
    tenant_id: 't',
    type: 'token',
    containers: ['/b/'],
    metadata: { customer: 'ada', order: '1' },
    created_at: '2030-01-01T00:00:00.000Z',
  } as Token
  const patch = { metadata: { customer: 'grace' } }
  const hasConflictWith = (metadata: Record<string, string>) =>
    hasConflict({ base, patch }, { ...base, metadata })
  expect(hasConflictWith({ customer: 'ada', order: '2' })).toBe(false)
  expect(hasConflictWith({ customer: 'grace', order: '1' })).toBe(false)
  expect(hasConflictWith({ customer: 'alan', order: '1' })).toBe(true)
  expect(hasConflictWith({ order: '1' })).toBe(true)
  expect(hasConflict({ base, patch: { containers: ['/c/'] } }, { ...base, containers: ['/d/'] })).toBe(true)
})
