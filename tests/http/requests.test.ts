import net from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../shared/json.ts'
import { startListener } from '../listener.ts'

const allTokenWork = [
  {
    priority: 1,
    container: '/',
    transform: 'reveal' as const,
    permissions: ['token:create', 'token:read', 'token:update', 'token:delete'] as (
      | 'token:create'
      | 'token:read'
    )[],
  },
]

async function startTokenListener(options: { strict?: boolean } = {}) {
  const listener = await startListener(options)
  const { key } = await listener.vault.application({ rules: allTokenWork })
  const management = await listener.vault.application({
    type: 'management',
    permissions: ['application:create', 'application:read', 'application:update', 'application:delete'],
  })
  return { ...listener, key, management }
}

const newToken = { type: 'token', data: 'x' }

/** Sends raw bytes and returns the bytes of the response. */
function sendText(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.end(text))
    socket.on('data', (chunk) => {
      response += chunk
    })
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}

/** Sends a raw request with this request line and these headers, which fetch would normalize. */
async function sendByHand(
  { port, key }: { port: number; key: string },
  line: string,
  headers: string[] = [],
  body = '',
) {
  const head = [
    `${line} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `SVC-API-KEY: ${key}`,
    'Connection: close',
    ...headers,
  ]
  const response = await sendText(port, `${head.join('\r\n')}\r\n\r\n${body}`)
  const [top = '', text = ''] = response.split('\r\n\r\n', 2)
  return {
    status: Number(top.slice(9, 12)),
    top: top.toLowerCase(),
    body: text.startsWith('{') ? (JSON.parse(text) as { [name: string]: Json }) : undefined,
  }
}

describe('keys', () => {
  test('A-01 SVC-API-KEY takes precedence over the SDK alias, in any letter case', async () => {
    const { request, key } = await startTokenListener()
    const fetchStatus = async (headers: Record<string, string>) =>
      (await request('GET', '/v2/tokens', { headers })).status
    expect(await fetchStatus({ 'SVC-API-KEY': key })).toBe(200)
    expect(await fetchStatus({ 'svc-api-key': key })).toBe(200)
    expect(await fetchStatus({ 'BT-API-KEY': key })).toBe(200)
    expect(await fetchStatus({ 'bt-Api-Key': key })).toBe(200)
    expect(await fetchStatus({ 'SVC-API-KEY': key, 'BT-API-KEY': 'nonsense' })).toBe(200)
    expect(await fetchStatus({ 'SVC-API-KEY': 'nonsense', 'BT-API-KEY': key })).toBe(401)
    expect(await fetchStatus({ 'SVC-API-KEY': '', 'BT-API-KEY': key })).toBe(401)
  })

  test('A-01 a key in the query string is ignored', async () => {
    const { request, key } = await startTokenListener()
    for (const name of ['SVC-API-KEY', 'svc-api-key', 'BT-API-KEY', 'api_key', 'key']) {
      const response = await request('GET', `/v2/tokens?${name}=${key}`)
      expect([response.status, response.text.includes(key)]).toEqual([401, false])
    }
  })

  test('A-01 X-05 a repeated key header is rejected', async () => {
    const listener = await startTokenListener()
    const twice = await sendByHand(listener, 'GET /v2/tokens', [`SVC-API-KEY: ${listener.key}`])
    expect(twice.status).toBe(401)
  })

  test('A-02 only the key header BT-API-KEY selects the SDK dialect, not SVC-API-KEY', async () => {
    const { request, management } = await startTokenListener()
    const listKeys = async (headers: Record<string, string>) =>
      (await request('GET', `/applications/${management.id}/keys`, { headers })).body
    const { key } = management
    expect(await listKeys({ 'BT-API-KEY': key })).toEqual([
      expect.objectContaining({ id: expect.any(String) }),
    ])
    const own = { pagination: expect.anything(), data: [expect.anything()] }
    expect(await listKeys({ 'SVC-API-KEY': key })).toEqual(own)
    expect(await listKeys({ 'SVC-API-KEY': key, 'BT-API-KEY': key })).toEqual(own)
  })

  test('A-04 an invalid key gives 401, a missing permission 403', async () => {
    const { vault, request, key, management } = await startTokenListener()
    const expiring = await vault.application({
      permissions: ['token:read'],
      expires_at: '2030-01-01T00:00:01Z',
    })
    const doomed = await vault.application({ permissions: ['token:read'] })
    await vault.owner.applications.remove({ id: doomed.id })
    vault.clock.advance(1000)
    const responses = [
      await request('GET', '/v2/tokens'),
      await request('GET', '/v2/tokens', { key: 'key_local_pvt_unknown' }),
      await request('GET', '/v2/tokens', { key: 'k'.repeat(5000) }),
      await request('GET', '/v2/tokens', { key: doomed.key }),
      await request('GET', '/v2/tokens', { key: expiring.key }),
      await request('GET', '/applications', { key }),
      await request('POST', '/tokens', { key: management.key, body: newToken }),
    ]
    expect(responses.map((response) => response.status)).toEqual([401, 401, 401, 401, 401, 403, 403])
    for (const { status, headers, body } of responses) {
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      const code = status === 401 ? 'unauthenticated' : 'forbidden'
      expect(body).toEqual({ title: expect.any(String), status, code, detail: expect.any(String) })
    }
  })
})

describe('responses', () => {
  test('A-04 an unknown route gives 404, a wrong method 405', async () => {
    const listener = await startTokenListener()
    const { request, key } = listener
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['HEAD', '/nothing'],
      ['GET', '//tokens'],
      ['GET', '/v2%2Ftokens'],
      ['POST', '/v2/nothing'],
      ['GET', '/Tokens/x'],
      ['GET', '/tokens/a/b'],
    ] as const) {
      const { status, body } = await request(method, path, { key })
      const problem = expect.objectContaining({ status: 404, code: 'not_found' })
      expect([path, status, body]).toEqual([path, 404, method === 'HEAD' ? undefined : problem])
    }
    const wrong = await request('PUT', '/tokens/x', { key, body: {} })
    expect([wrong.status, wrong.headers.get('allow'), wrong.body.status]).toEqual([
      405,
      'DELETE, GET, HEAD, PATCH',
      405,
    ])
    for (const method of ['PROPFIND', 'QUERY', 'OPTIONS', 'TRACE', 'PUT']) {
      expect([method, (await sendByHand(listener, `${method} /permissions`)).status]).toEqual([method, 405])
    }
  })

  test('A-05 the error for a path that cannot be decoded does not quote the path', async () => {
    const listener = await startTokenListener()
    for (const path of [
      '/tokens/%zz4242424242424242',
      '/tokens/%ff4242424242424242',
      '/%4242424242424242%',
    ]) {
      const { status, top, body } = await sendByHand(listener, `GET ${path}`)
      expect([path, status]).toEqual([path, 400])
      expect(top).toContain('content-type: application/json')
      expect(body).toEqual({
        title: expect.any(String),
        status: 400,
        code: 'invalid',
        detail: expect.any(String),
      })
      expect(JSON.stringify(body)).not.toContain('42424')
    }
    const foreign = await sendText(
      listener.port,
      'GET /tokens/%zz HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n',
    )
    expect(foreign).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('A-05 errors name members and expectations, never the input', async () => {
    const { request, key, management } = await startTokenListener({ strict: true })
    const secret = '4242424242424242'
    const literal = '4242-4242-4242-4242'
    const bodies: [string, string, Json][] = [
      ['POST', '/tokens', { type: secret, data: 1 }],
      ['POST', '/tokens', { type: 'card', data: { number: `${secret}0` } }],
      ['POST', '/tokens', { type: 'card', data: { number: 4242424242424242, [secret]: 1 } }],
      ['POST', '/tokens', { type: 'token', data: 1, [secret]: 1, [literal]: 1 }],
      ['POST', '/tokens', { type: 'token', data: 1, metadata: { [secret]: 1, [literal]: { [secret]: 1 } } }],
      ['POST', '/tokens', { type: 'token', data: 1, containers: [secret, literal] }],
      ['POST', '/tokens', { type: 'token', data: 1, expires_at: secret }],
      ['POST', '/tokens', { type: 'token', data: 1, mask: `{{ data | ${secret} }}` }],
      ['POST', '/tokens', { type: 'token', data: 1, mask: { [secret]: '{{ data | nope }}' } }],
      ['POST', '/tokens', { type: 'token', data: 1, fingerprint_expression: `{{ ${literal} | }}` }],
      ['POST', '/tokens', { type: 'token', data: { a: secret }, mask: "{{ data.a | date: '%', 1, 2 }}" }],
      [
        'POST',
        '/tokens',
        { type: 'token', data: { a: secret }, search_indexes: ["{{ data | json: '$.b' }}"] },
      ],
      ['POST', '/tokens', { type: 'token', data: secret, id: '{{ data | json }}' }],
      ['POST', '/tokens', { type: 'card_number', data: secret, id: `x${literal}` }],
      ['POST', '/tokens', { type: 'card_number', data: secret, id: '{{ data }}' }],
      ['POST', '/tokens', { type: 'card_number', data: secret, metadata: { [`x${secret}`]: 'y' } }],
      ['POST', '/tokens', { type: 'card_number', data: secret, metadata: { y: literal } }],
      ['POST', '/tokens', secret],
      ['POST', `/tokens?${secret}=${secret}&${literal}=1`, newToken],
      ['PATCH', `/tokens/${secret}`, { data: null, [literal]: secret }],
      ['PATCH', `/tokens/${secret}`, { id: secret }],
      ['GET', `/tokens/${secret}`, null],
      ['GET', `/v2/tokens?${literal}=${secret}&start=${secret}&size=${secret}`, null],
      ['GET', `/v2/tokens?metadata=${secret}`, null],
      ['GET', `/v2/tokens?container=${secret}`, null],
      ['GET', `/v2/tokens?fingerprint=${literal}`, null],
      ['DELETE', `/tokens/${secret}`, null],
      ['GET', `/nothing/${secret}`, null],
    ]
    for (const [method, path, body] of bodies) {
      const response = await request(method, path, { key, ...(body !== null && { body }) })
      expect([method, path, response.status >= 400]).toEqual([method, path, true])
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(response.text).not.toMatch(/4242-?4242/)
    }
    const application = await request('POST', '/applications', {
      key: management.key,
      body: {
        name: 1,
        type: secret,
        permissions: [secret],
        rules: [
          { priority: secret, [secret]: 1, container: secret, transform: literal, permissions: [literal] },
        ],
      },
    })
    expect(application.status).toBe(400)
    expect(Object.keys(application.body.errors)).toEqual(
      expect.arrayContaining(['name', 'type', 'permissions[0]', 'rules[0].priority', 'rules[0].transform']),
    )
    expect(application.text).not.toMatch(/4242-?4242/)
  })

  test('A-05 a long name is not truncated within a character', async () => {
    const { request, key } = await startTokenListener({ strict: true })
    for (const name of [`${'x'.repeat(63)}😀`, '\ud835']) {
      const { status, text } = await request('POST', '/tokens', { key, body: { ...newToken, [name]: 1 } })
      expect([status, /\\ud[89a-f]/.test(text)]).toEqual([400, false])
    }
  })

  test('A-06 a locked vault gives 423 for every key', async () => {
    const { vault, request, key } = await startTokenListener()
    vault.engine.close()
    const { status, body } = await request('GET', '/v2/tokens', { key })
    expect([status, body.status]).toEqual([423, 423])
    expect((await request('GET', '/_coffer/health')).body).toEqual({ status: 'ok' })
  })
})

describe('bodies and queries', () => {
  test('A-08 unknown members and parameters are ignored and named', async () => {
    const { request, key, vault } = await startTokenListener()
    const getIgnored = async (...sent: Parameters<typeof request>) => {
      const { status, headers } = await request(...sent)
      return [status, headers.get('Coffer-Ignored')]
    }
    const postToken = (body: Json) => getIgnored('POST', '/tokens', { key, body })
    expect(await postToken({ ...newToken, expiresAt: 'soon', colour: 2 })).toEqual([201, 'expiresAt, colour'])
    expect(await postToken({ ...newToken, privacy: { classification: 'pci' } })).toEqual([201, null])
    expect(await postToken({ data: 1, typ: 'token' })).toEqual([400, 'typ'])
    expect(await getIgnored('GET', '/v2/tokens?colour=1&__proto__=2&size=3', { key })).toEqual([
      200,
      'colour, __proto__',
    ])
    expect(await getIgnored('POST', '/tokens?colour=1', { key, body: newToken })).toEqual([201, 'colour'])
    const { id } = await vault.owner.tokens.create(newToken)
    expect(await getIgnored('PATCH', `/tokens/${id}`, { key, body: { id: 'other', data: 'y' } })).toEqual([
      200,
      'id',
    ])
    expect(await getIgnored('GET', `/tokens/${id}?expand=1`, { key })).toEqual([200, 'expand'])
    expect(await getIgnored('DELETE', `/tokens/${id}?id=other`, { key })).toEqual([204, 'id'])
    const nested = { card: { ...newToken, colour: 1 } }
    expect(await getIgnored('POST', '/tokenize', { key, body: nested })).toEqual([200, 'card.colour'])
    const records = (await vault.owner.logs.list({ size: 10 })).data
    const getRecord = async (record: { id: string } | undefined) => {
      const { ignored, errors } = await vault.owner.logs.get({ id: record?.id ?? '' })
      return { ignored, errors }
    }
    expect(await getRecord(records[0])).toEqual({ ignored: ['card.colour'] })
    expect(await getRecord(records[9])).toEqual({
      ignored: ['expiresAt: did you mean expires_at?', 'colour'],
    })
  })

  test('A-08 the header names few members, and nothing in it is data or ends it', async () => {
    const { request, key } = await startTokenListener()
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x${at}`, at]))
    const { status, headers } = await request('POST', '/tokens', { key, body: { ...newToken, ...many } })
    expect([status, headers.get('Coffer-Ignored')?.split(', ').length]).toEqual([201, 20])
    const hostile = { 'a\r\nSet-Cookie: x=1, b': 1, '4242424242424242': 2, ['long'.repeat(100)]: 3, 'ä💳': 4 }
    const named = await request('POST', '/tokens', { key, body: { ...newToken, ...hostile } })
    expect(named.headers.get('Set-Cookie')).toBeNull()
    const names = named.headers.get('Coffer-Ignored')?.split(', ') ?? []
    expect(names).toHaveLength(4)
    expect(names.every((name) => /^[\w?-]{1,100}$/.test(name))).toBe(true)
    expect(names.join()).not.toMatch(/\d{5}/)
  })

  test('A-08 what would widen an answer is rejected, strict or not', async () => {
    const { request, key, management } = await startTokenListener()
    for (const [query, name] of [
      ['id=x', 'id'],
      ['metadata.a=b&metadata.c=d', 'query'],
      ['metadata[a][b]=c', 'metadata[a][b]'],
      ['metadata[a=b', 'metadata[a'],
    ]) {
      const { body } = await request('GET', `/v2/tokens?${query}`, { key })
      expect(Object.keys(body.errors)).toEqual([name])
    }
    const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }
    const created = await request('POST', '/applications', {
      key: management.key,
      body: { name: 'A', type: 'private', rules: [{ ...rule, condition: [], containers: ['/a/'] }] },
    })
    expect(created.body.errors).toEqual({
      'rules[0].condition': [expect.any(String)],
      'rules[0].containers': [expect.any(String)],
    })
  })

  test('A-08 a strict listener rejects unknown members and parameters by name, except privacy', async () => {
    const { request, key } = await startTokenListener({ strict: true })
    const postToken = (body: Json) => request('POST', '/tokens', { key, body })
    expect((await postToken({ ...newToken, colour: 1, constructor: 2, toString: 3 })).body.errors).toEqual({
      colour: [expect.any(String)],
      constructor: [expect.any(String)],
      toString: [expect.any(String)],
    })
    expect((await postToken({ ...newToken, privacy: { classification: 'pci' } })).status).toBe(201)
    const patch = await request('PATCH', '/tokens/none', { key, body: { privacy: {}, colour: 1 } })
    expect(patch.body.errors).toEqual({ colour: [expect.any(String)] })
    const query = await request('GET', '/v2/tokens?colour=1&__proto__=2&constructor=3', { key })
    expect(Object.keys(query.body.errors)).toEqual(['colour', '__proto__', 'constructor'])
    expect((await request('DELETE', '/tokens/none?force=1', { key })).body.errors).toHaveProperty('force')
    expect((await request('GET', '/tokens/none?expand=1', { key })).body.errors).toHaveProperty('expand')
    const posted = await request('POST', '/tokens?colour=1', { key, body: newToken })
    expect(posted.body.errors).toHaveProperty('colour')
  })

  test('A-09 X-03 content types other than JSON give 415 and nothing is written', async () => {
    const { request, key, vault } = await startTokenListener()
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json;x',
      'application/jsonx',
      'application/merge-patch+json',
      'application/json-patch+json',
      'application/json; charset=utf-16',
      'application/json; Charset="ISO-8859-1"',
      'application/json; charset=utf-8; charset=latin1',
      'application/json; charset=""',
      'garbage',
      '',
    ]
    for (const type of types) {
      const response = await request('POST', '/tokens', {
        key,
        raw: JSON.stringify(newToken),
        headers: { 'Content-Type': type },
      })
      expect([type, response.status, response.body.status]).toEqual([type, 415, 415])
    }
    const listener = await startTokenListener()
    const bare = await sendByHand(listener, 'POST /tokens', ['Content-Length: 2'], '{}')
    expect(bare.status).toBe(415)
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="utf-8"',
      'application/json; CHARSET=UTF-8; boundary=x',
      'application/json;',
      'application/json; ;charset=utf-8',
    ]) {
      const response = await request('POST', '/tokens', {
        key,
        raw: JSON.stringify(newToken),
        headers: { 'Content-Type': type },
      })
      expect([type, response.status]).toEqual([type, 201])
    }
    const zipped = await request('POST', '/tokens', {
      key,
      raw: '{}',
      headers: { 'Content-Encoding': 'gzip' },
    })
    expect(zipped.status).toBe(415)
    expect((await vault.owner.tokens.list({})).data).toHaveLength(6)
  })

  test('A-09 PUT accepts json-patch, and POST without a body accepts any content type', async () => {
    const listener = await startTokenListener({ strict: true })
    const { request, management } = listener
    const put = await request('PUT', `/applications/${management.id}`, {
      key: management.key,
      body: { name: 'x', permissions: ['application:create', 'application:read'] },
      headers: { 'Content-Type': 'application/json-patch+json' },
    })
    expect(put.status).toBe(200)
    const path = `/applications/${management.id}/keys`
    const form = await request('POST', path, {
      key: management.key,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect(form.status).toBe(201)
    const none = await sendByHand({ ...listener, key: management.key }, `POST ${path}`, ['Content-Length: 0'])
    expect(none.status).toBe(201)
    // A third key is not possible, but the content type is checked first.
    const text = await request('POST', path, {
      key: management.key,
      raw: 'x',
      headers: { 'Content-Type': 'text/plain' },
    })
    expect(text.status).toBe(415)
    const more = await request('POST', path, { key: management.key, body: { colour: 1 } })
    expect(more.body.errors).toHaveProperty('colour')
  })

  test('X-08 a body that is malformed, too deeply nested or not an object is rejected', async () => {
    const { request, key } = await startTokenListener()
    const bodies = [
      '',
      '{',
      '[]',
      '"x"',
      'null',
      `{"type":"token","data":${'1'.repeat(1001)}}`,
      `{"type":"token","data":${'['.repeat(100_000)}1.0${']'.repeat(100_000)}}`,
      '{"type":"token","data":{"__proto__":{"a":1}}}',
      `{"type":"token","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `{"type":"token","data":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}`,
      '\ufeff',
      '\ufeff\ufeff{"type":"token","data":1}',
      new Uint8Array([0x22, 0xff, 0x22]),
    ]
    for (const raw of bodies) {
      const { status, body } = await request('POST', '/tokens', { key, raw })
      expect([raw.slice(0, 40), status, Object.keys(body.errors ?? {})]).toEqual([
        raw.slice(0, 40),
        400,
        ['body'],
      ])
    }
    const kept = '{"type":"token","data":{"constructor":{"prototype":1},"a":"\\ud800\\u0000","a":"\\udfff"}}'
    const created = await request('POST', '/tokens', { key, raw: kept })
    expect(created.body.data).toEqual({ constructor: { prototype: 1 }, a: '\udfff' })
    expect((await request('GET', `/tokens/${created.body.id}`, { key })).text).toContain('"a":"\\udfff"')
  })
})

describe('paths', () => {
  test('A-10 X-09 ids are decoded once, and every created id can be fetched', async () => {
    const listener = await startTokenListener()
    const { request, key } = listener
    const ids = [
      'jo hn@x.com',
      'a:b@c,d;e!f*g\'h(i)j$k~l.é😀 z"`',
      '...',
      'ＡＢＣ',
      'é'.repeat(400),
      '😀'.repeat(200),
      'key',
      'search',
    ]
    for (const id of ids) {
      expect((await request('POST', '/tokens', { key, body: { ...newToken, id } })).status).toBe(201)
      const { status, body } = await request('GET', `/tokens/${encodeURIComponent(id)}`, { key })
      expect([id, status, body.id]).toEqual([id, 200, id])
    }
    // The older SDK sends ids without encoding them.
    const bare = await sendByHand(listener, "GET /tokens/a:b@c,d;e!f*g'h(i)j$k~l.%C3%A9%F0%9F%98%80%20z%22`")
    expect(bare.body?.id).toBe(ids[1])
    for (const path of ['jo%2520hn@x.com', '%2e%2e%2f', '..%2Fx', 'ABC', 'x'.repeat(9000), '%00']) {
      expect([path.slice(0, 20), (await sendByHand(listener, `GET /tokens/${path}`)).status]).toEqual([
        path.slice(0, 20),
        404,
      ])
    }
  })

  test('A-11 the trace id is returned, or generated if missing', async () => {
    const { request, key } = await startTokenListener()
    const fetchTraceIds = async (headers: Record<string, string>) => {
      const response = await request('GET', '/tokens/none', { headers })
      return [response.headers.get('svc-trace-id'), response.headers.get('bt-trace-id')]
    }
    const created = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(await fetchTraceIds({ 'SVC-API-KEY': key, 'SVC-TRACE-ID': 'trace-1' })).toEqual(['trace-1', null])
    expect(await fetchTraceIds({ 'BT-API-KEY': key, 'BT-TRACE-ID': 'trace-2' })).toEqual([
      'trace-2',
      'trace-2',
    ])
    expect(await fetchTraceIds({ 'SVC-API-KEY': key, 'BT-TRACE-ID': 'trace-3' })).toEqual([
      'trace-3',
      'trace-3',
    ])
    expect(await fetchTraceIds({ 'SVC-API-KEY': key })).toEqual([created, null])
    expect(await fetchTraceIds({ 'BT-API-KEY': key })).toEqual([created, created])
    expect(await fetchTraceIds({ 'SVC-API-KEY': key, 'SVC-TRACE-ID': 'x'.repeat(201) })).toEqual([
      created,
      null,
    ])
    expect((await request('GET', '/nothing')).headers.get('svc-trace-id')).toEqual(created)
  })

  test('A-12 A-10 all encodings of a path share idempotency keys', async () => {
    const { request, key } = await startTokenListener()
    const postOnce = (path: string) =>
      request('POST', path, { key, body: newToken, headers: { 'SVC-IDEMPOTENCY-KEY': 'spelled' } })
    const { body } = await postOnce('/tokens')
    expect((await postOnce('/tokens/')).body).toEqual(body)
    const patchOnce = (path: string, value = 'b') =>
      request('PATCH', path, {
        key,
        body: { metadata: { a: value } },
        headers: { 'SVC-IDEMPOTENCY-KEY': 'spelled' },
      })
    const patched = await patchOnce(`/tokens/${body.id}`)
    const [first = ''] = body.id
    const encoded = `%${first.charCodeAt(0).toString(16)}${body.id.slice(1)}`
    expect((await patchOnce(`/tokens/${encoded}/`, 'other')).text).toBe(patched.text)
    expect(patched.body.metadata).toEqual({ a: 'b' })
  })

  test('A-12 an idempotency key replays the first success, with either name of the header', async () => {
    const { request, key } = await startTokenListener()
    const postOnce = (header: string, body: Json) =>
      request('POST', '/tokens', { key, body, headers: { [header]: 'once' } })
    const first = await postOnce('SVC-IDEMPOTENCY-KEY', newToken)
    const again = await postOnce('BT-IDEMPOTENCY-KEY', { type: 'token', data: 'other' })
    expect(first.status).toBe(201)
    expect([again.status, again.text, again.headers.get('location')]).toEqual([
      201,
      first.text,
      first.headers.get('location'),
    ])
    const patchOnce = () =>
      request('PATCH', `/tokens/${first.body.id}`, {
        key,
        body: { metadata: { a: 'b' } },
        headers: { 'SVC-IDEMPOTENCY-KEY': 'once' },
      })
    const patched = await patchOnce()
    expect(patched.body.metadata).toEqual({ a: 'b' })
    expect((await patchOnce()).text).toBe(patched.text)
    const removeOnce = () =>
      request('DELETE', `/tokens/${first.body.id}`, { key, headers: { 'SVC-IDEMPOTENCY-KEY': 'once' } })
    expect([(await removeOnce()).status, (await removeOnce()).status]).toEqual([204, 404])
  })
})
