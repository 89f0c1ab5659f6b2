import { expect, test } from 'vitest'
import { catchProblem, openBriefVault } from '../../vault.ts'
import type { TestVault } from '../vault-helpers.ts'
import { openWithWebhook } from '../webhooks/received-events.ts'

const invokes = 'account-updater:real-time:invoke' as const
const expiry = { expiration_month: 12, expiration_year: 2023 }

function createUpdater(vault: TestVault) {
  const permissions = ['token:create', 'token:read', invokes] as const
  return vault.application({
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: [...permissions] }],
  })
}

test.each([
  ['4111111111111111', 'UPD_PAN', { number: '4166676667666746', ...expiry }],
  [
    '5105105105105100',
    'UPD_PAN',
    { number: '5233580618829955', expiration_month: 12, expiration_year: 2026 },
  ],
  [
    '5325191087030619',
    'UPD_EXP_DATE',
    { number: '5325191087030619', expiration_month: 12, expiration_year: 2026 },
  ],
  ['4929980395567582', 'WRN_CONTACT_CARDHOLDER', null],
  ['4035501428146300', 'ERR_INVALID_PAN', null],
  // Cards without a scenario, and networks that only jobs reach.
  ['4242424242424242', 'NO_UPDATE', null],
  ['2720394612465072', 'NO_UPDATE', null],
  ['6011111111111117', 'WRN_UNSUPPORTED_NETWORK', null],
  ['378282246310005', 'WRN_UNSUPPORTED_NETWORK', null],
])('Z-03 the account updater answers for %s with %s', async (number, result_code, data) => {
  const { client } = await createUpdater(openBriefVault())
  const before = await client.tokens.create({
    type: 'card',
    data: { number, ...expiry, cvc: '123' },
    containers: ['/pci/high/shop/'],
    metadata: { customer: 'ada' },
    mask: { last: '{{ data.number | last4 }}' },
  })
  const answer = await client.accountUpdater.invoke({ token_id: before.id })
  const { id, containers, metadata, mask } = before
  expect(answer).toEqual({
    result_code,
    ...(data && { new_token: expect.objectContaining({ data, containers, metadata, mask }) }),
  })
  expect(answer.new_token?.id).not.toBe(id)
  expect((await client.tokens.get({ id })).data).toMatchObject({ number, ...expiry })
})

test('Z-03 T-15 with deduplication, the token that has the new number is updated and loses its cvc', async () => {
  const { vault, takeEvents } = await openWithWebhook(['token.created', 'token.updated'])
  const { client } = await createUpdater(vault)
  const createCard = (number: string) =>
    client.tokens.create({ type: 'card', data: { number, ...expiry, cvc: '123' } })
  const before = await createCard('4012888888881881')
  const renewed = await createCard('4539097887163333')
  const existing = await createCard('4212345678910006')
  const updateCard = async (token_id: string) =>
    (await client.accountUpdater.invoke({ token_id, deduplicate_token: true })).new_token
  const december = { expiration_month: 12, expiration_year: 2026 }
  expect(await updateCard(before.id)).toMatchObject({
    id: existing.id,
    data: { number: '4212345678910006', ...december },
  })
  // A new expiry updates the token itself, because the number stays the same.
  const updated = await updateCard(renewed.id)
  expect(updated).toMatchObject({ id: renewed.id, data: { number: '4539097887163333', ...december } })
  expect(updated?.data).not.toHaveProperty('cvc')
  expect(takeEvents().map(({ type }) => type)).toEqual([
    ...['token.created', 'token.created', 'token.created'],
    ...['token.updated', 'token.updated'],
  ])
  // The setting of the tenant is the default.
  await vault.owner.tenants.update({ name: 'x', settings: { deduplicate_tokens: 'true' } })
  expect((await client.accountUpdater.invoke({ token_id: before.id })).new_token?.id).toBe(existing.id)
  const once = { token_id: before.id, deduplicate_token: false }
  expect((await client.accountUpdater.invoke(once)).new_token?.id).not.toBe(existing.id)
})

test('Z-03 the expiry of the request is used, and is needed if the token has none', async () => {
  const vault = openBriefVault()
  const { client } = await createUpdater(vault)
  const data = { number: '4111111111111111' }
  const { id } = await client.tokens.create({ type: 'card', data })
  const missing = await catchProblem(client.accountUpdater.invoke({ token_id: id, expiration_month: 3 }))
  expect([missing.status, Object.keys(missing.errors ?? {})]).toEqual([400, ['expiration_year']])
  const { new_token } = await client.accountUpdater.invoke({
    token_id: id,
    expiration_month: 3,
    expiration_year: 2031,
  })
  expect(new_token?.data).toMatchObject({ expiration_month: 3, expiration_year: 2031 })
  const number = await client.tokens.create({ type: 'card_number', data: data.number })
  for (const token_id of ['nothing', number.id]) {
    const { status, errors } = await catchProblem(client.accountUpdater.invoke({ token_id }))
    expect([status, Object.keys(errors ?? {})]).toEqual([400, ['token_id']])
  }
  const merchant = await vault.owner.merchants.create({ tenant_id: 'self', name: 'Shop' })
  const at = { token_id: id, expiration_month: 3, expiration_year: 2031 }
  const answer = await client.accountUpdater.invoke({ ...at, merchant_id: merchant.id.toUpperCase() })
  expect(answer.result_code).toBe('UPD_PAN')
  const foreign = await catchProblem(client.accountUpdater.invoke({ ...at, merchant_id: id }))
  expect(Object.keys(foreign.errors ?? {})).toEqual(['merchant_id'])
  const { data: records } = await vault.owner.logs.list({ entity_id: id, action: 'accountUpdater.invoke' })
  expect(records.map(({ note }) => note).join()).toContain('UPD_PAN')
})
test('Z-03 X-16 updating a card neither reads nor reaches more than the caller may', async () => {
  const vault = openBriefVault()
  const { client } = await createUpdater(vault)
  const data = { number: '4111111111111111', ...expiry }
  const { id } = await client.tokens.create({ type: 'card', data })
  const unable = await vault.application({ permissions: ['token:read'] })
  expect((await catchProblem(unable.client.accountUpdater.invoke({ token_id: id }))).status).toBe(403)
  const elsewhere = { priority: 1, container: '/else/', transform: 'reveal' as const, permissions: [invokes] }
  const other = await vault.application({ rules: [elsewhere] })
  expect((await catchProblem(other.client.accountUpdater.invoke({ token_id: id }))).status).toBe(403)

  const blind = await vault.application({ permissions: [invokes] })
  const { new_token } = await blind.client.accountUpdater.invoke({ token_id: id })
  expect(Object.keys(new_token ?? {}).sort()).toEqual([
    'containers',
    'fingerprint',
    'id',
    'tenant_id',
    'type',
  ])
  await vault.owner.tokens.remove({ id: new_token?.id ?? '' })
  // A token with the new number that the caller may not reach is not updated.
  const hidden = await client.tokens.create({
    type: 'card',
    data: { ...data, number: '4166676667666746' },
    containers: ['/hidden/'],
  })
  const pci = { priority: 1, container: '/pci/', transform: 'mask' as const, permissions: [invokes] }
  const limited = await vault.application({ rules: [pci] })
  const stored = await limited.client.accountUpdater.invoke({ token_id: id, deduplicate_token: true })
  expect(stored.new_token).toMatchObject({ containers: ['/pci/high/'] })
  expect(stored.new_token?.id).not.toBe(hidden.id)
  expect((await client.tokens.get({ id: hidden.id })).modified_at).toBeUndefined()
})
