import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { awaitRejection, collectAll, startClientServer } from './start.ts'

async function startMerchantClient() {
  const { vault, url } = await startClientServer()
  const verbs = ['create', 'read', 'update', 'delete'].map((verb) => `tenant:merchant:${verb}`)
  const permissions = [...verbs, 'tenant:read', 'tenant:update']
  const { key } = await vault.application({ type: 'management', permissions })
  const { tenants } = new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  return { tenants, tenantId: (await tenants.self.get()).id ?? '' }
}

test('Z-03 node-sdk 5: a merchant is created, listed, registered for services, updated and deleted', async () => {
  const { tenants, tenantId } = await startMerchantClient()
  const { merchants } = tenants
  const details = {
    merchant: {
      fullLegalName: 'Shop Ltd',
      address: { street1: '1 Test Lane', postalCode: '12345' },
      registration: { vatId: 'GB1' },
    },
    cardNetworkInfo: { visa: { cardAcceptorIdCaid: '1' }, amex: { seNumber: '2' } },
  }
  const created = await merchants.create(tenantId, { name: 'Shop', details })
  expect(created).toMatchObject({ tenantId, name: 'Shop', details, createdAt: new Date('2030-01-01') })
  const id = created.id ?? ''
  await merchants.create('self', { name: 'Second', details: {} })
  expect(await collectAll(await merchants.list(tenantId, { size: 1 }))).toHaveLength(2)
  expect(await merchants.get(tenantId, id)).toEqual(created)
  const { services } = await merchants.requestOnboarding(tenantId, id, { networkToken: ['visa'] })
  expect(services?.networkToken).toEqual({
    status: 'active',
    providers: [],
    cardNetworkStatus: {
      visa: { status: 'active' },
      mastercard: { status: 'not_requested' },
      amex: { status: 'not_requested' },
      discover: { status: 'not_requested' },
    },
  })
  expect((await merchants.requestOnboarding(tenantId, id)).services).toMatchObject({
    accountUpdater: { status: 'active' },
    agenticCommerce: { status: 'active' },
  })
  expect(await awaitRejection(merchants.requestOnboarding(tenantId, id))).toBeInstanceOf(
    BasisTheory.ConflictError,
  )
  expect(await merchants.update(tenantId, id, { name: 'Third', details: {} })).toMatchObject({
    name: 'Third',
    details: {},
  })
  expect(await merchants.delete(tenantId, id)).toMatchObject({ id, name: 'Third' })
  for (const call of [merchants.get(tenantId, id), merchants.get(id, id), merchants.list(id)])
    expect(await awaitRejection(call)).toBeInstanceOf(BasisTheory.NotFoundError)
})

test('Z-03 node-sdk 5: a tenant connection is created and deleted', async () => {
  const { connections } = (await startMerchantClient()).tenants
  const created = await connections.create({ strategy: 'okta', options: { domainAliases: ['example.com'] } })
  expect(created.connectionId).toMatch(/^[0-9a-f-]{36}$/)
  await connections.delete()
  expect(await awaitRejection(connections.delete())).toBeInstanceOf(BasisTheory.NotFoundError)
  const invalid = connections.create({ strategy: '', options: {} })
  expect(await awaitRejection(invalid)).toBeInstanceOf(BasisTheory.BadRequestError)
})
