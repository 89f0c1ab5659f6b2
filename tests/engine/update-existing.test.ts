import { expect, test } from 'vitest'
import { catchProblem, openBriefVault } from '../vault.ts'
import { captureEvents } from './webhooks/received-events.ts'

const card = { number: '4242424242424242', expiration_month: 1, expiration_year: 2031 }
const updatedCard = { ...card, expiration_year: 2035 }
const settings = { deduplicate_tokens: 'true', token_deduplication_behavior: 'update_existing' }
const updated = { deduplicated: true, deduplication_behavior: 'update_existing' }
const unchanged = { deduplicated: true, deduplication_behavior: 'read_existing' }
const everything = ['token:create', 'token:read', 'token:update'].map(String)

async function openVaultWithSettings(behavior = settings) {
  const vault = openBriefVault()
  await vault.owner.tenants.update({ name: 'Test', settings: behavior })
  const rule = { priority: 1, container: '/', transform: 'reveal' as const, permissions: everything as never }
  return { vault, full: await vault.application({ rules: [rule] }) }
}

test('T-10 update_existing updates the members of the request and no others', async () => {
  const { vault, full } = await openVaultWithSettings()
  const { owner, clock } = vault
  const hook = { name: 'hook', url: 'http://localhost:3000', events: ['token.created', 'token.updated'] }
  const first = await full.client.tokens.create({ type: 'card', data: card, metadata: { a: '1', b: '2' } })
  await owner.webhooks.create(hook as never)
  clock.advance(1000)
  const input = { type: 'card', data: updatedCard, metadata: { b: '3' }, containers: ['/cards/'] }
  const duplicate = await full.client.tokens.create(input)
  expect(duplicate).toMatchObject({
    id: first.id,
    data: updatedCard,
    metadata: { b: '3' },
    containers: ['/cards/'],
    card: { expiration_year: 2035 },
    modified_by: full.id,
    modified_at: '2030-01-01T00:00:01.000+00:00',
    _extras: updated,
  })
  const { _extras, ...token } = duplicate
  expect(await full.client.tokens.get({ id: first.id })).toEqual(token)
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(1)
  expect(
    captureEvents(vault)
      .takeEvents()
      .map(({ type }) => type),
  ).toEqual(['token.updated'])
})

test('T-10 update_existing does not change a token that is created again with equal values', async () => {
  const { vault, full } = await openVaultWithSettings()
  const mask = { a: null, b: '{{ data.b | reveal_last: 1 }}' }
  const input = { type: 'token', data: { a: null, b: 'xyz' }, mask, metadata: { a: '1' } }
  const first = await full.client.tokens.create(input)
  const duplicate = await full.client.tokens.create(input)
  const { modified_at, modified_by, ...token } = duplicate
  expect(token).toEqual({ ...first, _extras: updated })
  expect((await vault.owner.tenants.getUsageReport()).total_tokens).toBe(1)
})

test('T-10 read_existing returns the existing token unchanged', async () => {
  const { full } = await openVaultWithSettings({ ...settings, token_deduplication_behavior: 'read_existing' })
  const first = await full.client.tokens.create({ type: 'card', data: card, metadata: { a: '1' } })
  const duplicate = await full.client.tokens.create({ type: 'card', data: updatedCard, metadata: { a: '2' } })
  expect(duplicate).toEqual({ ...first, _extras: unchanged })
})

test.each([
  ['no permission to update', [{ container: '/', permissions: ['token:create', 'token:read'] }]],
  [
    'no permission to update in the container of the token',
    [
      { container: '/other/', permissions: ['token:create', 'token:update'] },
      { container: '/', permissions: ['token:create', 'token:read'] },
    ],
  ],
  [
    'no permission to update in the target container',
    [
      { container: '/pci/', permissions: everything },
      { container: '/', permissions: ['token:create', 'token:read'] },
    ],
  ],
])('T-10 X-51 a caller with %s cannot change a token by creating a duplicate', async (_what, rules) => {
  const { vault, full } = await openVaultWithSettings()
  const first = await full.client.tokens.create({ type: 'card', data: card, metadata: { a: '1' } })
  const { client } = await vault.application({
    rules: rules.map((rule, at) => ({ ...rule, priority: at + 1, transform: 'mask' as const })) as never,
  })
  const mask = '{{ data.number }}'
  const duplicate = await client.tokens.create({
    type: 'card',
    data: updatedCard,
    mask,
    containers: ['/other/'],
  })
  expect([duplicate.id, duplicate._extras]).toEqual([first.id, unchanged])
  expect(JSON.stringify(duplicate)).not.toContain(card.number)
  const { _extras, ...token } = first
  expect(await full.client.tokens.get({ id: first.id })).toEqual(token)
})

