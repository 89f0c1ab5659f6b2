import http from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Api } from '../../../renderer/elements/data/api.ts'
import { toPlainError } from '../../../renderer/elements/data/errors.ts'
import { lookUp } from '../../../renderer/elements/data/services.ts'
import type { PlainError, Reference } from '../../../renderer/elements/protocol.ts'
import { number } from '../../http/test-server.ts'
import { page, startElements } from './start-elements.ts'

const card = { number, expiration_month: 12, expiration_year: 2030, cvc: '123' }
const getCardValue = () => ({ problem: null, value: card })

async function getError(call: Promise<unknown>): Promise<PlainError> {
  try {
    await call
  } catch (error) {
    return toPlainError(error)
  }
  throw new Error('It did not fail.')
}

/** Starts a server that answers every request and is closed when the test ends. */
async function startServer(
  respond: (request: http.IncomingMessage, body: string, response: http.ServerResponse) => void,
) {
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    respond(request, body, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

test("Elements: a public key creates a token from an element's value", async () => {
  const { call, joinElement, vault } = await startElements()
  joinElement('card', getCardValue)
  const made = (await call('tokens.create', {
    type: 'card',
    data: { $element: 'card' },
    metadata: { orderId: '1' },
    fingerprintExpression: '{{ data.number }}',
    searchIndexes: ['{{ data.expiration_year }}'],
  })) as Record<string, unknown>
  expect(Object.keys(made)).toEqual(expect.arrayContaining(['id', 'createdAt', 'fingerprintExpression']))
  expect(made.metadata).toEqual({ orderId: '1' })
  expect(JSON.stringify(made)).not.toContain(number)
  const shown = await vault.owner.tokens.reveal({ id: String(made.id) })
  expect(shown.data).toMatchObject(card)
})

test('Elements: update, tokenize and token intents insert values of elements', async () => {
  const { call, joinElement, vault, createToken } = await startElements()
  joinElement('card', getCardValue)
  joinElement('text', () => ({ problem: null, value: 'Ada' }))
  joinElement('date', () => ({ problem: null, value: 12 }))
  const { id } = await createToken()
  const answer = await getError(call('tokens.update', id, { data: { $element: 'text' } }))
  // The vault rejects a name as card number, and an update without the permission.
  expect(answer).toMatchObject({ name: 'BasisTheoryApiError', status: expect.any(Number) })
  const made = (await call('tokenize', {
    card_one: { type: 'card', data: { $element: 'card' } },
    someName: {
      type: 'token',
      data: [{ $element: 'text' }, { month: { $element: 'date', method: 'month' } }],
    },
  })) as { card_one: { id: string }; someName: { id: string } }
  expect(Object.keys(made)).toEqual(['card_one', 'someName'])
  const shown = await vault.owner.tokens.reveal({ id: made.someName.id })
  expect(shown.data).toEqual(['Ada', { month: 12 }])
  const intent = (await call('tokenIntents.create', { type: 'card', data: { $element: 'card' } })) as {
    id: string
    expiresAt: string
  }
  expect([typeof intent.id, typeof intent.expiresAt]).toEqual(['string', 'string'])
})

test('Elements: an update is a merge patch and rejects ids with path segments', async () => {
  const { call, vault, keys } = await startElements()
  const { id } = await vault.owner.tokens.create({ type: 'token', data: { a: 1, b: 2 } })
  const updated = (await call('tokens.update', id, { data: { b: null } }, { apiKey: keys.private })) as {
    id: string
  }
  expect(updated.id).toBe(id)
  expect((await vault.owner.tokens.reveal({ id })).data).toEqual({ a: 1 })
  for (const bad of ['', '.', '..', undefined, 7]) {
    expect((await getError(call('tokens.update', bad, {}))).message).toBe('A token id is required')
  }
  expect(await getError(call('tokens.retrieve', '../applications'))).toMatchObject({
    status: expect.any(Number),
  })
})

test('Elements: an incomplete or invalid element prevents the request', async () => {
  const { call, joinElement, vault } = await startElements()
  joinElement('card', () => ({ problem: { cvc: 'incomplete', number: 'invalid' } }))
  joinElement('text', () => ({ problem: 'incomplete' }))
  const before = (await vault.owner.logs.list({})).data.length
  const payload = {
    one: { type: 'card', data: { $element: 'card' } },
    two: { type: 'token', data: { $element: 'text' } },
  }
  const error = await getError(call('tokenize', payload))
  expect(error).toMatchObject({
    name: 'BasisTheoryValidationError',
    details: {
      one: { cvc: { type: 'incomplete' }, number: { type: 'invalid' } },
      two: { data: { type: 'incomplete' } },
    },
    validation: [
      { targetId: 'cvc', type: 'incomplete' },
      { targetId: 'cardNumber', type: 'invalid' },
      { targetId: 'text', type: 'incomplete' },
    ],
  })
  expect((await vault.owner.logs.list({})).data.length).toBe(before)
})

test('Elements: an absent, removed or silent element fails the call', async () => {
  const { call, joinElement, siblings } = await startElements({ timeout: 200 })
  const createBody = (...ids: string[]) => ({ type: 'token', data: ids.map(($element) => ({ $element })) })
  expect((await getError(call('tokens.create', createBody('absent')))).message).toBe('Element is not mounted')
  const silent = joinElement('silent', () => null)
  const other = joinElement('other', () => ({ problem: null, value: 'x' }))
  const late = getError(call('tokens.create', createBody('silent', 'other')))
  await Promise.all([silent.waitForMessage('read'), other.waitForMessage('read')])
  expect((await late).message).toBe('Timeout while trying to securely read elements values')
  const removed = getError(call('tokens.create', createBody('silent')))
  await silent.waitForMessage('read')
  siblings.removeElement('silent')
  expect((await removed).message).toBe('Element was removed from the DOM')
  expect((await getError(call('tokens.create', createBody('silent')))).message).toBe(
    'Element was removed from the DOM',
  )
  other.frame.closed = true
  expect((await getError(call('tokens.create', createBody('other')))).message).toBe(
    'Element was removed from the DOM',
  )
})

test('X-60 X-61 X-62 only frames of this origin, page and instance can provide element values', async () => {
  const { call, joinElement, parent } = await startElements({ timeout: 200 })
  const getForgedValue = () => ({ problem: null, value: 'forged' })
  joinElement('a', getForgedValue, { origin: page })
  joinElement('a', getForgedValue, { origin: 'null' })
  joinElement('a', getForgedValue, { instance: 'instance-2' })
  joinElement('a', getForgedValue, { frame: { parent: {} as Window, closed: false } })
  joinElement('a', getForgedValue, { ports: 0 })
  joinElement('a', getForgedValue, { ports: 2 })
  const error = await getError(call('tokens.create', { type: 'token', data: { $element: 'a' } }))
  expect(error.message).toBe('Element is not mounted')
  joinElement('a', getForgedValue, { frame: { parent, closed: false } })
  expect(await call('tokens.create', { type: 'token', data: { $element: 'a' } })).toMatchObject({
    type: 'token',
  })
})

test('Elements: a request carries key, trace id, idempotency key, device and page', async () => {
  const { call, vault, keys } = await startElements({ debug: true })
  const seen: http.IncomingMessage[] = []
  const base = await startServer((request, _body, response) => {
    seen.push(request)
    response.setHeader('bt-trace-id', 'trace-9').end('{"id": "1"}')
  })
  const other = new Api({ base, apiKey: 'init', page, debug: true, deviceInfo: () => ({ platform: 'Zoë' }) })
  await other.sendRequest(
    { method: 'POST', path: '/tokens', body: {} },
    { correlationId: 'c-1', idempotencyKey: 'i-1' },
  )
  await other.sendRequest(
    {
      method: 'GET',
      path: '/proxy',
      headers: { 'BT-PROXY-KEY': 'p', 'BT-ELEMENTS-ORIGIN': 'http://evil.test' },
    },
    { apiKey: 'session', deviceInfo: { mine: 1 } },
  )
  const [first, second] = seen.map(({ headers }) => headers)
  expect(first).toMatchObject({
    'bt-api-key': 'init',
    'bt-trace-id': 'c-1',
    'bt-idempotency-key': 'i-1',
    'content-type': 'application/json',
    'bt-elements-origin': page,
    'bt-device-info': Buffer.from('{"platform":"Zoë"}').toString('base64'),
  })
  expect(second).toMatchObject({
    'bt-api-key': 'session',
    'bt-proxy-key': 'p',
    'bt-elements-origin': page,
    'bt-device-info': Buffer.from('{"mine":1}').toString('base64'),
  })
  const session = await call('sessions.create', { correlationId: 'trace-1' })
  expect(session).toMatchObject({
    sessionKey: expect.any(String),
    nonce: expect.any(String),
    expiresAt: expect.any(String),
    _debug: { cfRay: null, btTraceId: 'trace-1' },
  })
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x' })
  const refused = await getError(call('tokens.retrieve', id, { apiKey: 'nobody' }))
  expect(refused).toMatchObject({
    name: 'BasisTheoryApiError',
    message: 'Request failed with status code 401',
    status: 401,
    data: { status: 401 },
    _debug: { btTraceId: expect.any(String) },
  })
  expect(keys.public).not.toBe('init')
})

test('Elements: an error without a response has the status -1', async () => {
  const { call, close } = await startElements()
  await close()
  expect(await getError(call('sessions.create'))).toMatchObject({ name: 'BasisTheoryApiError', status: -1 })
})

test('X-62 references in a retrieved token resolve until the vault is locked', async () => {
  const { call, joinElement, vault, keys } = await startElements()
  const { id } = await vault.owner.tokens.create({
    type: 'token',
    data: { number, list: [1, null], deep: { flag: true } },
    metadata: { order: 'o-1' },
  })
  const token = (await call('tokens.retrieve', id, { apiKey: keys.private })) as {
    data: { number: Reference; list: [Reference, null]; deep: { flag: Reference } }
  }
  expect(token).toMatchObject({
    id,
    type: 'token',
    metadata: { order: 'o-1' },
    createdAt: expect.any(String),
  })
  expect(JSON.stringify(token)).not.toContain(number)
  expect([token.data.list[1], token.data.number.elementId]).toEqual([null, 'data-1'])
  const element = joinElement('text', () => null)
  element.post({ kind: 'resolve', call: 1, reference: token.data.number })
  expect(await element.waitForMessage('resolved')).toEqual({ kind: 'resolved', call: 1, value: number })
  element.post({ kind: 'resolve', call: 2, reference: { ...token.data.number, correlationId: 'forged' } })
  expect(await element.waitForMessage('unresolved')).toEqual({ kind: 'unresolved', call: 2 })
  vault.reopen()
  element.post({ kind: 'resolve', call: 3, reference: token.data.number })
  expect(await element.waitForMessage('unresolved')).toEqual({ kind: 'unresolved', call: 3 })
})

test('A-14 a number with forty digits reaches an element unchanged', async () => {
  const { call, joinElement, request, keys } = await startElements()
  const digits = '1234567890'.repeat(4)
  const body = `{"type": "token", "data": {"n": ${digits}, "m": 1.0}}`
  const { id } = (await request('POST', '/tokens', { key: keys.private, raw: body })).body as { id: string }
  const token = (await call('tokens.retrieve', id, { apiKey: keys.private })) as {
    data: { n: Reference; m: Reference }
  }
  const element = joinElement('text', () => null)
  element.post({ kind: 'resolve', call: 1, reference: token.data.n })
  element.post({ kind: 'resolve', call: 2, reference: token.data.m })
  expect((await element.waitForMessage('resolved')).value).toBe(digits)
  expect((await element.waitForMessage('resolved')).value).toBe('1.0')
})

test('Elements: a proxy response is raw only if the tenant setting allows it', async () => {
  const { call, joinElement, vault, keys } = await startElements()
  const seen: string[] = []
  const destination = await startServer((request, body, response) => {
    seen.push(
      `${request.method} ${request.url} ${body} ${request.headers['x-own']} ${request.headers['bt-api-key']}`,
    )
    // This header of a destination must not turn on raw responses.
    response.setHeader('BT-EXPOSE-RAW-PROXY-RESPONSE', 'true').setHeader('X-Answer', 'yes')
    response
      .setHeader('Content-Type', 'application/json')
      .end(`{"card": {"number": "${number}"}, "ok": [true, null]}`)
  })
  joinElement('text', () => ({ problem: null, value: 'Ada' }))
  const options = {
    apiKey: keys.private,
    headers: { 'BT-PROXY-URL': destination, 'X-Own': 'mine' },
    path: '/v1/charges',
    query: { expand: 'a b' },
    body: { name: { $element: 'text' } },
  }
  const answer = (await call('proxy.post', { ...options, includeResponseHeaders: true })) as {
    data: { card: { number: Reference }; ok: [Reference, null] }
    headers: Record<string, string>
  }
  expect(seen).toEqual(['POST /v1/charges?expand=a+b {"name":"Ada"} mine undefined'])
  expect(answer.headers['x-answer']).toBe('yes')
  expect(JSON.stringify(answer)).not.toContain(number)
  expect([answer.data.ok.length, answer.data.ok[1]]).toEqual([2, null])
  const element = joinElement('shown', () => null)
  element.post({ kind: 'resolve', call: 1, reference: answer.data.card.number })
  expect((await element.waitForMessage('resolved')).value).toBe(number)
  const { name } = await vault.owner.tenants.get()
  await vault.owner.tenants.update({ name, settings: { expose_raw_proxy_response: 'true' } })
  expect(await call('proxy.get', options)).toEqual({ card: { number }, ok: [true, null] })
})

test("X-62 the page gets the details of the vault's errors, but not of a destination's", async () => {
  const { call, keys } = await startElements()
  const reached: string[] = []
  const elsewhere = await startServer((request, _body, response) => {
    reached.push(String(request.url))
    response.end('{}')
  })
  const destination = await startServer((request, _body, response) => {
    const status = Number(request.url?.slice(1))
    response.writeHead(status, { Location: `${elsewhere}/taken`, 'Content-Type': 'application/json' })
    response.end(`{"proxy_error": {"detail": "${number}"}, "number": "${number}"}`)
  })
  const options = { apiKey: keys.private, headers: { 'BT-PROXY-URL': destination } }
  for (const status of [400, 402, 500, 503]) {
    const error = await getError(call('proxy.get', { ...options, path: `/${status}` }))
    expect(error).toMatchObject({ name: 'BasisTheoryApiError', status, data: undefined })
    expect(JSON.stringify(error)).not.toContain(number)
  }
  expect(await getError(call('proxy.get', { ...options, path: '/302' }))).toMatchObject({
    name: 'BasisTheoryApiError',
  })
  expect(reached).toEqual([])
  const own = await getError(
    call('proxy.get', { ...options, headers: { 'BT-PROXY-URL': 'http://10.0.0.1' } }),
  )
  expect(own).toMatchObject({ data: { proxy_error: { status: own.status } } })
  for (const path of ['/../tokens', '/%2e%2e/tokens', '/a/../../tokens']) {
    expect((await getError(call('proxy.get', { ...options, path }))).message).toBe(
      'The path of a proxy is not valid',
    )
  }
})

test('Elements: the client object calls any URL except the vault’s, without key or cookies', async () => {
  const { call, joinElement, url } = await startElements()
  const seen: { method?: string | undefined; headers: http.IncomingHttpHeaders; body: string }[] = []
  const server = await startServer(({ method, headers, url: path }, body, response) => {
    seen.push({ method, headers, body })
    response.setHeader('Content-Type', 'application/json')
    response.writeHead(path === '/bad' ? 422 : 200).end('{"ok":true}')
  })
  joinElement('text', () => ({ problem: null, value: 'Ada' }))
  const config = { headers: { Authorization: 'Bearer x' } }
  expect(await call('client.post', `${server}/a`, { name: { $element: 'text' } }, config)).toEqual({
    ok: true,
  })
  expect(seen[0]).toMatchObject({
    method: 'POST',
    body: '{"name":"Ada"}',
    headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
  })
  expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => /^(bt-|cookie)/.test(name))).toEqual([])
  expect(await getError(call('client.get', `${server}/bad`))).toMatchObject({
    name: 'HttpClientError',
    status: 422,
    data: { ok: true },
    headers: { 'content-type': 'application/json' },
  })
  expect((await getError(call('client.get', `${url}/tokens`, config))).message).toMatch(
    'cannot call the vault',
  )
  const { port } = new URL(url)
  for (const name of ['localhost', '127.0.0.1', '127.1', '127.0.0.2', '[::1]', '2130706433']) {
    expect((await getError(call('client.get', `http://${name}:${port}/ping`))).message, name).toMatch(
      'cannot call the vault',
    )
  }
  for (const bad of ['/tokens', 'data:text/plain,x', 'file:///etc/passwd', undefined]) {
    expect((await getError(call('client.get', bad))).message).toBe('client needs an absolute URL')
  }
})

