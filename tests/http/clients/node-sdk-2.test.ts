import { BasisTheory, BasisTheoryClient } from 'basis-theory-node-sdk-2'
import { expect, test } from 'vitest'
import { awaitRejection, card, collectAll, startClientServer } from './start.ts'

async function startClients() {
  const started = await startClientServer()
  const createClient = (apiKey: string) => new BasisTheoryClient({ apiKey, baseUrl: started.url })
  return {
    ...started,
    createClient,
    management: createClient(started.management.key),
    backend: Object.assign(createClient(started.backend.key), { id: started.backend.id }),
    browser: createClient(started.browser.key),
  }
}

test('T-01 T-12 node-sdk 2: tokens are created, fetched, updated and deleted', async () => {
  const { backend } = await startClients()
  const created = await backend.tokens.create({
    id: 'jo hn@x.com',
    type: 'card',
    data: card,
    metadata: { k: 'v' },
  })
  expect(created).toMatchObject({
    id: 'jo hn@x.com',
    data: card,
    createdAt: new Date('2030-01-01T00:00:00Z'),
  })
  expect(await backend.tokens.get('jo hn@x.com')).toMatchObject({ data: card, metadata: { k: 'v' } })
  expect(await backend.tokens.update('jo hn@x.com', { metadata: { a: 'b' } })).toMatchObject({
    metadata: { k: 'v', a: 'b' },
  })
  await backend.tokens.delete('jo hn@x.com')
  expect(await awaitRejection(backend.tokens.get('jo hn@x.com'))).toBeInstanceOf(BasisTheory.NotFoundError)
})

test('L-05 L-06 L-07 L-08 node-sdk 2: lists and searches page to the end', async () => {
  const { backend } = await startClients()
  const made: (string | undefined)[] = []
  for (let at = 0; at < 5; at++) {
    const token = await backend.tokens.create({
      type: 'card_number',
      data: '4242424242424242',
      metadata: { k: 'v', at: String(at) },
      searchIndexes: ['{{ data | last4 }}'],
    })
    made.push(token.id)
  }
  const [first = '', second = ''] = made
  const listIds = (tokens: BasisTheory.Token[]) => tokens.map(({ id }) => id)
  const sorted = made.toSorted()
  expect(listIds(await collectAll(await backend.tokens.list({ size: 2 }))).sort()).toEqual(sorted)
  expect(
    listIds(await collectAll(await backend.tokens.list({ metadata: { K: 'V', at: '1' }, size: 1 }))),
  ).toEqual([second])
  expect(
    listIds(await collectAll(await backend.tokens.list({ id: [first, second], size: 1 }))).sort(),
  ).toEqual([first, second].sort())
  expect(
    listIds(await collectAll(await backend.tokens.search({ query: 'data:4242', size: 2 }))).sort(),
  ).toEqual(sorted)
  expect(
    listIds(await collectAll(await backend.tokens.search({ query: 'metadata.k:v AND metadata.at:0' }))),
  ).toEqual([first])
  expect(
    listIds(await collectAll(await backend.tokens.listV2({ type: 'card_number', size: 2 }))).sort(),
  ).toEqual(sorted)
  expect(listIds(await collectAll(await backend.tokens.listV2({ metadata: { at: '1' } })))).toEqual([second])
  expect(
    listIds(await collectAll(await backend.tokens.searchV2({ query: 'data:4242', size: 2 }))).sort(),
  ).toEqual(sorted)
})

test('L-10 node-sdk 2: the deprecated lists give 410 if the tenant disables them', async () => {
  const { backend, management } = await startClients()
  await management.tenants.self.update({ name: 'Test', settings: { deprecated_operations: 'gone' } })
  expect(await awaitRejection(backend.tokens.list())).toMatchObject({ statusCode: 410 })
  expect(await awaitRejection(backend.tokens.search({ query: 'data:1' }))).toMatchObject({ statusCode: 410 })
})

test('O-01 O-02 O-03 node-sdk 2: a payload is tokenized and detokenized, and a token intent used', async () => {
  const { backend, browser } = await startClients()
  const { name } = (await backend.tokens.tokenize({ name: 'John' })) as { name: string }
  expect(await backend.tokens.detokenize([`{{ ${name} }}`])).toEqual(['John'])
  const intent = await browser.tokenIntents.create({ type: 'card', data: card })
  expect(await backend.tokenIntents.get(intent.id as string)).toMatchObject({ type: 'card' })
  const token = await backend.tokens.create({ tokenIntentId: intent.id as string })
  expect(token.fingerprint).toBe(intent.fingerprint)
  const other = await browser.tokenIntents.create({ type: 'card', data: card })
  await backend.tokenIntents.delete(other.id as string)
})

