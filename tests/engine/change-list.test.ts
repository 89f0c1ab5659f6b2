import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChangeList } from '../../electron/engine/db/changes.ts'
import { openVaultWithChanges } from '../changes.ts'

const kinds = ['created', 'updated', 'deleted'] as const

test('consecutive changes of one kind are merged, separately per entity type', () => {
  const list = new ChangeList()
  list.add('token', 'created', ['one'])
  list.add('session', 'created', ['other'])
  list.add('token', 'created', ['two', 'one'])
  list.add('token', 'deleted', ['one'])
  expect(list.take()).toEqual([
    { entity: 'token', kind: 'created', ids: ['one', 'two'] },
    { entity: 'token', kind: 'deleted', ids: ['one'] },
    { entity: 'session', kind: 'created', ids: ['other'] },
  ])
  expect(list.take()).toEqual([])
})

test('a list of many changes has a limited size and omits no change', () => {
  const changes = fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      ids: fc.oneof(
        fc.constant('unnamed' as const),
        fc.array(fc.integer({ min: 0, max: 50 }).map(String)),
        fc.nat(2000).map((count) => Array.from({ length: count }, (_, at) => String(at))),
      ),
    }),
    { maxLength: 70 },
  )
  fc.assert(
    fc.property(changes, (all) => {
      const list = new ChangeList()
      for (const { kind, ids } of all) list.add('token', kind, ids)
      const changes = list.take()
      expect(changes.length).toBeLessThanOrEqual(51)
      for (const { ids } of changes) expect(ids === 'unnamed' || ids.length <= 1000).toBe(true)
      for (const { kind, ids } of all) {
        const same = changes.filter((each) => each.kind === kind)
        if (same.some((each) => each.ids === 'unnamed')) continue
        expect(ids).not.toBe('unnamed')
        const named = new Set(same.flatMap((each) => each.ids))
        expect([...ids].every((id) => named.has(id))).toBe(true)
      }
    }),
  )
})

test('T-14 the expiry of thousands of tokens is reported in chunks', async () => {
  const { vault, changes } = openVaultWithChanges()
  const expires_at = new Date(vault.clock.ms + 1000).toISOString()
  const tokens = Array.from({ length: 1000 }, () => ({ type: 'token', data: 'x', expires_at }))
  await Promise.all([1, 2, 3].map(() => vault.owner.tokens.createMany({ tokens })))
  // A commit has one call or several; more than 1,000 ids are not listed.
  expect(new Set(changes.map(({ entity, kind }) => `${entity} ${kind}`))).toEqual(new Set(['token created']))
  const named = changes.flatMap(({ ids }) => (ids === 'unnamed' ? [] : ids))
  const unnamed = changes.filter(({ ids }) => ids === 'unnamed')
  expect([
    [3000, 0],
    [1000, 1],
    [0, 1],
  ]).toContainEqual([new Set(named).size, unnamed.length])
  expect(changes.length).toBe(named.length / 1000 + unnamed.length)
  vault.clock.advance(1000)
  changes.length = 0
  await vault.engine.sweeper.sweep()
  const sizes = changes.map(({ ids }) => ids.length)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(3000)
})