test('X-60 an element outside the data of a token is rejected', async () => {
  const { call, joinElement, keys, request, vault } = await startElements()
  const element = { $element: 'text' }
  joinElement('text', () => ({ problem: null, value: 'canary-11' }))
  const token = { type: 'token', data: 'x' }
  const { body: key } = await request('POST', '/keys', { key: keys.management })
  const encryptTokens = (tokenRequests: object) =>
    call('tokens.encrypt', { tokenRequests, publicKeyPem: key.public_key_pem, keyId: key.key_id })
  const createPayload = (more: object) => ({ ...token, ...more })
  const before = (await vault.owner.tokens.list({})).data.length
  for (const more of [
    { metadata: { a: element } },
    { id: element },
    { mask: element },
    { mask: { a: element } },
    { containers: [element] },
    { searchIndexes: [element] },
    { fingerprintExpression: element },
    { type: element },
    { Data: element },
  ]) {
    for (const made of [
      call('tokens.create', createPayload(more)),
      call('tokens.update', 'x', more),
      call('tokenIntents.create', createPayload(more)),
      call('tokenize', createPayload(more)),
      call('tokenize', { deep: [{ one: createPayload(more) }] }),
      encryptTokens({ one: createPayload(more) }),
    ]) {
      expect((await getError(made)).message, JSON.stringify(more)).toMatch(/in the data of a token/)
    }
  }
  expect(
    (await getError(call('tokenize', { token_intent_id: 'x', metadata: { a: element } }))).message,
  ).toMatch(/in the data of a token/)
  expect((await vault.owner.tokens.list({})).data.length).toBe(before)
  // An element outside a token of the payload becomes a token itself.
  const made = (await call('tokenize', { name: element, type: 'x' })) as { name: string }
  expect((await vault.owner.tokens.reveal({ id: made.name })).data).toBe('canary-11')
})