test('T-10 O-01 update_existing applies to public keys, tokenize, token intents and createMany', async () => {
  const { vault, full } = await openVaultWithSettings()
  const { owner } = vault
  const { id } = await owner.tokens.create({ type: 'card', data: card })
  const readYear = async () => (await owner.tokens.get({ id })).card?.expiration_year
  const page = await vault.application({ type: 'public', permissions: ['token:create'] })
  expect((await page.client.tokens.create({ type: 'card', data: updatedCard })).id).toBe(id)
  expect(await readYear()).toBe(2031)
  await full.client.tokens.tokenize({ payload: { card: { type: 'card', data: updatedCard } } })
  expect(await readYear()).toBe(2035)
  const batch = [{ type: 'card', data: card }]
  expect((await owner.tokens.createMany({ tokens: batch, dry_run: true })).ids).toEqual([id])
  expect(await readYear()).toBe(2035)
  expect((await owner.tokens.createMany({ tokens: batch })).ids).toEqual([id])
  expect(await readYear()).toBe(2031)
  const intent = await owner.tokenIntents.create({ type: 'card', data: updatedCard })
  expect((await owner.tokens.create({ token_intent_id: intent.id })).id).toBe(id)
  expect(await readYear()).toBe(2035)
})

test('T-10 L-02 a duplicate in one createMany replaces the metadata by which its token is found', async () => {
  const { vault } = await openVaultWithSettings()
  const { owner } = vault
  const [of, to] = ['before', 'after'].map((stage) => ({ type: 'card', data: card, metadata: { stage } }))
  const { ids } = await owner.tokens.createMany({ tokens: [of, to] })
  expect(ids[1]).toBe(ids[0])
  const findByStage = async (stage: string) => (await owner.tokens.list({ metadata: { stage } })).data
  expect(await findByStage('before')).toEqual([])
  expect(await findByStage('after')).toMatchObject([{ id: ids[0], metadata: { stage: 'after' } }])
})

test('T-10 A-12 update_existing rejects an invalid update, and repeating its request changes nothing', async () => {
  const { vault, full } = await openVaultWithSettings()
  const first = await full.client.tokens.create({ type: 'card', data: card, metadata: { a: '1' } })
  const expired = '2029-01-01'
  expect(
    await catchProblem(full.client.tokens.create({ type: 'card', data: card, expires_at: expired })),
  ).toMatchObject({
    status: 400,
  })
  const { _extras, ...token } = first
  expect(await full.client.tokens.get({ id: first.id })).toEqual(token)
  const client = full.with({ idempotency: { key: 'once', method: 'POST', path: '/tokens' } })
  await client.tokens.create({ type: 'card', data: updatedCard })
  await vault.owner.tokens.update({ id: first.id, data: { expiration_year: 2040 } })
  expect(await client.tokens.create({ type: 'card', data: updatedCard })).toMatchObject({
    id: first.id,
    data: { expiration_year: 2040 },
    _extras: updated,
  })
})

test('T-10 O-03 a converted intent is merged into its duplicate, whatever the behavior of the tenant', async () => {
  const { vault, full } = await openVaultWithSettings({
    ...settings,
    token_deduplication_behavior: 'read_existing',
  })
  const { owner, clock } = vault
  const hook = {
    name: 'hook',
    url: 'http://localhost:3000',
    events: ['token.updated', 'token-intent.converted'],
  }
  const metadata = { a: '1', b: '2' }
  const first = await full.client.tokens.create({ type: 'card', data: { ...card, cvc: '123' }, metadata })
  await owner.webhooks.create(hook as never)
  clock.advance(1000)
  const intent = await owner.tokenIntents.create({ type: 'card', data: { ...updatedCard, cvc: '999' } })
  const converted = await full.client.tokens.create({ token_intent_id: intent.id, metadata: { b: '3' } })
  expect(converted).toMatchObject({
    id: first.id,
    data: { ...updatedCard, cvc: '123' },
    metadata: { a: '1', b: '3' },
    containers: first.containers,
    modified_by: full.id,
    _extras: updated,
  })
  const { _extras, ...token } = converted
  expect(await full.client.tokens.get({ id: first.id })).toEqual(token)
  const types = captureEvents(vault)
    .takeEvents()
    .map(({ type }) => type)
  expect(types).toEqual(['token.updated', 'token-intent.converted'])
  const [record] = (await owner.logs.list({ entity_id: first.id, action: 'tokens.create', size: 1 })).data
  expect(record?.note).toContain('updated: reveal, by rule 1 on / (token:update)')
  expect((await catchProblem(owner.tokenIntents.get({ id: intent.id }))).status).toBe(404)
})

test('T-10 O-03 X-51 converting an intent without permission to update leaves the duplicate unchanged', async () => {
  const { vault, full } = await openVaultWithSettings()
  const first = await full.client.tokens.create({ type: 'card', data: card })
  const { client } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const { id } = await vault.owner.tokenIntents.create({ type: 'card', data: updatedCard })
  expect(await client.tokens.create({ token_intent_id: id })).toMatchObject({
    id: first.id,
    _extras: unchanged,
  })
  expect((await full.client.tokens.get({ id: first.id })).card?.expiration_year).toBe(2031)
})

test('T-10 O-03 without deduplication, a converted intent becomes a token of its own', async () => {
  const { vault, full } = await openVaultWithSettings({ ...settings, deduplicate_tokens: 'false' })
  const first = await full.client.tokens.create({ type: 'card', data: card })
  const { id } = await vault.owner.tokenIntents.create({ type: 'card', data: updatedCard })
  const converted = await full.client.tokens.create({ token_intent_id: id })
  expect(converted._extras).toEqual({ deduplicated: false })
  expect(converted.id).not.toBe(first.id)
})
