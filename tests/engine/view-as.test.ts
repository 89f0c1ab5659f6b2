import { expect, test } from 'vitest'
import { createTestClient, openBriefVault } from '../vault.ts'

test('O-05 viewing as an application is logged as a call of the owner that names the application', async () => {
  const vault = openBriefVault()
  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
  const application = await vault.application({
    rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] }],
  })
  const viewingAs = createTestClient(() => vault.engine, { kind: 'as', application_id: application.id })
  expect((await viewingAs.tokens.get({ id })).data).toEqual({ number: '4242424242424242' })
  await vault.owner.tokens.get({ id })
  const { data } = await vault.owner.logs.list({ entity_id: id })
  expect(data.map(({ action, actor_type }) => [action, actor_type])).toEqual([
    ['tokens.get', 'owner'],
    ['tokens.create', 'owner'],
  ])
  expect(data[0]).not.toHaveProperty('actor_id')
  expect(data[0]).not.toHaveProperty('path')
  expect(data[0]?.note).toBe(
    `the owner viewed as application ${application.id}; reveal, by rule 1 on /pci/ (token:read)`,
  )
  expect(await vault.owner.logs.get({ id: data[0]?.id ?? '' })).toMatchObject({ looked_as: application.id })
})

test('O-05 a rejected view-as call is not counted for the application or in the statistics', async () => {
  const vault = openBriefVault()
  const application = await vault.application({ permissions: ['token:create'] })
  const viewingAs = createTestClient(() => vault.engine, { kind: 'as', application_id: application.id })
  await expect(viewingAs.tokens.list()).rejects.toMatchObject({ status: 403 })
  const { data } = await vault.owner.logs.list({ entity_type: 'token' })
  expect(data[0]).toMatchObject({
    status: 403,
    actor_type: 'owner',
    message: `Refused with 403: the owner viewed as application ${application.id}; This needs the permission token:read.`,
  })
  expect((await vault.owner.logs.list({ actor_id: application.id })).data).toEqual([])
  const { buckets } = await vault.owner.stats.requests({ minutes: 60, buckets: 1 })
  expect(buckets[0]).toMatchObject({ requests: 0, refused: 0 })
})

test('O-05 viewing as a deleted application gets 404 and is logged as a call of the owner', async () => {
  const vault = openBriefVault()
  const viewingAs = createTestClient(() => vault.engine, { kind: 'as', application_id: 'gone' })
  await expect(viewingAs.tokens.list()).rejects.toMatchObject({ status: 404 })
  const { data } = await vault.owner.logs.list({ entity_type: 'token' })
  expect(data[0]).toMatchObject({ status: 404, actor_type: 'owner' })
})
