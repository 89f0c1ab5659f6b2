import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { inMemoryVault, startHost } from '../host/start-host.ts'
import { expectShortTurns } from '../longest-block.ts'
import { startDestination } from '../outbound/destination.ts'
import { waitFor } from '../wait-for.ts'
import { holdRequestsOpen } from './hold-requests-open.ts'
import { sendRawRequest } from './raw-request.ts'
import { startTestServer } from './test-server.ts'

const json = { 'Content-Type': 'application/json' }
const allowed = 'DELETE, GET, PATCH, POST, PUT'

test.each(['HEAD', 'OPTIONS', 'QUERY', 'PROPFIND'])(
  'A-04 G-04 %s on /proxy lists the allowed methods',
  async (method) => {
    const { url } = await startTestServer()
    const { port } = new URL(url)
    for (const path of ['/proxy', '/proxy/', '/proxy/a/b?c=d']) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
      const [top = '', body] = (await sendRawRequest(Number(port), head)).split('\r\n\r\n', 2)
      expect([path, top]).toEqual([path, expect.stringMatching(/^HTTP\/1.1 405 /)])
      expect(top).toMatch(new RegExp(`^allow: ${allowed}$`, 'im'))
      if (method !== 'HEAD')
        expect(JSON.parse(body ?? '')).toMatchObject({
          proxy_error: { status: 405, code: 'method_not_allowed' },
        })
    }
  },
)

test('G-04 a page of an allowed origin can send preflights and read responses', async () => {
  const { url } = await startDestination()
  const { window } = startHost()
  const { keys } = await window.host.createVault(inMemoryVault)
  const origin = 'http://localhost:3000'
  await window.host.updateSettings({ origins: [origin] })
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const sendPreflight = (from: string) =>
    fetch(`${listener.url}/proxy/a`, {
      method: 'OPTIONS',
      headers: {
        Origin: from,
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'bt-api-key,bt-proxy-url,x-mine',
      },
    })
  const preflight = await sendPreflight(origin)
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
  expect(preflight.headers.get('access-control-allow-headers')).toContain('bt-proxy-url')
  expect((await sendPreflight('http://evil.test')).status).toBe(403)
  const response = await fetch(`${listener.url}/proxy/a`, {
    headers: { Origin: origin, 'BT-API-KEY': keys.private, 'BT-PROXY-URL': url },
  })
  expect(response.headers.get('access-control-allow-origin')).toBe(origin)
  expect(response.headers.get('access-control-expose-headers')).toContain('BT-PROXY-DESTINATION-STATUS')
})

