import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { startListener } from '../../listener.ts'
import { createNetworkToken, eligibleCard } from '../../network-tokens.ts'
import { openBriefVault, openVault } from '../../vault.ts'
import { awaitRejection } from './start.ts'

test('Z-03 node-sdk 5: a network token goes through its life', async () => {
  const { vault, url } = await startListener({ vault: openBriefVault() })
  const createClient = async (permissions: string[]) => {
    const { key } = await vault.application({ permissions })
    return new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  }
  const rights = ['create', 'read', 'delete', 'cryptogram', 'suspend', 'resume'].map(
    (verb) => `network-token:${verb}`,
  )
  const { tokens, networkTokens } = await createClient(['token:create', 'token:read', ...rights])
  const { id: tokenId = '' } = await tokens.create({ type: 'card', data: eligibleCard })
  const address = { line1: '1 Test Lane', postalCode: '12345', city: 'London', countryCode: 'GB' }
  const { id = '', ...created } = await networkTokens.create({
    tokenId,
    expirationYear: 2036,
    cardholderInfo: { name: 'Ada', address },
  })
  expect(created).toEqual({
    tenantId: vault.engine.tenant_id,
    data: { number: expect.stringMatching(/^X{12}\d{4}$/), expirationMonth: 12, expirationYear: 2040 },
    networkToken: expect.objectContaining({ brand: 'visa', expirationMonth: 12, expirationYear: 2040 }),
    card: { last4: '0002', expirationMonth: 10, expirationYear: 2036 },
    par: expect.stringMatching(/^5.{28}$/),
    status: 'active',
    createdBy: expect.any(String),
    createdAt: new Date('2030-01-01'),
    tokenId,
    extras: { deduplicated: false },
  })
  expect((await tokens.get(tokenId)).extras).toEqual({ networkTokenIds: [id] })
  expect(
    await networkTokens.create({
      data: { number: eligibleCard.number, expirationMonth: 1, expirationYear: 2031 },
    }),
  ).toMatchObject({
    id,
    extras: { deduplicated: true },
  })
  expect((await networkTokens.suspend(id)).status).toBe('suspended')
  expect(await awaitRejection(networkTokens.cryptogram(id))).toBeInstanceOf(BasisTheory.BadRequestError)
  expect(await awaitRejection(networkTokens.suspend(id))).toMatchObject({
    statusCode: 409,
    body: { code: 'conflict' },
  })
  expect((await networkTokens.resume(id)).status).toBe('active')
  expect(await networkTokens.cryptogram(id)).toEqual({ cryptogram: expect.any(String), eci: '07' })
  expect((await networkTokens.account.get(id)).cardArt?.cardImage).toMatchObject({
    url: expect.stringMatching(/^data:image\/svg\+xml,/),
    width: 343,
  })
  expect((await networkTokens.get(id)).data?.number).toBe(created.data?.number)
  const revealing = await createClient(['network-token:reveal'])
  expect((await revealing.networkTokens.get(id)).data?.number).toMatch(/^4895\d{12}$/)
  expect(await awaitRejection(revealing.networkTokens.cryptogram(id))).toBeInstanceOf(
    BasisTheory.ForbiddenError,
  )
  await networkTokens.delete(id)
  expect(await awaitRejection(networkTokens.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)

  const declined = { number: '4929544240318920', expirationMonth: 10, expirationYear: 2035 }
  const refusal = await awaitRejection(networkTokens.create({ data: declined }))
  expect(refusal).toBeInstanceOf(BasisTheory.UnprocessableEntityError)
  expect(refusal).toMatchObject({
    body: {
      title: 'CARD_DECLINED',
      status: 422,
      code: 'network_token_refused',
      detail: 'The issuer declined to create a network token for this card.',
    },
  })
})

test('Z-03 G-05 F-03 a proxy and a reactor get a network token with the rights of the guides', async () => {
  const vault = openVault({ ephemeral: true })
  const { request } = await startListener({ vault })
  const { id, par } = await createNetworkToken(vault)
  const body = {
    number: `{{ network_token: ${id} | json: '$.data.number' }}`,
    month: `{{ network_token: ${id} | json: '$.data.expiration_month' }}`,
    id: `{{ network_token: ${id} | json: '$.id' }}`,
    par: `{{ network_token: ${id} | json: '$.par' }}`,
  }
  const expected = { number: expect.stringMatching(/^4895\d{12}$/), month: '12', id, par }
  const headers = { 'BT-PROXY-URL': 'https://echo.basistheory.com/anything' }
  for (const permission of ['proxy:invoke', 'token:use']) {
    const { key } = await vault.application({ permissions: [permission] })
    expect((await request('POST', '/proxy', { key, headers, body })).body.json).toEqual(expected)
  }
  const { key } = await vault.application({ permissions: ['network-token:reveal'] })
  expect((await request('POST', '/proxy', { key, headers, body })).status).toBe(403)

  const { id: reactorId } = await vault.owner.reactors.create({
    name: 'Echo',
    code: 'module.exports = () => ({})',
  })
  const reactor = (await vault.application({ permissions: ['reactor:invoke'] })).client
  const prepared = await reactor.reactors.react({ id: reactorId, payload: { args: body } })
  expect(JSON.parse(prepared.args)).toEqual({ ...expected, month: 12 })
})
