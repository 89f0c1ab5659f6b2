import { BasisTheory as LegacyClient } from '@basis-theory/basis-theory-js'
import { BasisTheoryClient as Client5 } from '@basis-theory/node-sdk'
import { BasisTheoryClient as Client2 } from 'basis-theory-node-sdk-2'
import { expect, test } from 'vitest'
import { awaitRejection, collectAll, startClientServer } from './start.ts'

const destinationUrl = 'https://echo.coffer.test/v1'
const tokenize = {
  type: 'tokenize',
  options: { identifier: 'pan', token: { type: 'card_number', data: '{{ res.pan }}' } },
} as const

async function startProxyServer() {
  const { vault, url, port, backend } = await startClientServer()
  const permissions = ['proxy:create', 'proxy:read', 'proxy:update', 'proxy:delete']
  const management = await vault.application({ type: 'management', permissions } as never)
  return { url, port, backend, apiKey: management.key }
}

test('G-01 node-sdk 5: proxies are created, listed, updated, patched and deleted', async () => {
  const { url, apiKey, backend } = await startProxyServer()
  const { proxies } = new Client5({ apiKey, environment: url })
  const created = await proxies.create({
    name: 'pay',
    destinationUrl,
    application: { id: backend.id },
    configuration: { SECRET: 'shh' },
    requireAuth: true,
    responseTransforms: [tokenize, { type: 'append_text', options: { value: '\n' } }],
  })
  expect(created).toMatchObject({
    name: 'pay',
    destinationUrl,
    applicationId: backend.id,
    key: expect.stringMatching(/^[0-9a-f]{12}$/),
    state: 'active',
    configuration: { SECRET: 'shh' },
    responseTransforms: [tokenize, { type: 'append_text' }],
    createdAt: new Date('2030-01-01T00:00:00Z'),
  })
  const id = created.id as string
  expect(await proxies.get(id)).toEqual(created)
  await proxies.create({ name: 'other', destinationUrl })
  expect((await collectAll(await proxies.list({ size: 1 }))).map(({ name }) => name)).toEqual([
    'other',
    'pay',
  ])
  expect((await collectAll(await proxies.list({ name: 'p*' }))).map(({ name }) => name)).toEqual(['pay'])
  expect((await collectAll(await proxies.list({ id: [id] }))).map(({ name }) => name)).toEqual(['pay'])
  const updated = await proxies.update(id, { name: 'paid', destinationUrl, requireAuth: false })
  expect(updated).toMatchObject({ id, key: created.key, name: 'paid', requireAuth: false, configuration: {} })
  expect(updated).not.toHaveProperty('responseTransforms')
  await proxies.patch(id, { name: 'patched', configuration: { A: 'b' } })
  expect(await proxies.get(id)).toMatchObject({
    name: 'patched',
    requireAuth: false,
    configuration: { A: 'b' },
  })
  await proxies.delete(id)
  expect(await awaitRejection(proxies.get(id))).toMatchObject({ statusCode: 404 })
  expect(await awaitRejection(proxies.create({ name: '', destinationUrl: 'nowhere' }))).toMatchObject({
    statusCode: 400,
    body: { errors: { name: expect.anything(), destination_url: expect.anything() } },
  })
})

test('G-01 node-sdk 2: proxies are created, listed, updated, patched and deleted', {
  tags: 'thorough',
}, async () => {
  const { url, apiKey } = await startProxyServer()
  const { proxies } = new Client2({ apiKey, baseUrl: url })
  const created = await proxies.create({ name: 'pay', destinationUrl, configuration: { SECRET: 'shh' } })
  const id = created.id as string
  expect(await proxies.get(id)).toMatchObject({ id, state: 'active', configuration: { SECRET: 'shh' } })
  await proxies.create({ name: 'other', destinationUrl })
  expect(await collectAll(await proxies.list({ size: 1 }))).toHaveLength(2)
  expect(await proxies.update(id, { name: 'paid', destinationUrl })).toMatchObject({ name: 'paid' })
  await proxies.patch(id, { name: 'patched' })
  expect(await proxies.get(id)).toMatchObject({ name: 'patched' })
  await proxies.delete(id)
  expect(await awaitRejection(proxies.get(id))).toMatchObject({ statusCode: 404 })
})

test('G-01 G-04 basis-theory-js: proxies are managed and called', async () => {
  const { port, apiKey, backend } = await startProxyServer()
  const createClient = (key: string) =>
    new LegacyClient().init(key, { apiBaseUrl: `http://localhost:${port}`, disableTelemetry: true })
  const { proxies } = await createClient(apiKey)
  const created = await proxies.create({
    name: 'pay',
    destinationUrl,
    configuration: { SECRET: 'shh' },
  } as never)
  const id = created.id as string
  expect(await proxies.retrieve(id)).toMatchObject({ id, name: 'pay', destinationUrl })
  expect((await proxies.list()).data).toHaveLength(1)
  expect(await proxies.update(id, { name: 'paid', destinationUrl } as never)).toMatchObject({ name: 'paid' })
  await proxies.patch(id, { name: 'patched' } as never)
  expect(await proxies.retrieve(id)).toMatchObject({ name: 'patched' })
  const caller = await createClient(backend.key)
  const { id: token } = await caller.tokens.create({ type: 'token', data: 'put in' })
  const response = await caller.proxy.post({
    path: 'charges',
    headers: { 'BT-PROXY-KEY': created.key as string },
    query: { q: '1' },
    body: { value: `{{ ${token} }}` },
  })
  expect(response).toMatchObject({ method: 'POST', path: '/v1/charges', query: '?q=1' })
  await proxies.delete(id)
  expect(await awaitRejection(proxies.retrieve(id))).toMatchObject({ status: 404 })
})
