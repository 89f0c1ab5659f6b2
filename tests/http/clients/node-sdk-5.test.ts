import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { awaitRejection, card, collectAll, startClientServer } from './start.ts'

async function startClients() {
  const started = await startClientServer()
  const createClient = (apiKey: string) =>
    new BasisTheoryClient({ apiKey, environment: started.url, maxRetries: 0 })
  return {
    ...started,
    createClient,
    management: Object.assign(createClient(started.management.key), { key: started.management.key }),
    backend: Object.assign(createClient(started.backend.key), { id: started.backend.id }),
    browser: createClient(started.browser.key),
  }
}

const createCardNumber = (at: number) => ({
  type: 'card_number',
  data: '4242424242424242',
  metadata: { at: String(at) },
})

test('T-01 T-08 node-sdk 5: tokens are created, fetched, updated and deleted', async () => {
  const { backend, vault } = await startClients()
  const created = await backend.tokens.create({
    id: 'my id@x.com',
    type: 'card',
    data: card,
    metadata: { customer_id: '3181' },
    searchIndexes: ['{{ data.number | last4 }}'],
    fingerprintExpression: '{{ data.number }}',
    mask: { number: '{{ data.number | reveal_last: 4 }}' },
    containers: ['/pci/low/'],
    deduplicateToken: false,
    expiresAt: '2031-01-01T00:00:00Z',
  })
  expect(created).toMatchObject({
    id: 'my id@x.com',
    tenantId: vault.engine.tenant_id,
    type: 'card',
    data: card,
    card: {
      bin: '42424242',
      last4: '4242',
      brand: 'visa',
      expirationMonth: 12,
      expirationYear: 2030,
      issuer: { country: 'BM', name: 'Test Cards (TEST)' },
      issuerCountry: { alpha2: 'BM', name: 'Bermuda', numeric: '060' },
      segment: 'Consumer',
      product: { code: 'TEST' },
    },
    containers: ['/pci/low/'],
    metadata: { customer_id: '3181' },
    searchIndexes: ['{{ data.number | last4 }}'],
    fingerprintExpression: '{{ data.number }}',
    createdBy: backend.id,
    createdAt: new Date('2030-01-01T00:00:00Z'),
    expiresAt: new Date('2031-01-01T00:00:00Z'),
    extras: { deduplicated: false },
  })
  const got = await backend.tokens.get('my id@x.com')
  expect(got).toMatchObject({ id: created.id, data: card, fingerprint: created.fingerprint })
  const updated = await backend.tokens.update('my id@x.com', {
    data: { cvc: null },
    metadata: { a: 'b' },
    searchIndexes: [],
  })
  const { cvc: _, ...withoutCvc } = card
  expect(updated).toMatchObject({ data: withoutCvc, metadata: { customer_id: '3181', a: 'b' } })
  await backend.tokens.delete('my id@x.com')
  expect(await awaitRejection(backend.tokens.get('my id@x.com'))).toBeInstanceOf(BasisTheory.NotFoundError)
})

test('L-03 L-04 node-sdk 5: lists and searches page to the end by cursor', async () => {
  const { backend } = await startClients()
  const made: (string | undefined)[] = []
  for (let at = 0; at < 5; at++) {
    const token = await backend.tokens.create({
      ...createCardNumber(at),
      searchIndexes: ['{{ data | last4 }}'],
    })
    made.push(token.id)
  }
  const listIds = (tokens: BasisTheory.Token[]) => tokens.map(({ id }) => id).sort()
  expect(listIds(await collectAll(await backend.tokens.listV2({ type: 'card_number', size: 2 })))).toEqual(
    made.sort(),
  )
  expect(listIds(await collectAll(await backend.tokens.listV2({ container: '/pci/', size: 1 })))).toEqual(
    made,
  )
  const [third] = await collectAll(await backend.tokens.listV2({ metadata: { at: '2' } }))
  expect(third?.metadata).toEqual({ at: '2' })
  expect(
    listIds(
      await collectAll(await backend.tokens.listV2({ fingerprint: third?.fingerprint ?? '', size: 3 })),
    ),
  ).toEqual(made)
  expect(listIds(await collectAll(await backend.tokens.searchV2({ query: 'data:4242', size: 2 })))).toEqual(
    made,
  )
  const page = await backend.tokens.listV2({ size: 5 })
  expect([page.data.length, page.hasNextPage()]).toEqual([5, false])
})

