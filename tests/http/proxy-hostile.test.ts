import { expect, test } from 'vitest'
import { expectShortTurns } from '../longest-block.ts'
import { startDestination, startRawDestination } from '../outbound/destination.ts'
import { number, startProxy } from './start-proxy.ts'

const json = { 'Content-Type': 'application/json' }
const echo = { 'BT-PROXY-URL': 'https://echo.coffer.test' }

test('X-53 R-03 a body of unclosed quotes does not block other requests', async () => {
  const { callProxy } = await startProxy()
  const body = `{{ nothing }} "${'\\"'.repeat(400_000)}`
  const { status } = await expectShortTurns(
    () => callProxy('POST', '/proxy', { headers: { ...echo, ...json }, body }),
    500,
  )
  expect(status).toBe(400)
})

test('G-05 R-03 an expression in a 1 MB body is inserted quickly', async () => {
  const { callProxy, id } = await startProxy()
  const { url } = await startDestination((request, response) =>
    request.resume().on('end', () => response.end()),
  )
  const items = Array.from({ length: 10_500 }, (_, at) => ({
    id: at,
    name: `Customer ${at}`,
    note: 'a "quoted" word',
    list: ['a', 'b'],
    active: true,
  }))
  const body = JSON.stringify({ items, number: `{{ ${id} | json: '$.number' }}` })
  expect(body.length).toBeGreaterThan(900_000)
  const { status } = await expectShortTurns(
    () => callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url, ...json }, body }),
    50,
  )
  expect(status).toBe(200)
})

test('G-05 R-03 a token of many values is sent and redacted quickly', async () => {
  const { callProxy, vault, createProxy } = await startProxy()
  const { url, requests } = await startDestination((request, response) =>
    request.resume().on('end', () => response.end('x'.repeat(900_000))),
  )
  const many = await vault.owner.tokens.create({
    type: 'token',
    data: Array.from({ length: 140_000 }, (_, at) => at % 10),
  })
  const plain = await callProxy('POST', '/proxy', {
    headers: { 'BT-PROXY-URL': url, ...json },
    body: `{"x":"{{ ${many.id} }}"}`,
  })
  expect(plain.status).toBe(200)
  expect(requests[0]?.headers['content-length']).toBe(String(140_000 * 2 + 1 + 6))
  const long = await vault.owner.tokens.create({
    type: 'token',
    data: Array.from({ length: 40_000 }, (_, at) => `secret ${at}`),
  })
  const response_transforms = [{ type: 'append_text', options: { value: 'a' } }]
  const proxy = await createProxy({ destination_url: 'https://echo.coffer.test', response_transforms })
  const body = `{"x":"{{ ${long.id} | json: '$[0]' }}","pad":"${'y'.repeat(900_000)}"}`
  const headers = { 'BT-PROXY-KEY': proxy.key, ...json }
  const { text } = await expectShortTurns(() => callProxy('POST', '/proxy', { headers, body }), 500)
  expect(text).not.toContain('secret 0')
})

test('X-52 a destination cannot set the listener’s own headers', async () => {
  const bytes = [
    'HTTP/1.1 200 OK',
    'Content-Length: 2',
    'Content-Type: text/html',
    'Set-Cookie: coffer_console_4748=forged; Path=/',
    'Clear-Site-Data: "*"',
    'Strict-Transport-Security: max-age=31536000',
    'Service-Worker-Allowed: /',
    'Content-Security-Policy-Report-Only: default-src *; report-uri http://evil.test',
    'Reporting-Endpoints: x="http://evil.test"',
    'NEL: {}',
    'Report-To: {}',
    'Alt-Svc: h3=":1"',
    'Speculation-Rules: "http://evil.test"',
    'Cross-Origin-Resource-Policy: cross-origin',
    'Timing-Allow-Origin: *',
    'X-Content-Type-Options: off',
    'BT-TRACE-ID: forged',
    'SVC-TRACE-ID: forged',
    'BT-PROXY-DESTINATION-STATUS: 500',
    'Link: </next>; rel="next"',
    'WWW-Authenticate: Basic',
    '',
    'ok',
  ].join('\r\n')
  const url = await startRawDestination(bytes)
  const { callProxy } = await startProxy()
  const { headers, text } = await callProxy('GET', '/proxy', {
    headers: { 'BT-PROXY-URL': url, Accept: '*/*' },
  })
  expect(text).toBe('ok')
  for (const name of [
    'clear-site-data',
    'strict-transport-security',
    'service-worker-allowed',
    'content-security-policy-report-only',
    'reporting-endpoints',
    'nel',
    'report-to',
    'alt-svc',
    'speculation-rules',
    'cross-origin-resource-policy',
    'timing-allow-origin',
  ])
    expect([name, headers.get(name)]).toEqual([name, null])
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('bt-trace-id')).toMatch(/^[\da-f-]{36}$/)
  expect(headers.get('svc-trace-id')).toBe(headers.get('bt-trace-id'))
  expect(headers.get('bt-proxy-destination-status')).toBe('200')
  // Other headers, which programs read, are forwarded.
  expect(headers.get('link')).toBe('</next>; rel="next"')
  expect(headers.get('www-authenticate')).toBe('Basic')
})

test('X-53 a destination’s cookies are forwarded to programs, but not to browsers', async () => {
  const { url } = await startDestination((_, response) =>
    response.setHeader('Set-Cookie', ['coffer_console_4748=forged; Path=/', 'b=2']).end('ok'),
  )
  const { callProxy } = await startProxy()
  const program = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })
  expect(program.headers.getSetCookie()).toHaveLength(2)
  const page = await callProxy('GET', '/proxy', {
    headers: { 'BT-PROXY-URL': url, 'Sec-Fetch-Site': 'none' },
  })
  expect(page.headers.getSetCookie()).toEqual([])
})

test.each(['600', '999'])('G-06 the invalid status %s gives 502', async (status) => {
  const url = await startRawDestination(
    `HTTP/1.1 ${status} Odd\r\nX-Theirs: y\r\nContent-Length: 2\r\n\r\nhi`,
  )
  const { callProxy } = await startProxy()
  const response = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })
  expect(response.status).toBe(502)
  expect(response.headers.get('bt-proxy-destination-status')).toBeNull()
  expect(response.headers.get('x-theirs')).toBeNull()
  expect(response.text).toContain('bad_gateway')
})

test('X-58 G-07 card numbers in paths are masked in records', async () => {
  const { callProxy, listRecords } = await startProxy()
  const encoded = [...number].map((digit) => `%3${digit}`).join('')
  const grouped = '4242-4242-4242-4242'
  for (const path of [number, `pay/${number}/x`, grouped, encoded, `%3${number}`])
    await callProxy('GET', `/proxy/${path}`, { headers: echo })
  const stored = JSON.stringify(await listRecords())
  expect(stored).toContain('/proxy/pay/XXXXXXXXXXXX4242/x')
  for (const text of [number, grouped, encoded, '42424242']) expect(stored).not.toContain(text)
})
