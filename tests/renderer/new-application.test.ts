import { expect, test } from 'vitest'
import { mergeOrigins } from '../../renderer/parts/listener/merge-origins.ts'
import { createGrants, updateGrants } from '../../renderer/screens/applications/purposes.ts'

test('new origins are added without removing allowed ones', () => {
  expect(mergeOrigins(['http://a.test'], ['http://b.test', 'http://a.test', 'http://b.test'])).toEqual([
    'http://a.test',
    'http://b.test',
  ])
  expect(mergeOrigins(['http://a.test'], ['http://a.test'])).toBeNull()
  expect(mergeOrigins(['http://a.test'], [])).toBeNull()
})

test('manual edits of rules are preserved when the container changes', () => {
  const made = createGrants('backend', '/', 'mask')
  const [writing, reading] = made.rules
  if (!writing || !reading) throw new Error('expected two rules')
  const own = { ...reading, key: 0, description: 'Mine', container: '/own/' }
  const createManualGrants = (rules: typeof made.rules) => ({
    container: '/',
    reads: 'mask' as const,
    draft: { ...made, permissions: ['reactor:read' as const], rules },
  })
  const changeGrants = (rules: typeof made.rules, container: string, reads: 'none' | 'mask' | 'reveal') =>
    updateGrants('backend', { container, reads, byHand: createManualGrants(rules) })

  expect(updateGrants('backend', { container: '/x/', reads: 'reveal', byHand: null })).toEqual(
    createGrants('backend', '/x/', 'reveal'),
  )
  const changed = [{ ...writing, permissions: ['token:create' as const] }, reading, own]
  expect(changeGrants(changed, '/x/', 'reveal')).toEqual({
    ...made,
    permissions: ['reactor:read'],
    rules: [
      { ...writing, permissions: ['token:create'], container: '/x/' },
      { ...reading, container: '/x/', transform: 'reveal' },
      own,
    ],
  })
  const elsewhere = { ...reading, container: '/pii/', transform: 'redact' as const }
  expect(changeGrants([writing, elsewhere], '/x/', 'reveal').rules).toEqual([
    { ...writing, container: '/x/' },
    elsewhere,
  ])
  // Turning the read rule off and on again preserves its changes, unless it was removed.
  expect(changeGrants(changed, '/', 'none').rules).toEqual([changed[0], own])
  expect(changeGrants(changed, '/', 'mask').rules).toEqual(changed)
  expect(changeGrants([writing], '/', 'reveal').rules).toEqual([writing])
  const without = { container: '/', reads: 'none' as const, draft: createGrants('backend', '/', 'none') }
  expect(updateGrants('backend', { container: '/x/', reads: 'reveal', byHand: without })).toEqual(
    createGrants('backend', '/x/', 'reveal'),
  )
})