test('O-01 O-02 node-sdk 5: payloads are tokenized and detokenized', async () => {
  const { backend } = await startClients()
  const tokenized = (await backend.tokens.tokenize({
    first_name: 'John',
    card: { type: 'card', data: card },
  })) as {
    first_name: string
    card: { id: string; type: string }
  }
  expect(tokenized.card.type).toBe('card')
  const detokenized = await backend.tokens.detokenize({
    name: `{{ ${tokenized.first_name} }}`,
    number: `{{ token: ${tokenized.card.id} | json: '$.data.number' }}`,
  })
  expect(detokenized).toEqual({ name: 'John', number: card.number })
  const list = await backend.tokens.tokenize(['John', { type: 'token', data: 'x' }])
  expect(list).toEqual([expect.any(String), expect.objectContaining({ type: 'token' })])
})

test('O-03 node-sdk 5: token intents are created, fetched, converted and deleted', async () => {
  const { backend, browser } = await startClients()
  const intent = await browser.tokenIntents.create({ type: 'card', data: card })
  expect(intent).toMatchObject({
    type: 'card',
    card: { last4: '4242' },
    fingerprint: expect.any(String),
    expiresAt: new Date('2030-01-02T00:00:00Z'),
  })
  const id = intent.id as string
  expect(await backend.tokenIntents.get(id)).toMatchObject({ id, fingerprint: intent.fingerprint })
  const token = await backend.tokens.create({ tokenIntentId: id })
  expect(token).toMatchObject({ type: 'card', fingerprint: intent.fingerprint })
  expect(token.data).not.toHaveProperty('cvc')
  expect(await awaitRejection(backend.tokenIntents.get(id))).toMatchObject({ statusCode: 404 })
  const again = await browser.tokenIntents.create({ type: 'card', data: { ...card, expiration_year: 2033 } })
  expect(
    await backend.tokens.create({ tokenIntentId: again.id as string, deduplicateToken: true }),
  ).toMatchObject({
    id: token.id,
    card: { expirationYear: 2033 },
    extras: { deduplicated: true, deduplicationBehavior: 'update_existing' },
  })
  const other = await backend.tokenIntents.create({ type: 'token', data: 'x' })
  await backend.tokenIntents.delete(other.id as string)
  expect(await awaitRejection(backend.tokenIntents.delete(other.id as string))).toMatchObject({
    statusCode: 404,
  })
})

test('K-01 K-02 P-06 node-sdk 5: applications are created, listed, updated and deleted', async () => {
  const { management, backend, browser, createClient } = await startClients()
  const created = await management.applications.create({
    name: 'My App',
    type: 'private',
    permissions: ['token:create'],
    rules: [
      { description: 'd', priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] },
    ],
    createKey: true,
  })
  expect(created).toMatchObject({
    name: 'My App',
    type: 'private',
    key: expect.stringMatching(/^key_local_pvt_/),
    keys: [{ id: expect.any(String) }],
    rules: [{ container: '/pci/', transform: 'mask' }],
  })
  const id = created.id as string
  expect((await createClient(created.key as string).tokens.create({ type: 'token', data: 'x' })).type).toBe(
    'token',
  )
  const keys = [{ id: created.keys?.[0]?.id }]
  expect(await management.applications.get(id)).toMatchObject({ id, name: 'My App', keys })
  expect(await backend.applications.getByKey()).toMatchObject({
    id: backend.id,
    keys: [{ id: expect.any(String) }],
  })
  expect(await browser.applications.getByKey()).toMatchObject({ type: 'public' })
  expect(await management.applications.update(id, { name: 'n2', permissions: ['token:read'] })).toMatchObject(
    {
      name: 'n2',
      rules: [],
      keys,
    },
  )
  const all = await collectAll(await management.applications.list({ size: 1 }))
  expect(all.map(({ name }) => name)).toEqual(['n2', 'App', 'App', 'App'])
  expect(
    await collectAll(await management.applications.list({ id: [id, 'nobody'], type: 'private' })),
  ).toHaveLength(1)
  await management.applications.delete(id)
  expect(await awaitRejection(management.applications.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)
})

