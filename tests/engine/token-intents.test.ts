import { expect, test } from 'vitest'
import { catchProblem, openBriefVault, start } from '../vault.ts'

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }
const day = 86_400_000

async function openVaultWithApp() {
  const vault = openBriefVault()
  const app = await vault.application({
    permissions: ['token-intent:create', 'token-intent:read', 'token-intent:delete', 'token:create'],
  })
  return { vault, app, client: app.client }
}

test('O-03 a token intent is returned without its data', async () => {
  const { vault, app, client } = await openVaultWithApp()
  const intent = await client.tokenIntents.create({ type: 'card', data: card })
  expect(intent).toEqual({
    id: expect.any(String),
    tenant_id: vault.engine.tenant_id,
    type: 'card',
    card: expect.objectContaining({ bin: '42424242', last4: '4242', brand: 'visa' }),
    fingerprint: expect.any(String),
    created_by: app.id,
    created_at: '2030-01-01T00:00:00.000+00:00',
    expires_at: '2030-01-02T00:00:00.000+00:00',
  })
  expect(await client.tokenIntents.get({ id: intent.id })).toEqual(intent)
  expect(JSON.stringify(intent)).not.toMatch(/4242424242424242|"123"/)
})

test('O-03 an intent has the fingerprint of its token even if fingerprint_tokens is off', async () => {
  const { vault, client } = await openVaultWithApp()
  const token = await client.tokens.create({ type: 'card', data: card })
  await vault.owner.tenants.update({ name: 'Test', settings: { fingerprint_tokens: 'false' } })
  const intent = await client.tokenIntents.create({ type: 'card', data: card })
  expect(intent.fingerprint).toBe(token.fingerprint)
})

test('O-03 data of an intent is checked like data of a token', async () => {
  const { client } = await openVaultWithApp()
  const wrong = { type: 'card', data: { number: '4242424242424241' } }
  expect(await catchProblem(client.tokenIntents.create(wrong))).toMatchObject({
    status: 400,
    errors: { 'data.number': [expect.stringContaining('Luhn')] },
  })
  expect(await catchProblem(client.tokenIntents.create({ type: 'card' } as never))).toMatchObject({
    status: 400,
    errors: { data: ['is required'] },
  })
  expect((await catchProblem(client.tokenIntents.create({ type: 'nothing', data: 1 }))).status).toBe(400)
})

test('O-03 a token intent expires after its retention time, which is a setting', async () => {
  const { vault, client } = await openVaultWithApp()
  const first = await client.tokenIntents.create({ type: 'token', data: 'a' })
  vault.clock.advance(day - 1)
  expect((await client.tokenIntents.get({ id: first.id })).id).toBe(first.id)
  vault.clock.advance(1)
  expect((await catchProblem(client.tokenIntents.get({ id: first.id }))).status).toBe(404)
  expect((await catchProblem(client.tokens.create({ token_intent_id: first.id }))).status).toBe(400)
  await vault.owner.tenants.update({ name: 'Test', settings: { token_intent_retention_seconds: '60' } })
  const second = await client.tokenIntents.create({ type: 'token', data: 'a' })
  expect(Date.parse(second.expires_at)).toBe(start + day + 60_000)
})

test('O-03 a token intent can be deleted', async () => {
  const { client } = await openVaultWithApp()
  const { id } = await client.tokenIntents.create({ type: 'token', data: 'a' })
  await client.tokenIntents.remove({ id })
  expect((await catchProblem(client.tokenIntents.get({ id }))).status).toBe(404)
  expect((await catchProblem(client.tokenIntents.remove({ id }))).status).toBe(404)
})

test('O-03 T-01 converting an intent consumes it and omits the cvc', async () => {
  const { vault, client } = await openVaultWithApp()
  const intent = await client.tokenIntents.create({ type: 'card', data: card })
  const token = await client.tokens.create({
    id: 'from-intent',
    token_intent_id: intent.id,
    metadata: { a: 'b' },
    containers: ['/pci/low/'],
  })
  expect(token).toMatchObject({
    id: 'from-intent',
    type: 'card',
    containers: ['/pci/low/'],
    metadata: { a: 'b' },
    fingerprint: intent.fingerprint,
  })
  const { cvc: _, ...kept } = card
  expect((await vault.owner.tokens.reveal({ id: token.id })).data).toEqual(kept)
  expect((await catchProblem(client.tokenIntents.get({ id: intent.id }))).status).toBe(404)
  expect((await catchProblem(client.tokens.create({ token_intent_id: intent.id }))).status).toBe(400)
})

test('O-03 converting an intent of a type other than card keeps a cvc member', async () => {
  const { vault, client } = await openVaultWithApp()
  const intent = await client.tokenIntents.create({ type: 'token', data: { cvc: '123' } })
  const { id } = await client.tokens.create({ token_intent_id: intent.id })
  expect((await vault.owner.tokens.reveal({ id })).data).toEqual({ cvc: '123' })
})

test('O-03 a failed conversion does not change the intent', async () => {
  const { client } = await openVaultWithApp()
  const intent = await client.tokenIntents.create({ type: 'card', data: card })
  const failed = await catchProblem(
    client.tokens.create({ token_intent_id: intent.id, containers: ['no slashes'] }),
  )
  expect(failed.status).toBe(400)
  expect((await client.tokenIntents.get({ id: intent.id })).id).toBe(intent.id)
  expect((await client.tokens.create({ token_intent_id: intent.id })).type).toBe('card')
})

test.each([
  [{}, ['type', 'data']],
  [{ type: 'token' }, ['data']],
  [{ data: 'x' }, ['type']],
  [{ type: 'token', data: null }, ['data']],
  [{ type: 'token', data: 'x', token_intent_id: 'ID' }, ['token_intent_id']],
  [{ data: 'x', token_intent_id: 'ID' }, ['token_intent_id']],
  [{ token_intent_id: 'unknown' }, ['token_intent_id']],
])('T-01 a token needs either type and data, or a token intent: %j', async (body, members) => {
  const { client } = await openVaultWithApp()
  const { id } = await client.tokenIntents.create({ type: 'token', data: 'a' })
  const input = JSON.parse(JSON.stringify(body).replace('ID', id))
  const problem = await catchProblem(client.tokens.create(input))
  expect([problem.status, Object.keys(problem.errors ?? {})]).toEqual([400, members])
})

test('O-03 P-12 each operation on intents needs its permission', async () => {
  const { vault, client } = await openVaultWithApp()
  const { id } = await client.tokenIntents.create({ type: 'token', data: 'a' })
  const { client: other } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const problems = await Promise.all([
    catchProblem(other.tokenIntents.create({ type: 'token', data: 'a' })),
    catchProblem(other.tokenIntents.get({ id })),
    catchProblem(other.tokenIntents.remove({ id })),
  ])
  expect(problems.map(({ status }) => status)).toEqual([403, 403, 403])
  const { client: browser } = await vault.application({
    type: 'public',
    permissions: ['token-intent:create'],
  })
  expect((await browser.tokenIntents.create({ type: 'token', data: 'a' })).type).toBe('token')
})
