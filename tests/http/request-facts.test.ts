import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { startListener } from '../listener.ts'

async function startTokenListener(options: { strict?: boolean } = {}) {
  const listener = await startListener(options)
  const app = await listener.vault.application({
    permissions: ['token:create', 'token:read', 'token:search'],
  })
  /** Returns the last record as the owner sees it. */
  const getLatestRecord = async () => {
    const [record] = (await listener.vault.owner.logs.find({ size: 1 })).data
    return listener.vault.owner.logs.get({ id: record?.id ?? '' })
  }
  return { ...listener, app, getLatestRecord }
}

test('O-05 a record has the sizes, program, headers and invalid members of a request', async () => {
  const { request, app, getLatestRecord, vault } = await startTokenListener()
  const raw = '{"type": "token", "data": "hidden away"}'
  const headers = {
    'User-Agent': 'shop/2.1',
    Accept: 'application/json',
    'Idempotency-Key': 'nobody reads it',
    'BT-Idempotency-Key': 'order-17',
    Cookie: 'session=hidden',
    Authorization: 'Bearer hidden',
    'X-Customer': 'hidden',
  }
  const created = await request('POST', '/tokens', { key: app.key, raw, headers })
  const record = await getLatestRecord()
  expect(record).toMatchObject({
    method: 'POST',
    path: '/tokens',
    agent: 'shop/2.1',
    request_bytes: Buffer.byteLength(raw),
    answer_bytes: Buffer.byteLength(created.text),
    key_hint: app.key.slice(-4),
  })
  expect(record.headers).toEqual({
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(raw)),
    'idempotency-key': 'sent',
  })
  const wrong = await request('POST', '/tokens', { key: app.key, body: { type: 'token', colour: 'red' } })
  const rejected = await getLatestRecord()
  expect(rejected.answer_bytes).toBe(Buffer.byteLength(wrong.text))
  expect([rejected.detail, rejected.errors]).toEqual([wrong.body.detail, wrong.body.errors])
  const malformed = await request('POST', '/tokens', { key: app.key, raw: '{"type":' })
  expect(await getLatestRecord()).toMatchObject({
    status: 400,
    request_bytes: 8,
    answer_bytes: malformed.text.length,
  })

  const all = JSON.stringify([record, rejected, await vault.owner.logs.find({ size: 50 })])
  expect(all).not.toMatch(/hidden|order-17|nobody reads/)
})

test('O-05 the records of GET /logs have no undocumented members', async () => {
  const { request, app, vault } = await startTokenListener({ strict: true })
  await request('POST', '/tokens', { key: app.key, body: { type: 'token' } })
  const reader = await vault.application({ type: 'management', permissions: ['log:read'] })
  const { body } = await request('GET', '/logs?status=4xx', { key: reader.key })
  expect(Object.keys(body.data[0]).sort()).toEqual(
    [
      ...[
        'id',
        'tenant_id',
        'actor_id',
        'actor_type',
        'entity_type',
        'operation',
        'action',
        'method',
        'path',
        'key_hint',
      ],
      ...['status', 'code', 'message', 'note', 'trace_id', 'duration_ms', 'created_at'],
    ].sort(),
  )
  expect((await request('GET', '/logs?agent=x', { key: reader.key })).status).toBe(400)
  const earlier = await request('GET', '/logs?operation=tokens.create', { key: reader.key })
  expect(earlier.body.errors).toEqual({
    operation: ['is no filter; use action, such as action=tokens.create'],
  })
})

test('O-05 a record stores only known names and harmless values of a query', async () => {
  const { request, app, getLatestRecord } = await startTokenListener()
  const query = [
    'page=2&size=50&type=card&container=/cust/ada/&fingerprint=abc',
    'metadata.email=ada@example.com&metadata%5Bssn%5D=078-05-1120',
  ].join('&')
  await request('GET', `/tokens?${query}`, { key: app.key })
  expect((await getLatestRecord()).query).toEqual({
    page: '2',
    size: '50',
    type: 'card',
    container: null,
    fingerprint: null,
    metadata: null,
  })
  await request('GET', '/tokens?4242424242424242=1&size=4242424242424242&type=hunter2&__proto__=x', {
    key: app.key,
  })
  expect((await getLatestRecord()).query).toEqual({ '…': null, size: null, type: null })
})

