import { BasisTheory } from '@basis-theory/basis-theory-js'
import { expect, test } from 'vitest'
import { awaitRejection, card, startClientServer } from './start.ts'

async function startClients() {
  const started = await startClientServer()
  // This client uses https for every host but localhost.
  const apiBaseUrl = `http://localhost:${started.port}`
  const createClient = (key: string) => new BasisTheory().init(key, { apiBaseUrl, disableTelemetry: true })
  return {
    ...started,
    createClient,
    management: await createClient(started.management.key),
    backend: await createClient(started.backend.key),
    browser: await createClient(started.browser.key),
  }
}

test('A-10 T-01 T-12 basis-theory-js: tokens are created, fetched, updated and deleted', async () => {
  const { backend } = await startClients()
  const created = await backend.tokens.create({
    type: 'token',
    data: { someKey: 'v' },
    mask: '{{ data.someKey | reveal_last: 4 }}',
    metadata: { customerId: '1' },
    searchIndexes: ['{{ data.someKey }}'],
    deduplicateToken: true,
  })
  expect(created).toMatchObject({
    type: 'token',
    metadata: { customerId: '1' },
    tenantId: expect.any(String),
  })
  expect(await backend.tokens.retrieve(created.id)).toMatchObject({ id: created.id, data: { someKey: 'v' } })
  const updated = await backend.tokens.update(created.id, { metadata: { other: '2' } })
  expect(updated).toMatchObject({ metadata: { customerId: '1', other: '2' } })
  await backend.tokens.delete(created.id)
  expect(await awaitRejection(backend.tokens.retrieve(created.id))).toMatchObject({
    name: 'BasisTheoryApiError',
    status: 404,
  })
})

test('A-10 L-06 L-07 basis-theory-js: raw ids in paths are found, and lists have pages', async () => {
  const { backend } = await startClients()
  for (const id of ['jo hn@x.com', 'b']) {
    const name = id.length < 3 ? 'second' : id
    await backend.tokens.create({
      id: name,
      type: 'card_number',
      data: '4242424242424242',
      metadata: { k: name },
    })
  }
  expect(await backend.tokens.retrieve('jo hn@x.com')).toMatchObject({ id: 'jo hn@x.com' })
  const listed = await backend.tokens.list({ id: ['jo hn@x.com', 'second'], page: 1, size: 1 })
  expect(listed.pagination).toMatchObject({ totalItems: 2, pageNumber: 1, pageSize: 1, totalPages: 2 })
  expect((await backend.tokens.list({ metadata: { k: 'second' } })).data.map(({ id }) => id)).toEqual([
    'second',
  ])
  expect((await backend.tokens.list({ page: 3, size: 1 })).data).toEqual([])
  const found = await backend.tokens.search({ query: 'metadata.k:second', page: 1, size: 5 })
  expect(found.data.map(({ id }) => id)).toEqual(['second'])
})

test('O-01 O-03 basis-theory-js: a payload is tokenized, and a token intent created and deleted', async () => {
  const { backend, browser } = await startClients()
  const tokenized = await backend.tokenize({
    first_name: 'John',
    card: { type: 'card', data: card },
  } as never)
  expect(tokenized).toMatchObject({ first_name: expect.any(String), card: { type: 'card' } })
  const intent = await browser.tokenIntents.create({ type: 'card', data: card } as never)
  expect(intent).toMatchObject({ type: 'card', card: { last4: '4242', expirationMonth: 12 } })
  await backend.tokenIntents.delete(intent.id)
})

