import { expect, test } from 'vitest'
import { catchProblem, openBriefVault } from '../vault.ts'

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

/** Opens a vault with an application that creates cards and reads them, and has been used. */
async function useApplication() {
  const vault = openBriefVault()
  const { client, id } = await vault.application({
    rules: [
      { priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] },
      { priority: 2, container: '/', transform: 'mask', permissions: ['token:create', 'token:search'] },
    ],
  })
  const kept = await client.tokens.create({ type: 'card', data: card })
  const gone = await client.tokens.create({ type: 'token', data: 'gone', containers: ['/free/'] })
  await client.tokens.get({ id: kept.id })
  await client.tokens.get({ id: kept.id })
  await client.tokens.list({})
  await catchProblem(client.tokens.get({ id: gone.id }))
  await catchProblem(client.tokens.remove({ id: kept.id }))
  await vault.owner.tokens.remove({ id: gone.id })
  return { vault, id }
}

test('P-05 the log says what an application used, with the containers of its tokens', async () => {
  const { vault, id } = await useApplication()
  const { uses, oldest_at, next } = await vault.owner.access.uses({ application_id: id, days: 7 })
  const found = uses.map(({ operation, subjects, complete, transform, scope, refused, requests }) =>
    [operation, subjects.flat().join(' '), complete, transform, scope, refused, requests].join(', '),
  )
  expect(found.sort()).toEqual([
    'tokens.create, , false, mask, /, false, 1',
    'tokens.create, /pci/high/, true, mask, /, false, 1',
    'tokens.get, /free/, true, , , true, 1',
    'tokens.get, /pci/high/, true, reveal, /pci/, false, 2',
    'tokens.list, , true, , , false, 1',
    'tokens.remove, , true, , , true, 1',
  ])
  expect(uses.find(({ operation }) => operation === 'tokens.remove')?.permissions).toEqual(['token:delete'])
  expect([oldest_at, next]).toEqual([expect.any(String), null])
})

test('O-04 P-05 requests through a session count for the application that authorized it', async () => {
  const vault = openBriefVault()
  const rule = { priority: 1, container: '/pci/', permissions: ['token:read' as const] }
  const page = await vault.application({ type: 'public', permissions: ['token:create'] })
  const { client, id } = await vault.application({ rules: [{ ...rule, transform: 'mask' }] })
  const token = await vault.owner.tokens.create({ type: 'card', data: card })
  const other = await vault.owner.tokens.create({ type: 'token', data: 'x', containers: ['/free/'] })
  for (const transform of ['reveal', 'redact'] as const) {
    const { nonce, session_key } = await page.client.sessions.create()
    await client.sessions.authorize({ nonce, rules: [{ ...rule, transform }] })
    const session = vault.engine.as({ kind: 'key', key: session_key })
    await session.tokens.get({ id: token.id })
    await catchProblem(session.tokens.get({ id: other.id }))
  }
  const { uses } = await vault.owner.access.uses({ application_id: id, days: 7 })
  const found = uses.map(({ operation, subjects, transform, refused, session, requests }) =>
    [operation, subjects.flat().join(' '), transform, refused, session, requests].join(', '),
  )
  expect(found.sort()).toEqual([
    'tokens.get, /free/, , true, within, 2',
    'tokens.get, /pci/high/, mask, false, limited, 1',
    'tokens.get, /pci/high/, redact, false, within, 1',
  ])
  expect((await vault.owner.access.uses({ application_id: page.id, days: 7 })).uses).toEqual([])
})

test('R-03 a long log is read in parts, which add up to the whole', async () => {
  const { vault, id } = await useApplication()
  for (let at = 0; at < 10_500; at++) vault.engine.outcomes.recordMaintenance('vault.backup', 'owner')
  const first = await vault.owner.access.uses({ application_id: id, days: 7 })
  expect(first).toMatchObject({ uses: [], oldest_at: null, next: expect.any(Number) })
  const second = await vault.owner.access.uses({ application_id: id, days: 7, before: first.next })
  expect(second.uses.reduce((sum, { requests }) => sum + requests, 0)).toBe(7)
  expect(second.next).toBe(null)
})

test('X-65 one call decides only so many containers and permissions', async () => {
  const { owner } = openBriefVault()
  const rules = [
    { priority: 1, container: '/', transform: 'mask' as const, permissions: ['token:read' as const] },
  ]
  const decideAttempts = (attempts: number) =>
    owner.access.decide({
      ...{ type: 'private', permissions: [], rules },
      attempts: Array.from({ length: attempts }, () => ({
        permissions: ['token:use', 'token:read'],
        subjects: [['/a/', '/b/', '/c/']],
      })),
    })
  expect(await decideAttempts(500)).toHaveLength(500)
  expect((await catchProblem(decideAttempts(501))).errors).toEqual({
    attempts: ['must name at most 3000 containers, counted once per permission'],
  })
})

test('P-05 P-10 pending rules are decided as the engine decides, for each container and request', async () => {
  const { vault } = await useApplication()
  const grants = {
    type: 'private' as const,
    permissions: [],
    rules: [
      { priority: 1, container: '/pci/', transform: 'mask' as const, permissions: ['token:read' as const] },
      { priority: 2, container: '/', transform: 'redact' as const, permissions: ['token:read' as const] },
      { priority: 3, container: '/a/', transform: 'mask' as const, permissions: ['token:update' as const] },
    ],
  }
  const read = ['token:read' as const]
  const update = ['token:update' as const]
  const decided = await vault.owner.access.decide({
    ...grants,
    attempts: [
      { permissions: read, subjects: [['/pci/high/']] },
      { permissions: read, subjects: [['/pci/high/'], ['/free/']] },
      { permissions: update, subjects: [['/a/', '/b/']] },
      { permissions: update, subjects: [] },
      { permissions: ['token:delete'], subjects: [] },
      { permissions: ['token:use', 'token:read'], subjects: [['/b/']] },
    ],
  })
  expect(decided.map(({ allowed, transform, rule }) => [allowed, transform, rule])).toEqual([
    [true, 'mask', 1],
    [true, 'redact', 2],
    [false, null, null],
    [true, null, null],
    [false, null, null],
    [true, 'redact', 2],
  ])
})