test('K-03 K-04 node-sdk 5: a fourth application key gets 422, and a deleted key gets 401', async () => {
  const { management, backend, createClient } = await startClients()
  const created = await management.applicationKeys.create(backend.id)
  expect(created).toMatchObject({ id: expect.any(String), key: expect.stringMatching(/^key_local_pvt_/) })
  const keyId = created.id as string
  const listed = await management.applicationKeys.list(backend.id)
  expect(listed.map(({ key }) => key)).toEqual([undefined, undefined])
  expect(await management.applicationKeys.get(backend.id, keyId)).toMatchObject({ id: keyId })
  const second = createClient(created.key as string)
  expect(await second.tokens.create({ type: 'token', data: 'x' })).toMatchObject({ type: 'token' })
  await management.applicationKeys.create(backend.id)
  const fourth = await awaitRejection(management.applicationKeys.create(backend.id))
  expect(fourth).toMatchObject({ statusCode: 422 })
  await management.applicationKeys.delete(backend.id, keyId)
  expect(await awaitRejection(second.tokens.get('x'))).toBeInstanceOf(BasisTheory.UnauthorizedError)
})

test('P-01 O-05 O-06 node-sdk 5: permissions, logs and usage are read, and tenant settings apply', async () => {
  const { management, backend, vault } = await startClients()
  const permissions = await management.permissions.list({ applicationType: 'public' })
  expect(permissions).toContainEqual({
    type: 'token:create',
    description: 'Create Tokens',
    note: expect.stringMatching(/^Deduplication reveals/),
    applicationTypes: ['public', 'private'],
  })
  const token = await backend.tokens.create({ type: 'token', data: 'x' }, { correlationId: 'trace-5' })
  for (let at = 0; at < 4; at++) await backend.tokens.get(token.id as string)
  const records = await collectAll(
    await management.logs.list({
      entityType: 'token',
      entityId: token.id as string,
      startDate: new Date('2029-12-31T00:00:00Z'),
      endDate: new Date('2030-01-02T00:00:00Z'),
      size: 2,
    }),
  )
  expect(records.map(({ operation }) => operation)).toEqual([...['read', 'read', 'read', 'read'], 'create'])
  expect(records[4]).toMatchObject({
    tenantId: vault.engine.tenant_id,
    actorId: backend.id,
    actorType: 'application',
    entityId: token.id,
    createdAt: new Date('2030-01-01T00:00:00Z'),
  })
  const everything = await collectAll(await management.logs.list({ size: 1 }))
  expect(new Set(everything.map((record) => (record as { id?: string }).id)).size).toBe(everything.length)
  expect(await management.logs.getEntityTypes()).toContainEqual({ displayName: 'Token', value: 'token' })

  expect(await management.tenants.self.get()).toMatchObject({ id: vault.engine.tenant_id, name: 'Test' })
  expect(
    await management.tenants.self.update({ name: 'n', settings: { deduplicate_tokens: 'true' } }),
  ).toMatchObject({ name: 'n', settings: { deduplicate_tokens: 'true' }, modifiedAt: new Date('2030-01-01') })
  const { name = '', settings, type, ownerId } = await management.tenants.self.get()
  expect([type, ownerId]).toEqual(['test', expect.stringMatching(/^[0-9a-f-]{36}$/)])
  const wanted = {
    ...settings,
    disable_ephemeral_proxy: 'true',
    token_deduplication_behavior: 'update_existing',
  }
  expect((await management.tenants.self.update({ name, settings: wanted })).settings).toEqual(wanted)
  const again = await backend.tokens.create({ type: 'token', data: 'x' })
  expect([again.id, again.extras?.deduplicated]).toEqual([token.id, true])
  expect(await management.tenants.self.getUsageReports()).toMatchObject({ totalTokens: 1 })
})

test('B-01 B-02 node-sdk 5: a bank account is verified', async () => {
  const { backend } = await startClients()
  const bank = { routing_number: '021000021', account_number: '00001' }
  const token = await backend.tokens.create({ type: 'bank', data: bank })
  expect(await backend.enrichments.bankAccountVerify({ tokenId: token.id as string })).toEqual({
    status: 'enabled',
  })
  const account = await backend.tokens.create({ type: 'us_bank_account_number', data: '00002' })
  expect(
    await backend.enrichments.bankAccountVerify({
      tokenId: account.id as string,
      countryCode: 'US',
      routingNumber: '021000021',
    }),
  ).toEqual({ status: 'inconclusive' })
  expect(await awaitRejection(backend.enrichments.bankAccountVerify({ tokenId: 'nobody' }))).toMatchObject({
    statusCode: 404,
  })
})

