import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { expectShortTurns } from '../longest-block.ts'
import { startDestination, startRawDestination } from '../outbound/destination.ts'
import { catchProblem } from '../vault.ts'
import { getProxyError, number, startProxy } from './start-proxy.ts'

const json = { 'Content-Type': 'application/json' }

/** Responds with the request that arrived. */
const respondWithRequest: RequestListener = async (request, response) => {
  const body = await text(request)
  response
    .writeHead(201, { 'Content-Type': 'application/json', 'X-There': 'yes' })
    .end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
}

test('G-04 an ephemeral call inserts a card and forwards everything else unchanged', async () => {
  const { url } = await startDestination(respondWithRequest)
  const { callProxy, id } = await startProxy()
  const response = await callProxy('POST', '/proxy/v1/charges?expand=a&b=%20', {
    headers: {
      ...json,
      'BT-PROXY-URL': `${url}/base//`,
      'X-Mine': 'kept',
      'X-Number': `{{ ${id} | json: '$.number' | last4 }}`,
    },
    body: `{"card":"{{ ${id} }}","number":"{{ ${id} | json: '$.number' }}","month":"{{ ${id} | json: '$.expiration_month' }}"}`,
  })
  expect(response.status).toBe(201)
  expect(response.headers.get('bt-proxy-destination-status')).toBe('201')
  expect(response.headers.get('svc-proxy-destination-status')).toBe('201')
  expect(response.headers.get('x-there')).toBe('yes')
  const seen = JSON.parse(response.text)
  expect(seen.method).toBe('POST')
  expect(seen.url).toBe('/base/v1/charges?expand=a&b=%20')
  expect(seen.headers).toMatchObject({ 'x-mine': 'kept', 'x-number': '4242' })
  expect(Object.keys(seen.headers).filter((name) => /^(bt|svc)-/.test(name))).toEqual([])
  const sent = JSON.parse(seen.body)
  expect(sent).toMatchObject({ number, month: '12', card: { number, expiration_month: 12, cvc: '123' } })
})

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
  'G-04 a %s call is forwarded with its method',
  async (method) => {
    const { url } = await startDestination(respondWithRequest)
    const { callProxy } = await startProxy()
    const response = await callProxy(method, '/proxy', { headers: { 'SVC-PROXY-URL': url } })
    expect(JSON.parse(response.text)).toMatchObject({ method, url: '/' })
  },
)