test('R-01 G-06 a proxied call beyond the rate limit gets a proxy error', async () => {
  const { vault, url, keys } = await startTestServer()
  await vault.owner.tenants.update({
    name: 'Test',
    settings: { rate_limits: 'custom', rate_limit_requests: '2' },
  })
  const headers = { 'BT-API-KEY': keys.private, 'BT-PROXY-URL': 'https://echo.coffer.test' }
  const responses = []
  for (let n = 0; n < 3; n++) responses.push(await fetch(`${url}/proxy`, { headers }))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(Number(responses[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await responses[2]?.json()).toMatchObject({ proxy_error: { status: 429, code: 'rate_limited' } })
})

test('G-04 every kind of fault applies to proxied calls', async () => {
  const { url, requests } = await startDestination()
  const { window } = startHost()
  const { keys } = await window.host.createVault(inMemoryVault)
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const callProxy = () =>
    fetch(`${listener.url}/proxy`, { headers: { 'BT-API-KEY': keys.private, 'BT-PROXY-URL': url } })
  const setFault = (rule: object) =>
    window.host.setFaults({ rules: [{ name: 'f', operations: ['proxies.*'], ...rule }] as never })
  await setFault({ status: 503 })
  expect([(await callProxy()).status, requests.length]).toEqual([503, 0])
  await setFault({ status: 500, when: 'after' })
  const after = await callProxy()
  expect([after.status, requests.length, after.headers.get('coffer-fault')]).toEqual([500, 1, 'f'])
  await setFault({ cut: true })
  await expect(callProxy()).rejects.toThrow()
  await setFault({ delay_ms: 30 })
  const late = await callProxy()
  expect([late.status, await late.text(), late.headers.get('coffer-fault')]).toEqual([200, 'ok', 'f'])
})

test('G-05 the documented signing expression finds headers in any letter case', async () => {
  const { url } = await startDestination(async (request, response) =>
    response.end(JSON.stringify({ headers: request.headers, body: await text(request) })),
  )
  const { request, keys, createProxy } = await startTestServer()
  const { key } = await createProxy({ destination_url: url, configuration: { secret_key: 'shh' } })
  const sample =
    "{{ proxy | json: '$.request.headers.X-User-Id' | append: proxy.request.headers.X-Date | append: proxy.request.body | hmac: 'sha-256', proxy.config.secret_key | to_base16 }}"
  const { body } = await request('POST', '/proxy', {
    key: keys.private,
    headers: { ...json, 'BT-PROXY-KEY': key, 'x-user-id': 'ada', 'X-DATE': 'today', 'X-Signature': sample },
    raw: '{"a":1}',
  })
  const { createHmac } = await import('node:crypto')
  const signed = createHmac('sha256', 'shh').update('adatoday{"a":1}').digest('hex')
  expect(body.headers['x-signature'].toLowerCase()).toBe(signed)
})

test('G-01 patching one form of transforms replaces the other', async () => {
  const { vault } = await startTestServer()
  const createTransform = (value: string) => ({ type: 'append_text', options: { value } }) as const
  const { id } = await vault.owner.proxies.create({
    name: 'p',
    destination_url: 'https://echo.coffer.test',
    request_transforms: [createTransform('a')],
    response_transform: createTransform('b'),
  })
  await vault.owner.proxies.patch({ id, request_transform: createTransform('c'), response_transforms: [] })
  const one = await vault.owner.proxies.get({ id })
  expect(one).toMatchObject({ request_transform: createTransform('c'), response_transforms: [] })
  expect(one).not.toHaveProperty('request_transforms')
  expect(one).not.toHaveProperty('response_transform')
  const both = { request_transform: createTransform('d'), request_transforms: [createTransform('d')] }
  await expect(vault.owner.proxies.patch({ id, ...both })).rejects.toThrow(/request_transform/)
})

test('O-05 G-05 a token read by a transform is recorded', async () => {
  const { vault, request, keys } = await startTestServer()
  const { id: token } = await vault.owner.tokens.create({ type: 'token', data: 'secret-1' })
  const { key } = await vault.owner.proxies.create({
    name: 'p',
    destination_url: 'https://echo.coffer.test',
    request_transform: { type: 'append_text', options: { value: `{{ ${token} }}` } },
  })
  const { status } = await request('POST', '/proxy', { key: keys.private, headers: { 'BT-PROXY-KEY': key } })
  expect(status).toBe(200)
  const { data } = await vault.owner.logs.list({ entity_id: token })
  expect(data.map(({ action }) => action)).toContain('proxies.transform')
})

test('G-05 a proxy whose application was deleted creates no tokens', async () => {
  const { vault, request, keys } = await startTestServer()
  const { id: application } = await vault.application({ permissions: ['token:create'] })
  const { id, key } = await vault.owner.proxies.create({
    name: 'p',
    destination_url: 'https://echo.coffer.test',
    application: { id: application },
    request_transform: { type: 'tokenize', options: { token: { type: 'token', data: 'x' } } },
  })
  await vault.owner.applications.remove({ id: application })
  expect(await vault.owner.proxies.get({ id })).toMatchObject({ application_id: application })
  await vault.owner.proxies.patch({ id, name: 'still' })
  const callProxy = () => request('POST', '/proxy', { key: keys.private, headers: { 'BT-PROXY-KEY': key } })
  const refused = await callProxy()
  expect([refused.status, refused.body.proxy_error.detail]).toEqual([
    403,
    "The proxy's application no longer exists. Assign another one.",
  ])
  await vault.owner.proxies.patch({ id, application: null })
  expect((await callProxy()).status).toBe(200)
})

test('R-03 20 simultaneous calls with 100 expressions each do not block the thread', async () => {
  const { url } = await startDestination(
    (request, response) => void request.resume().on('end', () => response.end()),
  )
  const { request, keys, createProxy } = await startTestServer()
  const { key } = await createProxy({ destination_url: url, configuration: { a: 'x'.repeat(100) } })
  const filler = 'y'.repeat(9_000)
  const body = JSON.stringify(Array.from({ length: 100 }, () => `${filler}{{ config: a }}`))
  const callProxy = () =>
    request('POST', '/proxy', { key: keys.private, headers: { ...json, 'BT-PROXY-KEY': key }, raw: body })
  await callProxy()
  const results = await expectShortTurns(() => Promise.all(Array.from({ length: 20 }, callProxy)), 150)
  expect(results.map(({ status }) => status)).toEqual(Array(20).fill(200))
})

test('R-03 calls to a slow destination do not block other requests', async () => {
  let releaseCalls = () => {}
  const released = new Promise<void>((resolve) => {
    releaseCalls = resolve
  })
  const { url, requests } = await startDestination((_, response) => void released.then(() => response.end()))
  const { request, keys, port, createToken } = await startTestServer()
  const { id } = await createToken()
  const body = `{{ ${id} }}`
  const head = `POST /proxy HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nBT-API-KEY: ${keys.private}\r\nBT-PROXY-URL: ${url}\r\n`
  const { responses } = await holdRequestsOpen(port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  await waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(200))
  const large = JSON.stringify({ type: 'token', data: 'x'.repeat(100_000) })
  expect((await request('POST', '/tokens', { key: keys.private, raw: large, headers: json })).status).toBe(
    201,
  )
  releaseCalls()
  const statuses = (await Promise.all(responses)).map((response) => response.slice(0, 13))
  expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 200 ']))
}, 60_000)

test('G-04 closing the listener ends pending calls', async () => {
  const { url, requests } = await startDestination(() => {})
  const { window } = startHost()
  const { keys } = await window.host.createVault(inMemoryVault)
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const headers = { 'BT-API-KEY': keys.private, 'BT-PROXY-URL': url }
  const pending = Array.from({ length: 20 }, () =>
    fetch(`${listener.url}/proxy`, { headers }).catch(() => 'cut'),
  )
  await waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(20))
  const gone = requests.map((each) => once(each.socket, 'close'))
  await window.host.listenerOff()
  expect(await Promise.all(pending)).toEqual(Array(20).fill('cut'))
  await Promise.all(gone)
})

test('A-06 G-06 locking the vault ends pending calls with 423', async () => {
  const answers: (() => void)[] = []
  const { url } = await startDestination((_, response) => void answers.push(() => response.end('done')))
  const { window } = startHost()
  const { keys } = await window.host.createVault(inMemoryVault)
  const { key } = await window.proxies.create({
    name: 'p',
    destination_url: url,
    response_transform: { type: 'append_text', options: { value: 'x' } },
  })
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const callProxy = (headers: Record<string, string>) =>
    fetch(`${listener.url}/proxy`, { headers: { 'BT-API-KEY': keys.private, ...headers } })
  const pending = [callProxy({ 'BT-PROXY-KEY': key }), callProxy({ 'BT-PROXY-URL': url })]
  await waitFor(() => expect(answers.length).toBeGreaterThanOrEqual(2))
  await window.host.lock()
  for (const answer of answers) answer()
  for (const response of [...(await Promise.all(pending)), await callProxy({ 'BT-PROXY-URL': url })]) {
    expect(response.status).toBe(423)
    expect(await response.json()).toMatchObject({ proxy_error: { status: 423, code: 'locked' } })
  }
})