test('X-62 a response returns nothing that derives from a revealed value', async () => {
  const { call, joinElement, keys, request, vault } = await startElements()
  const pin = 'canary-4931'
  joinElement('pin', () => ({ problem: null, value: pin, revealed: true }))
  joinElement('card', () => ({ ...getCardValue(), revealed: true }))
  const data = { $element: 'pin' }
  for (const more of [
    { mask: '{{ data }}' },
    { mask: { a: { b: ['{{data}}'] } } },
    { id: '{{ data }}' },
    { fingerprintExpression: '{{ data | slice: 0 }}' },
    { searchIndexes: ['{% assign a = data %}'] },
    { metadata: { a: '{{ data }}' } },
  ]) {
    for (const made of [
      call('tokens.create', { type: 'token', data, ...more }),
      call('tokens.update', 'x', { data, ...more }),
      call('tokenize', { one: { type: 'token', data, ...more } }),
    ]) {
      expect((await getError(made)).message, JSON.stringify(more)).toMatch(/expressions/)
    }
  }
  const metadata = { order: '1' }
  const token = (await call('tokens.create', { type: 'token', data, metadata })) as { id: string }
  const many = (await call('tokenize', {
    pin: data,
    card: { type: 'card', data: { $element: 'card' } },
  })) as { pin: string; card: { id: string } }
  const intent = await call('tokenIntents.create', { type: 'card', data: { $element: 'card' } })
  expect((await vault.owner.tokens.reveal({ id: token.id })).data).toBe(pin)
  expect((await vault.owner.tokens.reveal({ id: many.pin })).data).toBe(pin)
  const publicNames = [
    'id',
    'tenantId',
    'type',
    'containers',
    'createdBy',
    'createdAt',
    'expiresAt',
    'metadata',
  ]
  for (const each of [token, many.card, intent]) {
    const names = Object.keys(each as object).map((name) => name.replace(/_(.)/g, (_, x) => x.toUpperCase()))
    expect(publicNames).toEqual(expect.arrayContaining(names))
  }
  expect(token).toMatchObject({ metadata })
  const { body: key } = await request('POST', '/keys', { key: keys.management })
  const asked = { publicKeyPem: key.public_key_pem, keyId: key.key_id }
  const sealed = call('tokens.encrypt', { tokenRequests: { type: 'token', data }, ...asked })
  expect((await getError(sealed)).message).toMatch(/cannot be encrypted/)
})

