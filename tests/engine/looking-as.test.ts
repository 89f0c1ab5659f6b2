import { expect, test } from 'vitest'
import { clientOf, openVault } from '../vault.ts'

test('reading through an application leaves a record that says that the owner looked', async () => {
  const vault = openVault()
  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
  const application = await vault.application({
    rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] }],
  })
  const through = clientOf(() => vault.engine, { kind: 'as', application_id: application.id })
  expect((await through.tokens.get({ id })).data).toEqual({ number: '4242424242424242' })
  await vault.owner.tokens.get({ id })
  const { data } = await vault.owner.logs.list({ entity_id: id })
  expect(data.map(({ operation }) => operation)).toEqual(['tokens.get', 'tokens.create'])
  expect(data[0]).toMatchObject({
    actor_id: application.id,
    message: 'Done: reveal, by rule 1 on /pci/ (token:read); looked through by the owner',
  })
})

test('a refused look leaves the reason, as the application itself would', async () => {
  const vault = openVault()
  const application = await vault.application({ permissions: ['token:create'] })
  const through = clientOf(() => vault.engine, { kind: 'as', application_id: application.id })
  await expect(through.tokens.list()).rejects.toMatchObject({ status: 403 })
  const { data } = await vault.owner.logs.list({ entity_type: 'token' })
  expect(data[0]).toMatchObject({
    status: 403,
    message: 'Refused with 403: This needs the permission token:read.; looked through by the owner',
  })
})
