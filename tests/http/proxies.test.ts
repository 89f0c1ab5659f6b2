import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../shared/json.ts'
import { startListener } from '../listener.ts'
import { startTestServer } from './test-server.ts'

const url = 'https://api.example.com/v1'

async function startManaged() {
  const { request, vault } = await startListener()
  const { key } = await vault.application({
    type: 'management',
    permissions: ['proxy:create', 'proxy:read', 'proxy:update', 'proxy:delete'],
  })
  return (method: string, path: string, body?: Json, headers: Record<string, string> = {}) =>
    request(method, path, { key, headers, ...(body !== undefined && { body }) })
}

test('G-01 a proxy can be created, read, listed and deleted', async () => {
  const send = await startManaged()
  const input = {
    name: 'Payments',
    destination_url: url,
    request_transforms: [{ type: 'append_header', options: { location: 'X-Shop', value: '1' } }],
    response_transform: { matcher: 'regex', type: 'mask', expression: '"pan":"(.*?)"', replacement: '*' },
    configuration: { shop: 'ada' },
    require_auth: false,
    disable_detokenization: true,
  }
  const created = await send('POST', '/proxies', input)
  expect(created.status).toBe(201)
  const { id, key } = created.body as { id: string; key: string }
  expect(created.headers.get('location')).toBe(`/proxies/${id}`)
  expect(key).toMatch(/^[0-9a-f]{12}$/)
  expect(created.body).toMatchObject({ ...input, state: 'active' })
  expect((await send('GET', `/proxies/${id}`)).body).toEqual(created.body)
  expect((await send('GET', '/proxies')).body).toMatchObject({
    pagination: { total_items: 1 },
    data: [created.body],
  })
  expect((await send('DELETE', `/proxies/${id}`)).status).toBe(204)
  expect((await send('GET', `/proxies/${id}`)).status).toBe(404)
})

test('G-01 PUT resets the members absent from its body, and PATCH leaves them unchanged', async () => {
  const send = await startManaged()
  const { id, key } = (
    await send('POST', '/proxies', {
      name: 'a',
      destination_url: url,
      configuration: { a: '1', b: '2' },
      require_auth: false,
    })
  ).body as { id: string; key: string }
  const patched = await send('PATCH', `/proxies/${id}`, { configuration: { a: null, c: '3' }, name: 'b' })
  expect(patched).toMatchObject({ status: 204 })
  expect((await send('GET', `/proxies/${id}`)).body).toMatchObject({
    key,
    name: 'b',
    configuration: { b: '2', c: '3' },
    require_auth: false,
  })
  const replaced = await send('PUT', `/proxies/${id}`, { name: 'c', destination_url: url })
  expect(replaced.status).toBe(200)
  expect(replaced.body).toMatchObject({ key, name: 'c', configuration: {}, require_auth: true })
  expect(
    (await send('PATCH', `/proxies/${id}`, { name: 'd' }, { 'Content-Type': 'application/json' })).status,
  ).toBe(415)
})

test('G-01 lists have numbered pages and filter by name and id', async () => {
  const send = await startManaged()
  const ids: string[] = []
  for (const name of ['pay_1', 'pay%2', 'other'])
    ids.push(((await send('POST', '/proxies', { name, destination_url: url })).body as { id: string }).id)
  const listNames = async (query: string) =>
    ((await send('GET', `/proxies?${query}`)).body as { data: { name: string }[] }).data.map(
      ({ name }) => name,
    )
  expect(await listNames('name=pay*')).toEqual(['pay%2', 'pay_1'])
  expect(await listNames('name=pay_*')).toEqual(['pay_1'])
  expect(await listNames('name=PAY%25*')).toEqual(['pay%2'])
  expect(await listNames(`id=${ids[0]}&id=${ids[2]}`)).toEqual(['other', 'pay_1'])
  expect(await listNames('size=2&page=2')).toEqual(['pay_1'])
  expect(await listNames('page=9')).toEqual([])
})