test('G-04 O-06 disable_ephemeral_proxy rejects ephemeral calls only', async () => {
  const { callProxy, createProxy, vault } = await startProxy()
  const callEphemeral = () =>
    callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': 'https://echo.coffer.test' } })
  const disableEphemeral = (value: 'true' | 'false') =>
    vault.owner.tenants.update({ name: 'Test', settings: { disable_ephemeral_proxy: value } })
  expect((await callEphemeral()).status).toBe(200)
  await disableEphemeral('true')
  const refused = await callEphemeral()
  expect(refused.status).toBe(403)
  expect(refused.headers.get('BT-PROXY-DESTINATION-STATUS')).toBeNull()
  expect(refused.text).toContain('disable_ephemeral_proxy')
  const { key } = await createProxy({})
  expect((await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-KEY': key } })).status).toBe(200)
  await disableEphemeral('false')
  expect((await callEphemeral()).status).toBe(200)
})

test('X-53 a call without a key inserts no token', async () => {
  const { url, requests } = await startDestination(respondWithRequest)
  const { createProxy, listener, id } = await startProxy()
  const { key } = await createProxy({ destination_url: url, require_auth: false })
  const response = await fetch(`${listener.url}/proxy`, {
    method: 'POST',
    headers: { 'BT-PROXY-KEY': key, ...json },
    body: `{"a":"{{ ${id} }}"}`,
  })
  expect(response.status).toBe(403)
  expect(requests).toHaveLength(0)
})

test('X-53 a page of a foreign origin cannot call a proxy that needs no key', async () => {
  const { url, requests } = await startDestination(respondWithRequest)
  const { createProxy, listener } = await startProxy()
  const { key } = await createProxy({ destination_url: url, require_auth: false })
  const response = await fetch(`${listener.url}/proxy`, {
    headers: { 'BT-PROXY-KEY': key, Origin: 'https://evil.test' },
  })
  expect(response.status).toBe(403)
  expect(requests).toHaveLength(0)
})

test('G-08 the echo redacts token values', async () => {
  const { callProxy, id } = await startProxy()
  const { text } = await callProxy('POST', '/proxy/a?b=c', {
    headers: { ...json, 'BT-PROXY-URL': 'https://echo.coffer.test' },
    body: `{"number":"{{ ${id} | json: '$.number' }}","x":1}`,
  })
  expect(JSON.parse(text)).toMatchObject({
    method: 'POST',
    path: '/a',
    query: '?b=c',
    body: { number: '••••••••', x: 1 },
  })
  expect(text).not.toContain(number)
  // The response is pretty-printed, because it is usually read in a terminal.
  expect(text).toMatch(/^\{\n {2}"method".*\n\}\n$/s)
})

test('G-08 in an in-memory vault, the echo returns token values', async () => {
  const { callProxy, id } = await startProxy({ ephemeral: true })
  const { text } = await callProxy('POST', '/proxy', {
    headers: { ...json, 'BT-PROXY-URL': 'https://echo.coffer.test' },
    body: `{"number":"{{ ${id} | json: '$.number' }}"}`,
  })
  expect(JSON.parse(text)).toMatchObject({ body: { number } })
})

test('X-65 the echo describes JSON that is too deep as text', async () => {
  const { callProxy } = await startProxy()
  const body = '['.repeat(20_000) + ']'.repeat(20_000)
  for (const url of ['https://echo.coffer.test', 'https://echo.basistheory.com/post']) {
    const response = await callProxy('POST', '/proxy', { headers: { ...json, 'BT-PROXY-URL': url }, body })
    expect(response.status).toBe(200)
    expect(JSON.parse(response.text)).toMatchObject(
      url.endsWith('/post') ? { data: body, json: null } : { body },
    )
  }
})

test('X-65 the echo describes a long form as text', async () => {
  const { callProxy } = await startProxy()
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'BT-PROXY-URL': 'https://echo.basistheory.com/post',
  }
  const body = 'a&'.repeat(100_000)
  const { text } = await expectShortTurns(() => callProxy('POST', '/proxy', { headers, body }), 50)
  expect(JSON.parse(text)).toMatchObject({ data: body, form: {} })
})

const services = ['https://echo.basistheory.com/anything', 'https://httpbin.org/anything']

test.each(services)('G-08 %s is answered inside Coffer, in the form of httpbin', async (service) => {
  const { callProxy, id } = await startProxy({ ephemeral: true })
  const { status, text } = await callProxy('PUT', '/proxy/cards/1?a=b&c=1&c=2', {
    headers: { ...json, 'X-One': '1', 'BT-PROXY-URL': service },
    body: `{"number":"{{ ${id} | json: '$.number' }}","n":1.0}`,
  })
  const data = `{"number":"${number}","n":1.0}`
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual({
    args: { a: 'b', c: ['1', '2'] },
    data,
    files: {},
    form: {},
    headers: expect.objectContaining({
      Host: new URL(service).host,
      'Content-Type': 'application/json',
      'X-One': '1',
    }),
    json: { number, n: 1 },
    method: 'PUT',
    origin: '127.0.0.1',
    url: `${service}/cards/1?a=b&c=1&c=2`,
  })
  // Numbers are shown as they were sent.
  expect(text).toContain('"n": 1.0')
})

test('G-08 the form of httpbin has the fields and files of forms', async () => {
  const { callProxy } = await startProxy()
  const callPost = async (headers: Record<string, string>, body: string) =>
    JSON.parse(
      (
        await callProxy('POST', '/proxy', {
          headers: { ...headers, 'BT-PROXY-URL': 'https://httpbin.org/post' },
          body,
        })
      ).text,
    )
  const typed = { 'Content-Type': 'application/x-www-form-urlencoded' }
  expect(await callPost(typed, 'a=1&b=x+y&a=2')).toMatchObject({
    form: { a: ['1', '2'], b: 'x y' },
    files: {},
    data: '',
    json: null,
  })
  const parts = [
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n',
    '--x\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nhello\r\n--x--\r\n',
  ]
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' }
  expect(await callPost(multipart, parts.join(''))).toMatchObject({ form: { a: '1' }, files: { f: 'hello' } })
  expect(await callPost(multipart, 'not a form')).toMatchObject({ data: 'not a form', form: {}, files: {} })
  expect(await callPost({ 'Content-Type': 'text/plain' }, 'x')).toMatchObject({ data: 'x', json: null })
})

test('G-08 the form of httpbin redacts token values of a vault on disk', async () => {
  const { callProxy, id } = await startProxy()
  const { text } = await callProxy('POST', '/proxy', {
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Number': `{{ ${id} | json: '$.number' }}`,
      'BT-PROXY-URL': 'https://echo.basistheory.com/post',
    },
    body: `number={{ ${id} | json: '$.number' }}&x=1`,
  })
  expect(text).not.toContain(number)
  expect(JSON.parse(text)).toMatchObject({ form: { number: '••••••••', x: '1' } })
})