test('C-02 X-60 tokens.encrypt accepts only keys of this vault', async () => {
  const { call, joinElement, request, keys, vault } = await startElements()
  const made = await request('POST', '/keys', { key: keys.management })
  const { key_id: keyId, public_key_pem: publicKeyPem } = made.body as {
    key_id: string
    public_key_pem: string
  }
  joinElement('card', getCardValue)
  const tokenRequests = { type: 'card', data: { $element: 'card' } }
  const result = (await call('tokens.encrypt', { tokenRequests, publicKeyPem, keyId })) as {
    encrypted: string
  }
  expect(JSON.stringify(result)).not.toContain(number)
  const token = await request('POST', '/tokens', { key: keys.private, body: result })
  expect(token.status).toBe(201)
  expect((await vault.owner.tokens.reveal({ id: token.body.id })).data).toMatchObject(card)
  // The page has the private half of this key.
  const foreign = `-----BEGIN PUBLIC KEY-----\n${Buffer.alloc(32, 9).toString('base64')}\n-----END PUBLIC KEY-----`
  for (const other of [
    { publicKeyPem: foreign, keyId },
    { publicKeyPem, keyId: 'another' },
  ]) {
    const error = await getError(call('tokens.encrypt', { tokenRequests, ...other }))
    expect(error.message).toBe('The public key does not belong to this vault, or it has expired.')
  }
})

