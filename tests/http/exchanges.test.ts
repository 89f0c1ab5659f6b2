import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SecretRedactor } from '../../electron/engine/resources/proxies/exchanges/secret-redactor.ts'
import { openListener } from '../../electron/http/listener.ts'
import type { Exchange } from '../../shared/schemas/exchange.ts'
import { createProxies } from '../create-proxies.ts'
import { captureEvents } from '../engine/webhooks/received-events.ts'
import { startDestination } from '../outbound/destination.ts'
import { openVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

const number = '4242424242424242'
const cvc = '737'
const holder = 'Zoë "Canary" O’Hara'
const echoUrl = 'https://echo.coffer.test'
const json = { 'Content-Type': 'application/json' }

/** Opens an in-memory vault with a listener, a card, and a key that may call proxies. */
async function startExchanges({ ephemeral = true } = {}) {
  const vault = openVault({ ephemeral })
  const incidents: { error: unknown; where: string }[] = []
  let own: number[] = []
  const collectIncident = (error: unknown, where: string) => {
    incidents.push({ error, where })
  }
  const { outbound, proxies } = createProxies({ ownPorts: () => own, report: collectIncident })
  onTestFinished(() => outbound.close())
  const listener = await openListener({
    engine: () => vault.engine,
    port: 0,
    origins: [],
    hosts: [],
    proxies,
    report: collectIncident,
  })
  own = [listener.port]
  onTestFinished(() => listener.close())
  const { key } = await vault.application({ permissions: ['proxy:invoke', 'token:create'] })
  const data = { number, expiration_month: 12, expiration_year: 2035, cvc }
  // The id is fixed, because a random one could contain the cvc by chance and would then be redacted.
  const id = '0f9d3c1e-5b2a-4c6d-8e1f-a0b1c2d3e4f5'
  await vault.owner.tokens.create({ id, type: 'card', data })
  const { id: person } = await vault.owner.tokens.create({ type: 'token', data: { holder } })
  const callProxy = (
    path: string,
    { headers = {}, body, method = 'POST' }: { headers?: object; body?: BodyInit; method?: string },
  ) =>
    fetch(listener.url + path, {
      method,
      headers: { 'BT-API-KEY': key, ...headers } as Record<string, string>,
      ...(body !== undefined && { body, duplex: 'half' }),
    } as RequestInit)
  const listExchanges = async () => (await vault.owner.exchanges.list({})).data
  const readLatest = async (count = 1): Promise<Exchange> => {
    const [last] = await waitFor(async () => {
      const all = await listExchanges()
      expect(all.length).toBeGreaterThanOrEqual(count)
      return all
    })
    return vault.owner.exchanges.get({ id: last?.id ?? '' })
  }
  const createProxy = (input: object) =>
    vault.owner.proxies.create({ name: 'Charges', destination_url: echoUrl, ...input } as never)
  return { vault, listener, incidents, key, id, person, callProxy, listExchanges, readLatest, createProxy }
}

/** Checks that an exchange contains none of the secrets. */
function expectHidden(exchange: Exchange): void {
  // Ids, ports and times can contain the digits of a cvc by chance.
  const { id: _, trace_id: __, duration_ms: ___, ...rest } = exchange
  const whole = JSON.stringify(rest).replace(
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|127\.0\.0\.1:\d+/g,
    'id',
  )
  for (const secret of [number, '42424242', cvc, holder, 'Canary', encodeURIComponent(holder)])
    expect(whole).not.toContain(secret)
}

test('G-07 an exchange stores the requests and responses of a proxied call without secrets', async () => {
  const { callProxy, id, readLatest, key } = await startExchanges()
  const response = await callProxy('/proxy/v1/charges?expand=secret-value&flag', {
    headers: {
      ...json,
      'BT-PROXY-URL': `${echoUrl}/base?api_key=stored-secret`,
      Authorization: 'Bearer sk_test_abcdef',
      'X-Last': `{{ ${id} | json: '$.number' | last4 }}`,
    },
    body: `{"card":"{{ ${id} | json: '$.number' }}","cvc":"{{ ${id} | json: '$.cvc' }}","amount":1000}`,
  })
  expect(response.status).toBe(200)
  await response.text()
  const exchange = await readLatest()
  expect(exchange).toMatchObject({
    method: 'POST',
    host: 'echo.coffer.test',
    path: '/base/v1/charges',
    status: 200,
    proxy_id: null,
    token_ids: [id],
    trace_id: response.headers.get('bt-trace-id'),
    problem: null,
    handed_back: null,
  })
  expect(exchange.sent.url).toBe('/proxy/v1/charges?expand=••••••••&flag')
  expect(exchange.sent.body.text).toContain(`{{ ${id} | json: '$.number' }}`)
  expect(exchange.went_out?.url).toBe(`${echoUrl}/base/v1/charges?api_key=••••••••&expand=••••••••&flag`)
  expect(exchange.went_out?.body.text).toBe('{"card":"••••••••","cvc":"••••••••","amount":1000}')
  expect(exchange.came_back?.status).toBe(200)
  expect(JSON.parse(exchange.came_back?.body.text ?? '')).toMatchObject({ body: { card: '••••••••' } })
  expect(JSON.stringify(exchange)).not.toContain(key)
  expect(JSON.stringify(exchange)).not.toContain('sk_test')
  expectHidden(exchange)
})

test('G-07 only the owner can turn on storing exchanges', async () => {
  const { vault, callProxy, listExchanges, readLatest, key, listener } = await startExchanges({
    ephemeral: false,
  })
  const sendCall = async () =>
    (await callProxy('/proxy', { headers: { 'BT-PROXY-URL': echoUrl }, body: 'a' })).text()
  await sendCall()
  const manager = await vault.application({
    type: 'management',
    permissions: ['tenant:update', 'tenant:read'],
  })
  const putSetting = (value: string) =>
    fetch(`${listener.url}/tenants/self`, {
      method: 'PUT',
      headers: { 'SVC-API-KEY': manager.key, ...json },
      body: JSON.stringify({ name: 'x', settings: { keep_exchanges: value } }),
    })
  expect((await putSetting('always')).status).toBe(403)
  expect((await putSetting('in_memory')).status).toBe(200)
  await vault.owner.tenants.update({ name: 'x', settings: { keep_exchanges: 'always' } })
  await sendCall()
  expect((await readLatest()).sent.body.text).toBe('a')
  expect(await listExchanges()).toHaveLength(1)
  expect(await vault.owner.exchanges.forget({})).toEqual({ forgotten: 1 })
  expect(await listExchanges()).toEqual([])
  expect(key).not.toBe(manager.key)
})

test('G-07 only the owner can read exchanges', async () => {
  const { vault, callProxy, readLatest } = await startExchanges()
  await (await callProxy('/proxy', { headers: { 'BT-PROXY-URL': echoUrl }, body: 'a' })).text()
  const { id } = await readLatest()
  const all = await vault.application({ type: 'management', permissions: ['proxy:read', 'log:read'] })
  for (const [name, input] of [
    ['exchanges.list', {}],
    ['exchanges.get', { id }],
    ['exchanges.forget', {}],
    ['exchanges.keep', {}],
  ] as const)
    await expect(vault.engine.call(name, input, { kind: 'key', key: all.key })).rejects.toMatchObject({
      status: 403,
    })
})

test('G-07 only the last 200 exchanges are stored', async () => {
  const { vault, callProxy, readLatest, listExchanges } = await startExchanges()
  await (await callProxy('/proxy/first', { headers: { 'BT-PROXY-URL': echoUrl }, body: 'a' })).text()
  const { id: _, created_at: __, duration_ms, ...first } = await readLatest()
  const { trace_id, proxy_id, method, host, path, status, ...content } = first
  const again = { trace_id, proxy_id, method, host, path, status, duration_us: duration_ms * 1000, content }
  for (let at = 0; at < 200; at++)
    await vault.engine.call('exchanges.keep', { ...again, path: `/${at}` }, { kind: 'owner' })
  const { pagination } = await vault.owner.exchanges.list({ size: 100 })
  expect(pagination.total_items).toBe(200)
  expect((await listExchanges())[0]?.path).toBe('/199')
  const paths = (await vault.owner.exchanges.list({ size: 100, page: 2 })).data.map(({ path }) => path)
  expect(paths).not.toContain('/first')
})

/** The ways in which a response reflects the body of its request. */
const reflects: Readonly<Record<string, (body: string) => string>> = {
  'as it is': (body) => body,
  'escaped as JSON': (body) => JSON.stringify({ seen: JSON.stringify({ body }) }),
  'escaped by code': (body) =>
    body.replace(/./gsu, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'URL-encoded': (body) => `body=${encodeURIComponent(body)}`,
  'URL-encoded twice': (body) => encodeURIComponent(encodeURIComponent(body)),
  'percent-encoded whole': (body) =>
    body.replace(/[\x20-\x7e]/g, (each) => `%${each.charCodeAt(0).toString(16)}`),
  'in base64': (body) => Buffer.from(body).toString('base64'),
  'in base64url, in the middle of another text': (body) =>
    `id_${Buffer.from(`xy${body}`).toString('base64url')}`,
  'in hexadecimal': (body) => Buffer.from(body).toString('hex'),
  'as HTML': (body) => `<p>${body.replace(/[&<>"’]/g, (each) => `&#${each.codePointAt(0)};`)}</p>`,
  'in capitals': (body) => body.toUpperCase(),
  'in spaced groups': (body) => body.replace(/\d{16}/, (all) => all.replace(/(\d{4})(?=\d)/g, '$1 ')),
  'in groups with dashes': (body) => body.replace(/\d{16}/, (all) => all.replace(/(\d{3})(?=\d)/g, '$1-')),
  'without its end': (body) => body.slice(0, body.indexOf(number) + 10),
}

test.each(Object.entries(reflects))(
  'X-58 a secret in a response, reflected %s, is not stored',
  async (_name, reflect) => {
    const respond: RequestListener = async (request, response) => {
      const body = await text(request)
      response
        .writeHead(400, { 'X-Seen': encodeURIComponent(body).slice(0, 3000) })
        .end(`Bad request: ${reflect(body)}`)
    }
    const { url } = await startDestination(respond)
    const { callProxy, id, person, readLatest } = await startExchanges()
    const response = await callProxy('/proxy', {
      headers: { 'Content-Type': 'text/plain', 'BT-PROXY-URL': url },
      body: `{{ ${id} | json: '$.number' }}|{{ ${id} | json: '$.cvc' }}|{{ ${person} | json: '$.holder' }}`,
    })
    await response.text()
    const exchange = await readLatest()
    expectHidden(exchange)
    const whole = JSON.stringify(exchange)
    for (const form of [
      reflect(`${number}|${cvc}|${holder}`),
      Buffer.from(number).toString('base64').slice(2, 18),
    ])
      expect(whole).not.toContain(form)
    expect(whole).not.toMatch(/(?:4\D{0,3}2\D{0,3}){5}/)
  },
)

test('X-58 no expression or transform stores a secret in an exchange', async () => {
  const { url } = await startDestination(async (request, response) => {
    const body = await text(request)
    const seen = JSON.stringify({
      headers: request.headers,
      body,
      fresh: { number: '5555555555554444', code: '90210' },
    })
    response.writeHead(200, { ...json, 'X-Seen': encodeURIComponent(body).slice(0, 2000) }).end(seen)
  })
  const { callProxy, id, person, readLatest, createProxy, vault } = await startExchanges()
  const intent = await vault.owner.tokenIntents.create({
    type: 'card',
    data: { number, cvc, expiration_month: 1, expiration_year: 2040 },
  })
  const { key } = await createProxy({
    destination_url: url,
    configuration: { secret: 'hush-hush-key' },
    request_transforms: [
      { type: 'append_header', options: { location: 'X-Cvc', value: `{{ ${id} | json: '$.cvc' }}` } },
      { type: 'append_header', options: { location: 'X-Part', value: '{{ req.number | slice: 0, 10 }}' } },
      { type: 'append_json', options: { location: '$.person', value: `{{ ${person} }}` } },
      { type: 'append_json', options: { location: '$.config', value: '{{ config: secret }}' } },
      {
        type: 'tokenize',
        options: { identifier: 'made', token: { type: 'token', data: '{{ req.number }}' } },
      },
      {
        type: 'append_json',
        options: { location: '$.made', value: "{{ transform_identifier: 'made' | json: '$.id' }}" },
      },
    ],
    response_transforms: [
      {
        type: 'tokenize',
        options: { identifier: 'fresh', token: { type: 'token', data: '{{ res.fresh.code }}' } },
      },
      {
        type: 'append_json',
        options: { location: '$.token', value: "{{ transform_identifier: 'fresh' | json: '$.id' }}" },
      },
    ],
  })
  const body = {
    number: `{{ ${id} | json: '$.number' }}`,
    whole: `{{ ${id} }}`,
    object: `{{ token: ${id} | json: '$.data.number' }}`,
    intent: `{{ token_intent: ${intent.id} | json: '$.data.number' }}`,
    mixed: `number {{ ${id} | json: '$.number' }} of {{ ${person} | json: '$.holder' }}`,
    configured: '{{ config: secret }}',
  }
  const response = await callProxy('/proxy', {
    headers: {
      ...json,
      'BT-PROXY-KEY': key,
      Authorization: `Bearer {{ config: secret }}`,
      'X-Signature': "{{ proxy | json: '$.request.body' | hmac: 'sha-256', proxy.config.secret }}",
      'X-Number': `{{ ${id} | json: '$.number' }}`,
    },
    body: JSON.stringify(body),
  })
  const answered = await response.text()
  expect([response.status, answered]).toEqual([200, expect.stringContaining('"token"')])
  const exchange = await readLatest()
  expectHidden(exchange)
  const whole = JSON.stringify(exchange)
  for (const secret of ['hush-hush', '90210', '5555555555554444', '"4242424242"'])
    expect(whole).not.toContain(secret)
  expect(exchange.sent.headers).toContainEqual(['Authorization', 'Bearer {{ config: secret }}'])
  expect(exchange.handed_back?.body.text).toContain('"token"')
})

test('X-58 a body cut within a secret is stored without any part of the secret', async () => {
  const { url } = await startDestination(async (_request, response) => {
    // The number crosses the end of the part that is searched for secrets.
    response.end(`${'a'.repeat(32 * 1024 - 9)}${number}${'b'.repeat(1000)}`)
  })
  const { callProxy, id, readLatest } = await startExchanges()
  await (
    await callProxy('/proxy', { headers: { 'BT-PROXY-URL': url }, body: `{{ ${id} | json: '$.number' }}` })
  ).text()
  const { came_back } = await readLatest()
  expect(came_back?.body.cut).toBe(true)
  expect(came_back?.body.text).toHaveLength(16 * 1024)
  expect(came_back?.body.text).not.toContain('42')
})

test('X-58 a compressed text response is stored as text, and other bytes are not stored', async () => {
  const { url } = await startDestination(async (request, response) => {
    const body = await text(request)
    if (request.url === '/zip')
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(`seen ${body}`))
    else response.end(Buffer.from(`seen ${body}`, 'utf16le'))
  })
  const { callProxy, id, readLatest } = await startExchanges()
  const body = `{{ ${id} | json: '$.number' }}`
  await (await callProxy('/proxy/zip', { headers: { 'BT-PROXY-URL': url }, body })).text()
  expect((await readLatest()).came_back?.body).toEqual({ text: 'seen ••••••••', cut: false })
  await (await callProxy('/proxy/wide', { headers: { 'BT-PROXY-URL': url }, body })).text()
  const wide = await readLatest(2)
  expect(wide.came_back?.body).toEqual({ text: null, omitted: 'binary', cut: false })
  expectHidden(wide)
})

test('X-58 if a proxy masks a response, only the masked body is stored', async () => {
  const { url } = await startDestination((_request, response) => {
    response.writeHead(200, json).end('{"account":"56834512","card":"5555555555554444"}')
  })
  const { callProxy, readLatest, createProxy } = await startExchanges()
  const { key } = await createProxy({
    destination_url: url,
    response_transforms: [
      { type: 'mask', matcher: 'regex', expression: '"account":"(.*?)"', replacement: '*' },
    ],
  })
  await (await callProxy('/proxy', { headers: { 'BT-PROXY-KEY': key }, body: 'a' })).text()
  const exchange = await readLatest()
  expect(exchange.came_back?.body).toEqual({ text: null, omitted: 'masked', cut: false })
  expect(exchange.handed_back?.body.text).toBe('{"account":"********","card":"XXXXXXXXXXXX4444"}')
})

test('G-07 a failed call is stored, and an unauthorized one is not', async () => {
  const { callProxy, id, listExchanges, readLatest, vault, listener } = await startExchanges()
  const body = `{{ ${id} | json: '$.number' }}`
  const stranger = await vault.application({ permissions: ['token:read'] })
  await fetch(`${listener.url}/proxy`, {
    method: 'POST',
    headers: { 'BT-API-KEY': stranger.key, 'BT-PROXY-URL': echoUrl },
    body,
  })
  const response = await callProxy('/proxy', { headers: { 'BT-PROXY-URL': 'https://api.example.com' }, body })
  expect(response.status).toBe(403)
  const exchange = await readLatest()
  expect(exchange).toMatchObject({ status: 403, came_back: null, problem: { status: 403 } })
  expect(exchange.problem?.detail).toContain('api.example.com')
  expectHidden(exchange)
  expect(await listExchanges()).toHaveLength(1)
})

test('G-07 a long response is forwarded in full, and only its start is stored', async () => {
  const long = Buffer.alloc(3 * 1024 * 1024, 'x')
  const { url } = await startDestination((_request, response) => {
    response.end(long)
  })
  const { callProxy, readLatest } = await startExchanges()
  const response = await callProxy('/proxy', {
    headers: { 'BT-PROXY-URL': url },
    body: Buffer.alloc(2 * 1024 * 1024, 'y'),
  })
  expect(Buffer.from(await response.arrayBuffer()).equals(long)).toBe(true)
  const { sent, went_out, came_back } = await readLatest()
  for (const body of [sent.body, went_out?.body, came_back?.body]) {
    expect(body?.cut).toBe(true)
    expect(body?.text).toHaveLength(16 * 1024)
  }
})

test('G-07 W-01 if redaction fails, nothing is stored and the failure is reported', async () => {
  const { vault, callProxy, incidents, readLatest, listExchanges, createProxy } = await startExchanges()
  const { key } = await createProxy({})
  const { takeEvents } = captureEvents(vault)
  const url = 'http://localhost:1/hook'
  await vault.owner.webhooks.create({ name: 'Calls', url, events: ['proxy.invoked'] } as never)
  const mistake = new TypeError('a mistake of ours')
  const masking = vi.spyOn(SecretRedactor.prototype, 'redact').mockImplementation(() => {
    throw mistake
  })
  onTestFinished(() => masking.mockRestore())
  const sendCall = () =>
    callProxy('/proxy/charges?secret=1', { headers: { ...json, 'BT-PROXY-KEY': key }, body: `"${number}"` })
  expect((await sendCall()).status).toBe(200)
  await waitFor(() => expect(incidents).toEqual([{ error: mistake, where: 'stored call of a proxy' }]))
  const [event] = await waitFor(() => {
    const all = takeEvents()
    expect(all).toHaveLength(1)
    return all
  })
  expect(event?.data).toMatchObject({ proxy: { name: 'Charges', response: { status: 200 } } })
  expect(JSON.stringify(event)).not.toContain(number)
  masking.mockRestore()
  expect((await sendCall()).status).toBe(200)
  await readLatest()
  expect(await listExchanges()).toHaveLength(1)
})