test('G-08 G-03 a mapped service is called at its map, and its other paths and ports are not answered', async () => {
  const { url, requests } = await startDestination(respondWithRequest)
  const { callProxy } = await startProxy({ map: { 'https://httpbin.org': url } })
  const callService = async (service: string) =>
    (await callProxy('POST', '/proxy', { headers: { ...json, 'BT-PROXY-URL': service }, body: '{}' })).status
  expect(await callService('https://httpbin.org/anything')).toBe(201)
  expect(requests).toHaveLength(1)
  const other = await startProxy()
  for (const service of [
    'https://httpbin.org/get',
    'https://httpbin.org/anythings',
    'https://httpbin.org:8443/anything',
    'http://httpbin.org/anything',
    'https://x.httpbin.org/anything',
    'https://httpbin.org.evil.test/anything',
  ]) {
    const { status } = await other.callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': service } })
    expect([service, status]).toEqual([service, 403])
  }
})

test('G-05 a header can sign the final body, and values in forms are encoded', async () => {
  const { url } = await startDestination(respondWithRequest)
  const { callProxy, createProxy, id } = await startProxy()
  const { key } = await createProxy({ destination_url: url, configuration: { secret: 'shh', shop: 'ada' } })
  const response = await callProxy('POST', '/proxy', {
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'BT-PROXY-KEY': key,
      'X-Shop': '{{ config: shop }}',
      'X-Signature': "{{ proxy.request.body | hmac: 'sha-256', proxy.config.secret | to_base16 }}",
    },
    body: new URLSearchParams({ 'card[number]': `{{ ${id} | json: '$.number' }}`, amount: '1' }).toString(),
  })
  const { headers, body } = JSON.parse(response.text)
  const { createHmac } = await import('node:crypto')
  expect(body).toBe(`card%5Bnumber%5D=${number}&amount=1`)
  expect(headers['x-shop']).toBe('ada')
  expect(headers['x-signature']).toBe(createHmac('sha256', 'shh').update(body).digest('hex').toUpperCase())
})

test('G-05 an access rule’s transform applies to inserted values', async () => {
  const { url } = await startDestination(respondWithRequest)
  const rules = [{ priority: 1, container: '/', transform: 'mask', permissions: ['proxy:invoke'] }]
  const { callProxy, id } = await startProxy({ permissions: [], rules })
  const { text } = await callProxy('POST', '/proxy', {
    headers: { ...json, 'BT-PROXY-URL': url },
    body: `{"number":"{{ ${id} | json: '$.number' }}"}`,
  })
  expect(JSON.parse(JSON.parse(text).body).number).toMatch(/X.*4242$/)
})

