import { expect, test } from 'vitest'
import type { Json } from '../../../shared/json.ts'
import { startClientServer } from './start.ts'

// The Terraform provider and its Go client are not available everywhere, so these tests send the requests that the
// provider's source builds. The provider fills omitted values with '', 0 and false.

const agent = {
  'User-Agent': 'HashiCorp Terraform/1.9.0 Basis Theory Terraform Plugin SDK/2.34.0',
  'X-Fern-Language': 'Go',
}

type TerraformResource = { readonly id: string } & Record<string, Json>

/** Returns functions that send the provider's requests for one kind of resource. */
async function createProvider(url: string, key: string, path: string) {
  const sendRequest = async (method: string, at: string, body?: Json) => {
    const response = await fetch(url + at, {
      method,
      headers: { ...agent, 'BT-API-KEY': key, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const readResource = async (id: string): Promise<TerraformResource> => {
    const { status, body } = await sendRequest('GET', `${path}/${id}`)
    expect(status).toBe(200)
    return body
  }
  return {
    /** Creates the resource, and returns the result of reading it. */
    create: async (body: Json) => {
      const response = await sendRequest('POST', path, body)
      expect(response, JSON.stringify(response.body)).toMatchObject({ status: 201 })
      return { created: response.body as TerraformResource, shown: await readResource(response.body.id) }
    },
    update: async (id: string, body: Json) => {
      const response = await sendRequest('PUT', `${path}/${id}`, body)
      expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 })
      return readResource(id)
    },
    destroy: async (id: string) => {
      expect((await sendRequest('DELETE', `${path}/${id}`)).status).toBe(204)
      expect(await sendRequest('GET', `${path}/${id}`)).toMatchObject({ status: 404, body: { status: 404 } })
    },
    sendRequest,
  }
}

const actions = ['create', 'read', 'update', 'delete']

async function startProvider(path: string, permissions: string[], packages: Record<string, string> = {}) {
  const { vault, url, backend } = await startClientServer(packages)
  const { key } = await vault.application({ type: 'management', permissions } as never)
  return { backend, ...(await createProvider(url, key, path)) }
}

const code = 'module.exports = async function (context) {\n  return context;\n};\n'
const token = { type: 'card_number', data: '{{ res.pan }}' }

test('G-01 Terraform: a proxy is active immediately, and empty members are absent', async () => {
  const { backend, create, update, destroy } = await startProvider(
    '/proxies',
    actions.map((each) => `proxy:${each}`),
  )
  const empty = { code: '', expression: '', replacement: '' }
  const runtime = { image: 'node22', warm_concurrency: 0, timeout: 0, resources: '' }
  const noOptions = { identifier: '', value: '', location: '' }
  const { shown } = await create({
    name: 'Terraform proxy',
    destination_url: 'https://echo.coffer.test/post',
    request_transforms: [{ ...empty, type: 'code', code, options: { ...noOptions, runtime } }],
    response_transforms: [
      { ...empty, type: 'mask', matcher: 'regex', expression: '(\\d+)', replacement: '*' },
      { ...empty, type: 'mask', matcher: 'chase_stratus_pan', replacement: '*' },
      { ...empty, type: 'tokenize', options: { ...noOptions, identifier: 'pan', token } },
      { ...empty, type: 'append_json', options: { ...noOptions, value: 'x', location: '$.a' } },
      { ...empty, type: 'append_text', options: { ...noOptions, value: 'end' } },
    ],
    application: { id: backend.id },
    configuration: { TEST_FOO: 'TEST_FOO' },
    require_auth: false,
  })
  const response_transforms = [
    { type: 'mask', matcher: 'regex', expression: '(\\d+)', replacement: '*' },
    { type: 'mask', matcher: 'chase_stratus_pan', replacement: '*' },
    { type: 'tokenize', options: { identifier: 'pan', token } },
    { type: 'append_json', options: { value: 'x', location: '$.a' } },
    { type: 'append_text', options: { value: 'end' } },
  ]
  expect(shown).toMatchObject({
    state: 'active',
    request_transforms: [{ type: 'code', code, options: { runtime } }],
    response_transforms,
    application_id: backend.id,
    configuration: { TEST_FOO: 'TEST_FOO' },
    require_auth: false,
  })
  // The response has no omitted member, because that would be a difference in the next plan.
  expect(shown.response_transforms).toEqual(response_transforms)
  const next = await update(shown.id, {
    name: 'Terraform proxy updated name',
    destination_url: 'https://echo.coffer.test/post',
    request_transforms: [{ ...empty, type: 'code', code }],
    require_auth: true,
  })
  expect(next).toMatchObject({
    state: 'active',
    name: 'Terraform proxy updated name',
    request_transforms: [{ type: 'code', code }],
    configuration: {},
  })
  expect(next).not.toHaveProperty('application_id')
  expect(next).not.toHaveProperty('response_transforms')
  await destroy(shown.id)
})

test('G-01 Terraform before 3.0: a transform in the older form is returned in that form', async () => {
  const { create, destroy } = await startProvider(
    '/proxies',
    actions.map((each) => `proxy:${each}`),
  )
  const { shown } = await create({
    name: 'Older proxy',
    destination_url: 'https://echo.coffer.test/post',
    request_transform: { code },
    response_transform: { type: 'code', code },
    require_auth: true,
  })
  expect(shown).toMatchObject({ request_transform: { code }, response_transform: { type: 'code', code } })
  expect(shown.request_transform).toEqual({ code })
  expect(shown).not.toHaveProperty('request_transforms')
  await destroy(shown.id)
})

test('G-05 an empty member that the type of a transform needs is rejected as missing', async () => {
  const { sendRequest } = await startProvider(
    '/proxies',
    actions.map((each) => `proxy:${each}`),
  )
  const expectErrors = async (side: string, transform: Json) => {
    const proxy = { name: 'p', destination_url: 'https://echo.coffer.test', [side]: [transform] }
    const { status, body } = await sendRequest('POST', '/proxies', proxy)
    expect(status).toBe(400)
    return Object.keys(body.errors)
  }
  expect(await expectErrors('request_transforms', { type: 'code', code: '' })).toEqual([
    'request_transforms[0].code',
  ])
  expect(
    await expectErrors('response_transforms', {
      type: 'mask',
      matcher: 'regex',
      expression: '',
      replacement: '',
    }),
  ).toEqual(['response_transforms[0].replacement', 'response_transforms[0].expression'])
  expect(
    await expectErrors('request_transforms', {
      type: 'append_header',
      options: { value: 'v', location: '' },
    }),
  ).toEqual(['request_transforms[0].options.location'])
})

test('F-01 Terraform: a reactor is active immediately and returned with its runtime', async () => {
  const { backend, create, update, destroy } = await startProvider(
    '/reactors',
    actions.map((each) => `reactor:${each}`),
    { lodash: '4.17.21' },
  )
  const runtime = {
    async: false,
    image: 'node22',
    dependencies: { lodash: '4.17.21' },
    warm_concurrency: 0,
    timeout: 10,
    resources: 'standard',
    permissions: ['token:read'],
  }
  const { shown } = await create({
    name: 'Terraform reactor',
    code,
    application: { id: backend.id },
    configuration: { A: 'b' },
    runtime,
  })
  expect(shown).toMatchObject({
    state: 'active',
    code,
    application: { id: backend.id },
    configuration: { A: 'b' },
  })
  expect(shown.runtime).toEqual(runtime)
  const next = await update(shown.id, { name: 'Terraform reactor 2', code })
  expect(next).toMatchObject({ state: 'active', name: 'Terraform reactor 2' })
  await destroy(shown.id)
})

test("F-03 Terraform: the runtimes of the provider's acceptance tests are returned as they were sent", async () => {
  const { create, update } = await startProvider(
    '/reactors',
    actions.map((each) => `reactor:${each}`),
    { '@basis-theory/node-sdk': '4.2.1', 'is-odd': '3.0.1' },
  )
  const runtime = {
    async: false,
    image: 'node22',
    dependencies: { '@basis-theory/node-sdk': '4.2.1' } as Record<string, string>,
    resolutions: { 'follow-redirects': '1.15.6' } as Record<string, string>,
    warm_concurrency: 1,
    timeout: 10,
    resources: 'standard',
    permissions: ['token:create'],
  }
  const { shown } = await create({ name: 'Terraform reactor', code, configuration: {}, runtime })
  expect(shown).toMatchObject({ state: 'active' })
  expect(shown.runtime).toEqual(runtime)
  const changed = {
    ...runtime,
    dependencies: { ...runtime.dependencies, 'is-odd': '3.0.1' },
    resolutions: { ...runtime.resolutions, 'is-number': '7.0.0' },
  }
  const next = await update(shown.id, {
    name: 'Terraform reactor',
    code,
    configuration: {},
    runtime: changed,
  })
  expect(next).toMatchObject({ state: 'active' })
  expect(next.runtime).toEqual(changed)
  // The provider sends '' and 0 for what the block leaves out.
  const bare = { async: false, image: 'node-bt', warm_concurrency: 0, timeout: 0, resources: '' }
  const { shown: older } = await create({ name: 'node-bt', code, configuration: {}, runtime: bare })
  expect(older.runtime).toEqual(bare)
  for (const timeout of [10, 15]) {
    const asynchronous = { ...bare, async: true, image: 'node22', timeout }
    const { shown: slow } = await create({ name: 'async', code, configuration: {}, runtime: asynchronous })
    expect(slow.runtime).toEqual(asynchronous)
  }
})

test('W-01 Terraform: a webhook is created without a notification address', async () => {
  const { create, update, destroy } = await startProvider(
    '/webhooks',
    actions.map((each) => `webhooks:${each}`),
  )
  const url = 'https://hooks.coffer.test/in'
  const { shown } = await create({ name: 'Hook', url, notify_email: '', events: ['token.created'] })
  expect(shown).toMatchObject({ name: 'Hook', url, events: ['token.created'], status: 'enabled' })
  expect(shown.notify_email ?? '').toBe('')
  const input = await update(shown.id, {
    name: 'Hook',
    url,
    notify_email: 'dev@example.com',
    events: ['token.deleted'],
  })
  expect(input).toMatchObject({ notify_email: 'dev@example.com', events: ['token.deleted'] })
  const taken = await update(shown.id, { name: 'Hook', url, notify_email: '', events: ['token.deleted'] })
  expect(taken.notify_email ?? '').toBe('')
  await destroy(shown.id)
})

test('K-01 Terraform: an application and its key are managed', async () => {
  const { create, update, destroy, sendRequest } = await startProvider(
    '/applications',
    actions.map((each) => `application:${each}`),
  )
  const rule = {
    description: 'Create cards',
    priority: 1,
    container: '/pci/high/',
    transform: 'mask',
    permissions: ['token:create'],
  }
  const { created, shown } = await create({
    name: 'Terraform application',
    type: 'private',
    rules: [rule],
    create_key: false,
  })
  expect(created.keys).toEqual([])
  expect(shown).toMatchObject({ name: 'Terraform application', type: 'private', rules: [rule] })
  expect(shown.permissions ?? []).toEqual([])
  // The resource application_key is created without a body and read separately.
  const key = await sendRequest('POST', `/applications/${shown.id}/keys`)
  expect(key).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^key_local_pvt_/) } })
  const keyPath = `/applications/${shown.id}/keys/${key.body.id}`
  expect(await sendRequest('GET', keyPath)).toMatchObject({ status: 200, body: { id: key.body.id } })
  expect((await sendRequest('DELETE', keyPath)).status).toBe(204)
  const next = await update(shown.id, { name: 'Renamed', permissions: ['token:create'] })
  expect(next).toMatchObject({ name: 'Renamed', permissions: ['token:create'], rules: [] })
  await destroy(shown.id)
})

test('C-01 Terraform: a client encryption key is returned with its expiry time', async () => {
  const { sendRequest } = await startProvider('/keys', ['keys:create', 'keys:read', 'keys:delete'])
  const { status, body } = await sendRequest('POST', '/keys', { expires_at: '2031-01-01T00:00:00Z' })
  expect(status).toBe(201)
  const { body: read } = await sendRequest('GET', `/keys/${body.key_id}`)
  expect(new Date(read.expires_at)).toEqual(new Date('2031-01-01T00:00:00Z'))
  expect((await sendRequest('DELETE', `/keys/${body.key_id}`)).status).toBe(204)
})