test.each([
  ['http: to another machine', { destination_url: 'http://api.example.com' }, 'destination_url'],
  ['an IP address', { destination_url: 'https://10.0.0.7/' }, 'destination_url'],
  ['a line break', { destination_url: 'https://api.example\n.com' }, 'destination_url'],
  ['another scheme', { destination_url: 'javascript:alert(1)' }, 'destination_url'],
  ['a user', { destination_url: 'https://a:b@api.example.com' }, 'destination_url'],
  ['a fragment', { destination_url: 'https://api.example.com?a=b#c' }, 'destination_url'],
  ['more than 400 characters', { destination_url: `${url}/${'a'.repeat(400)}` }, 'destination_url'],
  ['no name', { name: '' }, 'name'],
  [
    '26 entries',
    { configuration: Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`k${i}`, ''])) },
    'configuration',
  ],
  [
    'a missing application',
    { application: { id: '8f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10' } },
    'application.id',
  ],
  ['an obsolete reactor reference', { request_reactor_id: 'x' }, 'request_reactor_id'],
  ['an unknown type', { request_transform: { type: 'magic' } }, 'request_transform.type'],
  ['a code transform without code', { request_transform: { type: 'code' } }, 'request_transform.code'],
  [
    'code with a matcher',
    { request_transform: { code: 'x', matcher: 'regex' } },
    'request_transform.matcher',
  ],
  [
    'a mask in the request',
    { request_transform: { type: 'mask', matcher: 'chase_stratus_pan', replacement: '*' } },
    'request_transform.type',
  ],
  [
    'a mask without a group',
    { response_transform: { type: 'mask', matcher: 'regex', expression: 'a+', replacement: '*' } },
    'response_transform.expression',
  ],
  [
    'a mask with an invalid expression',
    { response_transform: { type: 'mask', matcher: 'regex', expression: '(', replacement: '*' } },
    'response_transform.expression',
  ],
  [
    'a mask with two characters',
    { response_transform: { type: 'mask', matcher: 'chase_stratus_pan', replacement: '**' } },
    'response_transform.replacement',
  ],
  [
    'an append without a value',
    { response_transforms: [{ type: 'append_text' }] },
    'response_transforms[0].options.value',
  ],
  [
    'an append without a location',
    { request_transforms: [{ type: 'append_json', options: { value: 'x' } }] },
    'request_transforms[0].options.location',
  ],
  ['two code transforms', { request_transforms: [{ code: 'x' }, { code: 'y' }] }, 'request_transforms'],
  [
    'both forms of transforms',
    { request_transform: { code: 'x' }, request_transforms: [{ code: 'x' }] },
    'request_transform',
  ],
  [
    'a duplicate identifier',
    {
      request_transforms: Array(2).fill({
        type: 'tokenize',
        options: { token: { type: 'token', data: '1' }, identifier: 'a' },
      }),
    },
    'request_transforms',
  ],
] as [string, JsonObject, string][])(
  'G-01 a proxy with %s is rejected, naming the member',
  async (_, more, member) => {
    const send = await startManaged()
    const { status, body } = await send('POST', '/proxies', { name: 'p', destination_url: url, ...more })
    expect(status).toBe(400)
    expect(Object.keys((body as { errors: object }).errors)).toContain(member)
  },
)

test.each([
  'http://localhost:3000/a',
  'http://127.0.0.1:3000',
  'http://[::1]:3000',
  'https://echo.coffer.test',
])('G-03 a proxy may have the destination URL %s', async (destination_url) => {
  const send = await startManaged()
  expect((await send('POST', '/proxies', { name: 'p', destination_url })).status).toBe(201)
})

test('G-01 a whole application may be passed, of which only the id counts', async () => {
  const { request, keys, createApplication } = await startTestServer()
  const application = await createApplication({ rules: [], expires_at: '2099-01-01T00:00:00Z' })
  const sendWithApplication = async (
    method: string,
    path: string,
    body: JsonObject,
    type = 'application/json',
  ) => {
    const response = await request(method, path, {
      key: keys.management,
      headers: { 'Content-Type': type },
      body: { ...body, application },
    })
    expect([response.text, response.headers.get('Coffer-Ignored')]).toEqual([expect.any(String), null])
    return response
  }
  const proxy = { name: 'p', destination_url: url }
  const reactor = { name: 'r', code: 'module.exports = () => ({})' }
  for (const [path, body] of [['/proxies', proxy] as const, ['/reactors', reactor] as const]) {
    const { status, body: created } = await sendWithApplication('POST', path, body)
    const { id } = application
    expect([status, created]).toEqual([
      201,
      expect.objectContaining(path === '/proxies' ? { application_id: id } : { application: { id } }),
    ])
    expect((await sendWithApplication('PUT', `${path}/${created.id}`, body)).status).toBe(200)
    const patched = await sendWithApplication(
      'PATCH',
      `${path}/${created.id}`,
      {},
      'application/merge-patch+json',
    )
    expect(patched.status).toBe(204)
  }
})

test('A-12 repeating a create request returns the same proxy', async () => {
  const send = await startManaged()
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'one' }
  const first = await send('POST', '/proxies', { name: 'p', destination_url: url }, headers)
  const again = await send('POST', '/proxies', { name: 'p', destination_url: url }, headers)
  expect(again.body).toEqual(first.body)
})
