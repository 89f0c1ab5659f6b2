import { expect, test } from 'vitest'
import { summarizeAccess } from '../../renderer/screens/applications/access-summary.ts'
import { findRotation, isOldKeyUnused } from '../../renderer/screens/applications/rotation.ts'
import { formatMetadataFilter, toFind } from '../../renderer/screens/tokens/list/token-filters.ts'
import { formatKeyHint } from '../../shared/key-hint.ts'
import { openVault } from '../vault.ts'

const createKey = (id: string, last_used_at: string | null, replaces: string | null = null) => ({
  id,
  application_id: 'a',
  hint: null,
  created_at: '2030-01-01',
  last_used_at,
  replaces,
})

test("a hint shows a key's kind and its last four characters", () => {
  expect(formatKeyHint('key_local_pvt_0123456789abcdefghijklmnopqrstuv')).toBe('key_local_pvt_…stuv')
})

test('a rotation pairs a new key with the one it replaces', () => {
  const old = createKey('old', null)
  expect(findRotation([createKey('new', null, 'old'), old])).toMatchObject({
    fresh: { id: 'new' },
    old: { id: 'old' },
  })
  expect(findRotation([createKey('new', null, 'gone'), old])).toBeNull()
  expect(findRotation([createKey('new', null), old])).toBeNull()
})

test('a replaced key is unused once the last use of the new key is later than its own', () => {
  const isQuiet = (old: string | null, fresh: string | null) =>
    isOldKeyUnused({ old: createKey('old', old), fresh: createKey('new', fresh, 'old') })
  expect(isQuiet(null, null)).toBe(false)
  expect(isQuiet('2030-01-01T00:00:01', null)).toBe(false)
  expect(isQuiet(null, '2030-01-01T00:00:01')).toBe(true)
  expect(isQuiet('2030-01-01T00:00:01', '2030-01-01T00:00:02')).toBe(true)
  expect(isQuiet('2030-01-01T00:00:02', '2030-01-01T00:00:02')).toBe(false)
  expect(isQuiet('2030-01-01T00:00:03', '2030-01-01T00:00:02')).toBe(false)
})

test('P-04 P-08 a grant is summarized by what it reveals or allows', () => {
  const rule = { priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] } as const
  const accesses = summarizeAccess({
    rules: [
      { ...rule, permissions: ['token:read', 'token:search'] },
      { ...rule, priority: 2, transform: 'mask', permissions: ['token:create', 'token-intent:create'] },
    ],
    permissions: ['token:create'],
  })
  expect(accesses.map(({ where, reads, verbs }) => [where, reads ?? verbs])).toEqual([
    ['/pci/', 'reveal'],
    ['/pci/', ['create']],
    [null, ['create']],
  ])
})

test('the filters of a token list become a search query that counts the same tokens', async () => {
  const { owner } = openVault()
  const made = await owner.tokens.create({
    type: 'token',
    data: 'x',
    containers: ['/x/'],
    metadata: { 'a "b"': 'c:d AND e', 'x=%3D': '50%\u001f%1F' },
  })
  await owner.tokens.create({ type: 'token', data: 'y', containers: ['/y/'] })
  for (const [filters, total] of [
    [{}, 2],
    [{ container: '/x/' }, 1],
    [{ type: 'token', container: '/y/' }, 1],
    [{ type: 'card' }, 0],
    [{ fingerprint: made.fingerprint }, 1],
    [{ metadata: formatMetadataFilter([{ key: 'a "b"', value: 'c:d AND e' }]), container: '/x/' }, 1],
    [{ metadata: formatMetadataFilter([{ key: 'a "b"', value: 'c:d AND e' }]), container: '/y/' }, 0],
    [{ metadata: formatMetadataFilter([{ key: 'x=%3D', value: '50%\u001f%1F' }, { key: 'A "B"' }]) }, 1],
    [{ metadata: formatMetadataFilter([{ key: 'x=%3D', value: '50%' }]) }, 0],
    [{ q: 'token', container: '/x/' }, 1],
  ] as const) {
    expect([filters, (await owner.tokens.findCount({ find: toFind(filters) })).total]).toEqual([
      filters,
      total,
    ])
  }
})