test('O-04 node-sdk 5: a session key reads a token only between authorization and expiry', async () => {
  const { vault, backend, browser, createClient } = await startClients()
  const token = await backend.tokens.create({ type: 'token', data: 'for the page' })
  const started = await browser.sessions.create()
  expect(started.expiresAt).toEqual(new Date('2030-01-01T00:03:00Z'))
  const session = createClient(started.sessionKey as string)
  expect(await awaitRejection(session.tokens.get(token.id as string))).toBeInstanceOf(
    BasisTheory.ForbiddenError,
  )
  const rules = [
    {
      description: 'one token',
      priority: 1,
      conditions: [{ attribute: 'id', operator: 'equals', value: token.id as string }],
      transform: 'reveal',
      permissions: ['token:read'],
    },
  ]
  await backend.sessions.authorize({
    nonce: started.nonce as string,
    expiresAt: '2030-01-01T00:10:00Z',
    rules,
  })
  expect(await session.tokens.get(token.id as string)).toMatchObject({ data: 'for the page' })
  expect(
    await awaitRejection(backend.sessions.authorize({ nonce: started.nonce as string, rules })),
  ).toMatchObject({
    statusCode: 409,
  })
  vault.clock.advance(10 * 60_000)
  expect(await awaitRejection(session.tokens.get(token.id as string))).toBeInstanceOf(
    BasisTheory.UnauthorizedError,
  )
})

test('A-11 A-12 node-sdk 5: an idempotency key creates one token, and the trace id is returned', async () => {
  const { backend, management } = await startClients()
  const request = { type: 'token', data: 'x' }
  const first = await backend.tokens
    .create(request, { idempotencyKey: 'idem-1', correlationId: 'trace-1' })
    .withRawResponse()
  expect(first.rawResponse.headers.get('BT-TRACE-ID')).toBe('trace-1')
  expect(first.rawResponse.headers.get('Location')).toBe(`/tokens/${first.data.id}`)
  const second = await backend.tokens.create(request, { idempotencyKey: 'idem-1' })
  expect(second.id).toBe(first.data.id)
  expect((await backend.tokens.create(request)).id).not.toBe(first.data.id)
  expect(await management.tenants.self.getUsageReports()).toMatchObject({ totalTokens: 2 })
})

test('A-04 A-06 node-sdk 5: the client throws the error class of each status', async () => {
  const { backend, browser, management, createClient } = await startClients()
  await backend.tokens.create({ id: 'taken', type: 'token', data: 'x' })
  const wrongNumber = { type: 'card', data: { number: '4242424242424241' } }
  const cases = [
    [() => backend.tokens.create(wrongNumber), BasisTheory.BadRequestError, 400],
    [() => createClient('key_local_pvt_wrong').tokens.get('taken'), BasisTheory.UnauthorizedError, 401],
    [() => browser.tokens.get('taken'), BasisTheory.ForbiddenError, 403],
    [() => backend.tokens.get('nobody'), BasisTheory.NotFoundError, 404],
    [() => backend.tokens.create({ id: 'taken', type: 'token', data: 'x' }), BasisTheory.ConflictError, 409],
    [() => backend.tokens.tokenize(wrongNumber), BasisTheory.BadRequestError, 400],
    [() => backend.tokens.detokenize({ a: '{{ nobody }}' }), BasisTheory.BadRequestError, 400],
    [() => backend.tokens.update('nobody', {}), BasisTheory.NotFoundError, 404],
    [() => management.tokens.create({ type: 'token', data: 'x' }), BasisTheory.ForbiddenError, 403],
    [() => backend.applications.list(), BasisTheory.ForbiddenError, 403],
    [() => management.applications.get('nobody'), BasisTheory.NotFoundError, 404],
    [() => backend.sessions.create(), BasisTheory.ForbiddenError, 403],
  ] as const
  for (const [call, type, status] of cases) {
    const error = await awaitRejection(call())
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ statusCode: status, body: { status, detail: expect.any(String) } })
  }
  const invalid = await awaitRejection(backend.tokens.create(wrongNumber))
  expect(invalid).toMatchObject({ body: { errors: { 'data.number': [expect.any(String)] } } })
})