test('G-05 response transforms apply only to successful responses', async () => {
  let status = 200
  const { url } = await startDestination((_, response) =>
    response
      .writeHead(status, { ...json, 'Content-Encoding': 'gzip' })
      .end(gzipSync(`{"pan":"${number}","name":"Ada"}`)),
  )
  const { callProxy, createProxy } = await startProxy()
  const { key } = await createProxy({
    destination_url: url,
    response_transforms: [
      {
        type: 'tokenize',
        options: { identifier: 'pan', token: { type: 'card_number', data: '{{ res.pan }}' } },
      },
      { type: 'mask', matcher: 'regex', expression: '"pan":"(.*?)"', replacement: '*' },
      {
        type: 'append_json',
        options: { location: '$.token', value: "{{ transform_identifier: 'pan' | json: '$.id' }}" },
      },
      { type: 'append_text', options: { value: '\n' } },
    ],
  })
  const good = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-KEY': key } })
  expect(good.headers.get('content-encoding')).toBeNull()
  expect(JSON.parse(good.text)).toMatchObject({
    pan: '*'.repeat(16),
    name: 'Ada',
    token: expect.stringMatching(/^[\da-f-]{36}$/),
  })
  expect(good.text.endsWith('\n')).toBe(true)
  status = 402
  const bad = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-KEY': key } })
  expect(bad).toMatchObject({ status: 402, text: `{"pan":"${number}","name":"Ada"}` })
})

test('G-05 a call can insert at most 20 different tokens', async () => {
  const { callProxy, vault } = await startProxy()
  const createToken = (data: string) => vault.owner.tokens.create({ type: 'token', data })
  const tokens = await Promise.all(Array.from({ length: 21 }, (_, at) => createToken(`value ${at}`)))
  const headers = { 'BT-PROXY-URL': 'https://echo.coffer.test' }
  const twice = tokens.map(({ id }) => `{{ ${id} }} {{ token: ${id} | json: '$.id' }}`)
  const few = await callProxy('POST', '/proxy', { headers, body: twice.slice(0, 20).join('') })
  expect(few.status).toBe(200)
  const many = [
    { headers, body: twice.join('') },
    // Tokens in headers are counted too.
    { headers: { ...headers, 'X-Value': twice[20] ?? '' }, body: twice.slice(0, 20).join('') },
  ]
  for (const options of many) {
    const response = await callProxy('POST', '/proxy', options)
    expect(getProxyError(response)).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/more than 20 tokens in one request/),
    })
  }
})