test('A-09 K-01 K-04 P-06 basis-theory-js: applications and keys are created, read and deleted', async () => {
  const { management, createClient } = await startClients()
  const created = await management.applications.create({
    name: 'n',
    type: 'private',
    permissions: ['token:create'],
  })
  expect(created.key).toMatch(/^key_local_pvt_/)
  const { id } = created
  const keys = [{ id: expect.any(String), createdAt: expect.any(String) }]
  expect(await management.applications.retrieve(id)).toMatchObject({ id, name: 'n', keys })
  expect((await management.applications.list({ id })).data).toMatchObject([{ id, keys }])
  expect(await (await createClient(created.key as string)).applications.retrieveByKey()).toMatchObject({ id })
  expect(await management.applications.update(id, { name: 'm', permissions: ['token:read'] })).toMatchObject({
    name: 'm',
  })
  const key = await management.applicationKeys.create(id)
  expect(key.key).toMatch(/^key_local_pvt_/)
  expect(await management.applicationKeys.get(id)).toHaveLength(2)
  expect(await management.applicationKeys.getById(id, key.id as string)).toMatchObject({ id: key.id })
  await management.applicationKeys.delete(id, key.id as string)
  expect(await awaitRejection(management.applications.regenerateKey(id))).toMatchObject({ status: 410 })
  await management.applications.delete(id)
  expect(await awaitRejection(management.applications.retrieve(id))).toMatchObject({ status: 404 })
})

test('A-09 O-04 basis-theory-js: an authorized session key reads a token, and gets 401 after expiry', async () => {
  const { vault, backend, browser, createClient } = await startClients()
  const token = await backend.tokens.create({ type: 'token', data: 'for the page' })
  const { sessionKey, nonce } = await browser.sessions.create()
  await backend.sessions.authorize({
    nonce,
    rules: [
      { description: 'd', priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] },
    ],
  } as never)
  const session = await createClient(sessionKey)
  expect(await session.tokens.retrieve(token.id)).toMatchObject({ data: 'for the page' })
  vault.clock.advance(3 * 60_000)
  expect(await awaitRejection(session.tokens.retrieve(token.id))).toMatchObject({ status: 401 })
})

test('P-01 O-05 O-06 basis-theory-js: permissions, logs and usage are read, and the tenant updated', async () => {
  const { management, backend } = await startClients()
  await backend.tokens.create({ type: 'token', data: 'x' })
  expect(await management.permissions.list()).toContainEqual(
    expect.objectContaining({ type: 'token:create' }),
  )
  const logs = await management.logs.list({ entityType: 'token', size: 5 })
  expect(logs.data).toEqual([
    expect.objectContaining({
      entityType: 'token',
      operation: 'create',
      message: 'Token created',
      createdAt: expect.any(String),
    }),
  ])
  expect(await management.tenants.retrieve()).toMatchObject({ name: 'Test', createdAt: expect.any(String) })
  expect(
    await management.tenants.update({ name: 'n', settings: { deduplicate_tokens: 'true' } }),
  ).toMatchObject({
    name: 'n',
  })
  expect(await management.tenants.retrieveUsageReport()).toMatchObject({
    totalTokens: 1,
    tokenReport: { totalTokens: 1 },
  })
})

test('A-04 A-06 A-11 A-12 basis-theory-js: errors have their status, and idempotency keys and trace ids apply', async () => {
  const { backend, browser, management, createClient } = await startClients()
  const options = { idempotencyKey: 'i1', correlationId: 't1' }
  const first = await backend.tokens.create({ type: 'token', data: 'x' }, options)
  expect((await backend.tokens.create({ type: 'token', data: 'x' }, options)).id).toBe(first.id)
  const [record] = (await management.logs.list({ entityType: 'token' })).data
  expect(record).toMatchObject({ traceId: 't1' })
  const taken = { id: 'taken', type: 'token', data: 'x' } as const
  await backend.tokens.create(taken)
  expect(await awaitRejection(backend.tokens.create(taken))).toMatchObject({ status: 409 })
  expect(await awaitRejection(backend.tokens.create({ type: 'card_number', data: '1' }))).toMatchObject({
    status: 400,
    data: { errors: { data: [expect.any(String)] } },
  })
  expect(await awaitRejection((await createClient('wrong')).tokens.retrieve('x'))).toMatchObject({
    status: 401,
  })
  expect(await awaitRejection(browser.tokens.retrieve('x'))).toMatchObject({ status: 403 })
})

test('O-07 basis-theory-js: an unsupported area gives a 404 that names the area', async () => {
  const { management } = await startClients()
  expect(await awaitRejection(management.reactorFormulas.list())).toMatchObject({
    status: 404,
    data: { detail: expect.stringContaining('not part of this version') },
  })
})