test('K-01 K-03 K-04 P-06 node-sdk 2: applications and keys are created, read and deleted', async () => {
  const { management, backend, createClient } = await startClients()
  const created = await management.applications.create({
    name: 'My App',
    type: 'private',
    permissions: ['token:create'],
  })
  const id = created.id as string
  const key = await management.applicationKeys.create(id)
  expect(await createClient(key.key as string).applications.getByKey()).toMatchObject({ id })
  expect(await management.applicationKeys.list(id)).toHaveLength(2)
  expect(await management.applicationKeys.get(id, key.id as string)).toMatchObject({ id: key.id })
  await management.applicationKeys.delete(id, key.id as string)
  expect(await collectAll(await management.applications.list({ size: 1 }))).toHaveLength(4)
  expect(await management.applications.update(id, { name: 'n', permissions: ['token:read'] })).toMatchObject({
    name: 'n',
    keys: [{ id: expect.any(String) }],
  })
  await management.applications.delete(id)
  expect(await awaitRejection(management.applications.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)
  expect(await awaitRejection(backend.applications.list())).toBeInstanceOf(BasisTheory.ForbiddenError)
})

test('O-04 O-05 O-06 B-01 P-01 node-sdk 2: a session expires, and bank, log and tenant calls succeed', async () => {
  const { vault, management, backend, browser, createClient } = await startClients()
  const token = await backend.tokens.create({
    type: 'bank',
    data: { routing_number: '021000021', account_number: '00001' },
  })
  const tokenId = token.id as string
  expect(await backend.enrichments.bankAccountVerify({ tokenId })).toEqual({ status: 'enabled' })
  const { sessionKey = '', nonce = '' } = await browser.sessions.create()
  await backend.sessions.authorize({ nonce, permissions: ['token:read'] })
  expect(await createClient(sessionKey).tokens.get(tokenId)).toMatchObject({
    data: { account_number: 'X0001' },
  })
  vault.clock.advance(3 * 60_000)
  expect(await awaitRejection(createClient(sessionKey).tokens.get(tokenId))).toBeInstanceOf(
    BasisTheory.UnauthorizedError,
  )
  const records = await collectAll(await management.logs.list({ entityType: 'token', size: 2 }))
  expect(records.map(({ operation }) => operation)).toEqual(['read', 'read', 'read', 'create'])
  expect(await management.logs.getEntityTypes()).toContainEqual({ displayName: 'Session', value: 'session' })
  expect(await management.tenants.self.get()).toMatchObject({ name: 'Test' })
  expect(await management.tenants.self.update({ name: 'n' })).toMatchObject({ name: 'n' })
  expect(await management.tenants.self.getUsageReports()).toMatchObject({ totalTokens: 1 })
  expect(await management.permissions.list()).toContainEqual(expect.objectContaining({ type: 'log:read' }))
})

test('A-04 A-06 A-12 node-sdk 2: each status throws its error class, and an idempotency key creates one token', async () => {
  const { backend, browser, createClient } = await startClients()
  const options = { idempotencyKey: 'idem-1' }
  const first = await backend.tokens.create({ id: 'taken', type: 'token', data: 'x' }, options)
  expect((await backend.tokens.create({ type: 'token', data: 'y' }, options)).id).toBe(first.id)
  const wrong = { type: 'card', data: { number: '4242424242424241' } }
  expect(await awaitRejection(backend.tokens.create(wrong))).toBeInstanceOf(BasisTheory.BadRequestError)
  expect(await awaitRejection(createClient('wrong').tokens.get('taken'))).toBeInstanceOf(
    BasisTheory.UnauthorizedError,
  )
  expect(await awaitRejection(browser.tokens.get('taken'))).toBeInstanceOf(BasisTheory.ForbiddenError)
  expect(await awaitRejection(backend.tokens.get('nobody'))).toBeInstanceOf(BasisTheory.NotFoundError)
  expect(
    await awaitRejection(backend.tokens.create({ id: 'taken', type: 'token', data: 'x' })),
  ).toBeInstanceOf(BasisTheory.ConflictError)
})
