import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

async function startTokenListener(options: { strict?: boolean } = {}) {
  const { vault, request } = await startListener(options)
  const { key } = await vault.application({
    rules: [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] },
    ],
  })
  return { vault, request, key }
}

test('O-01 O-02 A-07 any JSON is tokenized and detokenized, with status 200', async () => {
  const { request, key } = await startTokenListener()
  const sendRoundTrip = async (payload: string) => {
    const tokenized = await request('POST', '/tokenize/', { key, raw: payload })
    const back = JSON.stringify(tokenized.body).replace(/"([0-9a-f-]{36})"/g, '"{{ $1 }}"')
    const detokenized = await request('POST', '/detokenize', { key, raw: back })
    return [tokenized.status, detokenized.status, detokenized.body]
  }
  const values = [{ a: 'x', b: [1, true, null] }, ['y'], 'alone', 7, false, null, {}, []]
  for (const value of values) expect(await sendRoundTrip(JSON.stringify(value))).toEqual([200, 200, value])
})

test('O-01 A-08 a payload may have members named like those of a request', async () => {
  const { request, key } = await startTokenListener({ strict: true })
  const response = await request('POST', '/tokenize', { key, body: { payload: 'x', id: 'y' } })
  expect(Object.keys(response.body)).toEqual(['payload', 'id'])
  expect((await request('POST', '/tokenize?a=b', { key, body: {} })).status).toBe(400)
  expect((await request('POST', '/tokenize', { key, raw: '' })).status).toBe(400)
})

test('O-02 a detokenize error names the ids, but no card number', async () => {
  const { request, key } = await startTokenListener()
  const body = { card: '{{ 4242424242424242 }}', more: ['{{ unknown_token_id }}'] }
  const response = await request('POST', '/detokenize', { key, body })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    400,
    'application/json; charset=utf-8',
  ])
  expect(response.body.detail).toBe('Failed to detokenize some tokens: …, unknown_token_id')
  expect(Object.keys(response.body.errors)).toEqual(['card', 'more[0]'])
})

test('O-01 A-12 a tokenize request with an idempotency key is executed once', async () => {
  const { vault, request, key } = await startTokenListener()
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'once', 'Content-Type': 'application/json' }
  const first = await request('POST', '/tokenize', { key, body: ['a'], headers })
  const second = await request('POST', '/tokenize', { key, body: ['a'], headers })
  expect(second.body).toEqual(first.body)
  expect(await vault.owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 1 })
})

test('O-03 A-07 token intents are created with 201 and a Location, deleted with 204', async () => {
  const { vault, request } = await startTokenListener()
  const { key } = await vault.application({
    permissions: ['token-intent:create', 'token-intent:read', 'token-intent:delete'],
  })
  const created = await request('POST', '/token-intents/', { key, body: { type: 'token', data: 'x' } })
  const location = `/token-intents/${created.body.id}`
  expect([created.status, created.headers.get('location')]).toEqual([201, location])
  expect((await request('GET', location, { key })).body).toEqual(created.body)
  const deleted = await request('DELETE', location, { key })
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect((await request('GET', location, { key })).status).toBe(404)
})

test('O-04 A-09 a session starts without a body, with any content type', async () => {
  const { vault, request } = await startTokenListener()
  const browser = await vault.application({ type: 'public', permissions: ['token:create'] })
  const backend = await vault.application({ permissions: ['token:read'] })
  const types = ['application/x-www-form-urlencoded', 'application/json', 'text/plain', 'nonsense']
  for (const type of [undefined, ...types]) {
    const headers = type === undefined ? {} : { 'Content-Type': type }
    const started = await request('POST', '/sessions/', { key: browser.key, headers })
    expect([type, started.status, started.headers.has('location')]).toEqual([type, 201, true])
    const authorized = await request('POST', '/sessions/authorize', {
      key: backend.key,
      body: { nonce: started.body.nonce, permissions: ['token:read'] },
    })
    expect([authorized.status, authorized.body]).toEqual([200, {}])
    expect((await request('GET', '/v2/tokens', { key: started.body.session_key })).status).toBe(200)
  }
})

test('O-06 tenant and usage are found with and without a trailing slash', async () => {
  const { vault, request } = await startTokenListener()
  const { key } = await vault.application({
    type: 'management',
    permissions: ['tenant:read', 'tenant:update', 'report:read'],
  })
  for (const path of ['/tenants/self', '/tenants/self/']) {
    expect((await request('GET', path, { key })).body).toMatchObject({ name: 'Test' })
    const update = { key, body: { name: 'Test', settings: { deduplicate_tokens: 'true' } } }
    expect((await request('PUT', path, update)).body).toMatchObject({
      settings: { deduplicate_tokens: 'true' },
    })
  }
  expect((await request('GET', '/tenants/self/reports/usage', { key })).body).toMatchObject({
    total_tokens: 0,
  })
  expect((await request('DELETE', '/tenants/self', { key })).status).toBe(403)
})