test('G-05 a proxy creates tokens as its application', async () => {
  const { callProxy, createProxy, vault } = await startProxy({ permissions: ['proxy:invoke'] })
  const transform = { type: 'tokenize', options: { token: { type: 'token', data: 'x' } } }
  const without = await createProxy({ request_transforms: [transform] })
  expect((await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-KEY': without.key } })).status).toBe(403)
  const { id } = await vault.application({ permissions: ['token:create'] })
  const own = await createProxy({ request_transforms: [transform], application: { id } })
  expect((await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-KEY': own.key } })).status).toBe(200)
})

test.each<[string, number, (id: string) => { headers?: Record<string, string>; body?: string }]>([
  ['a call without a destination', 400, () => ({})],
  [
    'a destination that is not allowed',
    403,
    () => ({ headers: { 'BT-PROXY-URL': 'https://api.example.com' } }),
  ],
  ['a call without an address', 400, () => ({ headers: { 'BT-PROXY-URL': 'nonsense' } })],
  ['an unknown proxy', 404, () => ({ headers: { 'BT-PROXY-KEY': 'abc' } })],
  [
    'an unknown token',
    400,
    () => ({ headers: { 'BT-PROXY-URL': 'https://echo.coffer.test' }, body: '{{ nobody }}' }),
  ],
  [
    '101 expressions',
    400,
    (id) => ({ headers: { 'BT-PROXY-URL': 'https://echo.coffer.test' }, body: `{{ ${id} }}`.repeat(101) }),
  ],
  [
    'an unknown filter',
    400,
    (id) => ({ headers: { 'BT-PROXY-URL': 'https://echo.coffer.test' }, body: `{{ ${id} | nothing }}` }),
  ],
  [
    'an unknown configuration',
    400,
    () => ({ headers: { 'BT-PROXY-URL': 'https://echo.coffer.test' }, body: '{{ config: a }}' }),
  ],
])('G-06 %s gives a proxy error and is recorded', async (_, status, createOptions) => {
  const { callProxy, id, listRecords } = await startProxy()
  const response = await callProxy('POST', '/proxy/a', createOptions(id))
  expect(response.status).toBe(status)
  expect(getProxyError(response)).toMatchObject({ status, title: 'Invalid proxy request', errors: {} })
  expect(response.headers.get('bt-proxy-destination-status')).toBeNull()
  expect((await listRecords())[0]).toMatchObject({ action: 'proxies.invoke', status })
})

test.each(['#f', '/base#', '/base?q=1#f'])(
  'G-04 a destination URL that ends in %s is rejected',
  async (end) => {
    const problem = 'must not contain a fragment'
    const { url, requests } = await startDestination(respondWithRequest)
    const { callProxy, createProxy, vault } = await startProxy()
    for (const name of ['BT-PROXY-URL', 'SVC-PROXY-URL']) {
      const response = await callProxy('GET', '/proxy/x?z=1', { headers: { [name]: url + end } })
      expect(getProxyError(response)).toMatchObject({ status: 400, detail: `BT-PROXY-URL ${problem}` })
    }
    const errors = { destination_url: [problem] }
    expect(await catchProblem(createProxy({ destination_url: url + end }))).toMatchObject({
      status: 400,
      errors,
    })
    const { key } = await createProxy({ destination_url: url })
    const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
    db.prepare('UPDATE proxy SET destination_url = ?').run(url + end)
    db.close()
    const stored = await callProxy('GET', '/proxy/x?z=1', { headers: { 'BT-PROXY-KEY': key } })
    expect(getProxyError(stored)).toMatchObject({ status: 400, detail: `destination_url ${problem}` })
    expect(requests).toEqual([])
  },
)

test('A-04 a call of an official client without a valid key gets the error of the hosted service', async () => {
  const { listener, createProxy } = await startProxy()
  const { key } = await createProxy({})
  const callWithout = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(`${listener.url}/proxy/x${query}`, { headers })
    expect(response.status).toBe(401)
    return ((await response.json()) as { proxy_error: object }).proxy_error
  }
  const sdkError = {
    errors: {},
    title: 'Unauthorized proxy request',
    status: 401,
    code: 'unauthenticated',
    detail: 'The BT-API-KEY header is required',
  }
  const url = 'https://echo.coffer.test'
  expect(await callWithout('', { 'BT-PROXY-URL': url })).toEqual(sdkError)
  expect(await callWithout('', { 'BT-PROXY-URL': url, 'BT-API-KEY': 'wrong' })).toEqual(sdkError)
  expect(await callWithout(`?bt-proxy-key=${key}`, {})).toEqual(sdkError)
  const ownError = {
    ...sdkError,
    title: 'Invalid proxy request',
    detail: expect.stringContaining('SVC-API-KEY'),
  }
  expect(await callWithout('', { 'SVC-PROXY-URL': url })).toEqual(ownError)
  expect(await callWithout('', { 'BT-PROXY-URL': url, 'SVC-API-KEY': 'wrong' })).toEqual(ownError)
})

test('G-04 the path and query of a call are added to the path and query of a destination', async () => {
  const { url, requests } = await startDestination(respondWithRequest)
  const { callProxy, createProxy } = await startProxy()
  const getCalledUrl = async (base: string, path: string) => {
    await callProxy('GET', `/proxy${path}`, { headers: { 'BT-PROXY-URL': url + base } })
    const { key } = await createProxy({ destination_url: url + base })
    await callProxy('GET', `/proxy${path}`, { headers: { 'BT-PROXY-KEY': key } })
    const [ephemeral, stored] = requests.splice(0).map((request) => request.url)
    expect(stored).toBe(ephemeral)
    return stored
  }
  expect(await getCalledUrl('/v3/?cvv=1&pan=1', '/cards/7?a=b&pan=2')).toBe(
    '/v3/cards/7?cvv=1&pan=1&a=b&pan=2',
  )
  expect(await getCalledUrl('/v3?cvv=1', '')).toBe('/v3?cvv=1')
  expect(await getCalledUrl('?next=a?b', '/c')).toBe('/c?next=a?b')
  expect(await getCalledUrl('?', '/c?d')).toBe('/c?d')
})

test.each([
  'http://',
  'https:///',
  'https://?',
  'https:?localhost',
  'https:',
  '//',
  'ftp://127.0.0.1',
  'file:///etc',
])('G-04 the destination URL %s is rejected, even if the path could complete it', async (base) => {
  const { callProxy } = await startProxy()
  const response = await callProxy('GET', '/proxy/localhost/a', { headers: { 'BT-PROXY-URL': base } })
  expect(getProxyError(response)).toMatchObject({
    status: 400,
    detail: 'BT-PROXY-URL must be an https: URL',
  })
})

test('X-52 a value with a line break cannot split a header', async () => {
  const { url, requests } = await startDestination(respondWithRequest)
  const { callProxy, vault } = await startProxy()
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'a\r\nX-Evil: 1' })
  const response = await callProxy('GET', '/proxy', {
    headers: { 'BT-PROXY-URL': url, 'X-A': `{{ ${id} }}` },
  })
  expect(response.status).toBe(400)
  expect(requests).toHaveLength(0)
})

test('X-52 the listener cannot be a destination', async () => {
  const { callProxy, listener } = await startProxy()
  const response = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': listener.url } })
  expect(response.status).toBe(403)
})

test('X-52 a decompression bomb is rejected before transforms', async () => {
  const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))
  const { url } = await startDestination((_, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
  )
  const { callProxy, createProxy } = await startProxy()
  const { key } = await createProxy({
    destination_url: url,
    response_transform: { type: 'append_text', options: { value: 'x' } },
  })
  expect((await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-KEY': key } })).status).toBe(413)
})

test('G-06 a response that the destination aborts is aborted', async () => {
  const url = await startRawDestination('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nshort')
  const { callProxy } = await startProxy()
  await expect(callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })).rejects.toThrow()
})