test('O-05 card numbers and keys are hidden in every stored header', async () => {
  const { request, app, getLatestRecord } = await startTokenListener()
  const headers = {
    'User-Agent': `shop 4242 4242 4242 4242 ${app.key} ${'x'.repeat(500)}`,
    Accept: `text/${app.key}, 4242424242424242`,
  }
  await request('GET', '/tokens', { key: app.key, headers })
  const { agent, headers: kept } = await getLatestRecord()
  const text = JSON.stringify([agent, kept])
  expect(text).not.toContain('4242 4242')
  expect(text).not.toContain('42424242')
  expect(text).not.toContain(app.key.slice(10))
  expect(agent?.length).toBeLessThanOrEqual(121)
})

test('O-05 a record never contains a key, wherever in the request it was sent', async () => {
  const { request, app, vault } = await startTokenListener()
  const { key } = app
  const rest = key.slice('key_local_pvt_'.length)
  const headers = {
    'SVC-TRACE-ID': key,
    'User-Agent': key,
    Accept: key,
    'Content-Type': `application/json; x=${key}`,
  }
  await request('GET', `/tokens/${key}`, { key, headers })
  await request('GET', `/tokens/a%2F${key}%2Fb`, { key })
  await request('GET', `/tokens?${key}=${key}&container=${key}&start=${key}`, { key })
  await request('POST', '/tokens', { key, body: { type: 'token', [key]: key, data: 'x' }, headers })
  await request('GET', `/proxy/${key}/b?bt-proxy-key=${key}`, { key })
  await request('GET', '/proxy/services/T0123ABCD/aBcDeFgH0123456789iJkL', { key })
  const { data } = await vault.owner.logs.find({ size: 20 })
  const all = await Promise.all(data.map(({ id }) => vault.owner.logs.get({ id })))
  expect(all.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\/tokens\/key_…#/),
      '/proxy/key_…/b',
      '/proxy/services/T0123ABCD/aBcD…',
    ]),
  )
  for (const piece of [rest.slice(0, 8), rest.slice(-8)]) expect(JSON.stringify(all)).not.toContain(piece)
  // A search for the complete value finds the records, although they contain only a masked form.
  const found = await vault.owner.logs.find({ trace_id: key })
  expect(found.data).toHaveLength(2)
})

test('O-05 secrets of other services are hidden in headers, but not names of programs', async () => {
  const { request, app, getLatestRecord } = await startTokenListener()
  const secrets = [
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'glpat-AbCdEf1234567890GhIj',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dozjgNryP4J3jVmNHl0w5N',
    'dXNlcjpwYXNzd29yZA==',
    'a1b2c3d4-e5f6-a7b8-c9d0-e1f2a3b4c5d6',
  ]
  for (const secret of secrets) {
    await request('GET', '/tokens', {
      key: app.key,
      headers: { 'User-Agent': `x ${secret}`, Accept: secret },
    })
    const { agent, headers } = await getLatestRecord()
    const kept = JSON.stringify([agent, headers])
    for (let at = 0; at + 10 <= secret.length; at += 5) expect(kept).not.toContain(secret.slice(at, at + 10))
  }
  const ordinary = [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0',
    'python-requests/2.32.3',
    'Apache-HttpClient/4.5.14 (Java/17.0.9)',
    'Microsoft-WinHTTP-Client/11',
  ]
  for (const name of ordinary) {
    await request('GET', '/tokens', { key: app.key, headers: { 'User-Agent': name } })
    expect((await getLatestRecord()).agent).toBe(name)
  }
})

test('O-05 a record stores the name of every query parameter of the API', async () => {
  const { request, app, getLatestRecord } = await startTokenListener()
  const paths = Object.values(
    openApi('http://x').paths as Record<
      string,
      Record<string, { parameters?: { in: string; name: string }[] }>
    >,
  )
  const names = paths
    .flatMap((path) => Object.values(path))
    .flatMap(({ parameters = [] }) =>
      parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    )
  const query = [...new Set(names)].map((name) => `${name}=x`).join('&')
  await request('GET', `/tokens?${query}`, { key: app.key })
  expect(Object.keys((await getLatestRecord()).query ?? {})).not.toContain('…')
})