test('Elements: an element that mirrors another gets its value, even if it joined first', async () => {
  const { joinElement } = await startElements()
  const target = joinElement('target', () => null)
  target.post({ kind: 'mirror', source: 'source' })
  // This response shows that the previous message was handled.
  target.post({ kind: 'resolve', call: 1, reference: { correlationId: '', elementId: '', path: '' } })
  await target.waitForMessage('unresolved')
  const source = joinElement('source', () => null)
  await source.waitForMessage('follow')
  source.post({ kind: 'now', value: 'typed' })
  expect(await target.waitForMessage('mirrored')).toEqual({ kind: 'mirrored', value: 'typed' })
  const second = joinElement('second', () => null)
  second.post({ kind: 'mirror', source: 'source' })
  await source.waitForMessage('follow')
})

test('Elements: a failed BIN lookup returns no details', async () => {
  const { joinElement, close } = await startElements()
  const element = joinElement('card', () => null)
  element.post({ kind: 'bin', call: 1, bin: 'not digits' })
  expect(await element.waitForMessage('bin')).toEqual({ kind: 'bin', call: 1, details: undefined })
  await close()
  element.post({ kind: 'bin', call: 2, bin: '424242' })
  expect(await element.waitForMessage('bin')).toEqual({ kind: 'bin', call: 2, details: undefined })
  const asked: string[] = []
  const base = await startServer(({ url }, _body, response) => {
    asked.push(String(url))
    response.end('{"brand": "Visa"}')
  })
  const api = new Api({ base, apiKey: 'key', page, debug: false, deviceInfo: () => ({}) })
  expect(await lookUp(api, '424242')).toEqual({ brand: 'Visa' })
  expect(asked).toEqual(['/api/enrichments/card-details?bin=424242'])
})