test('G-04 a long body is streamed, or rejected if it has an expression', async () => {
  const { url } = await startDestination((request, response) => void request.pipe(response))
  const { callProxy, id } = await startProxy()
  const long = Buffer.alloc(3 * 1024 * 1024, 'x')
  const response = await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url }, body: long })
  expect(response.text.length).toBe(long.length)
  long.write(`{{ ${id} }}`, 10)
  expect((await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url }, body: long })).status).toBe(
    413,
  )
})

test('G-07 a record has status, path and used tokens', async () => {
  const { url } = await startDestination(respondWithRequest)
  const { callProxy, id, listRecords } = await startProxy()
  await callProxy('POST', '/proxy/v1?secret=1', {
    headers: { ...json, 'BT-PROXY-URL': url },
    body: `{"a":"{{ ${id} }}"}`,
  })
  const [ended, used] = await listRecords()
  expect(ended).toMatchObject({ action: 'proxies.invoke', status: 201 })
  expect(used).toMatchObject({ action: 'proxies.invoke', entity_id: id, status: 200 })
  expect(JSON.stringify([ended, used])).not.toContain('secret')
})

test('G-07 the statistics count a call once, even if it has several records', async () => {
  const { callProxy, id, createProxy, vault, listRecords } = await startProxy()
  const tokenize = { type: 'tokenize', options: { identifier: 'a', token: { type: 'token', data: 'x' } } }
  const { key } = await createProxy({ response_transforms: [tokenize] })
  const body = `{"n":"{{ ${id} | json: '$.number' }}"}`
  const response = await callProxy('POST', '/proxy', { headers: { ...json, 'BT-PROXY-KEY': key }, body })
  expect(response.status).toBe(200)
  await callProxy('POST', '/proxy', { headers: { ...json, 'BT-PROXY-KEY': key }, body: '{{ nobody }}' })
  expect((await listRecords()).filter(({ entity_type }) => entity_type === 'proxy').length).toBeGreaterThan(2)
  const { buckets, operations } = await vault.owner.stats.requests({ minutes: 60, buckets: 1 })
  expect(buckets).toMatchObject([{ requests: 2, refused: 1, failed: 0 }])
  expect(operations).toMatchObject([{ operation: 'proxies.invoke', requests: 2, refused: 1 }])
})

test('G-02 a destination’s CORS headers have no effect', async () => {
  const { url } = await startDestination((_, response) =>
    response.setHeader('Access-Control-Allow-Origin', '*').end(),
  )
  const { callProxy } = await startProxy()
  const { headers } = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })
  expect(headers.get('access-control-allow-origin')).toBeNull()
})
