import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

async function startWithOrigins(options: { origins?: string[] } = {}) {
  const listener = await startListener(options)
  const { key } = await listener.vault.application({
    permissions: ['token:create', 'token:read', 'token:delete'],
  })
  await listener.vault.owner.tokens.create({ type: 'token', id: 'secret-id', data: 'canary' })
  const body = { type: 'token', data: 'planted' }
  /** Sends a read, a write and a deletion with these headers, like a web page. */
  const sendLikePage = (headers: Record<string, string>) =>
    Promise.all([
      listener.request('GET', '/v2/tokens', { key, headers }),
      listener.request('GET', '/_coffer/health', { headers }),
      listener.request('GET', '/docs', { headers }),
      listener.request('POST', '/tokens', { key, body, headers }),
      listener.request('DELETE', '/tokens/secret-id', { key, headers }),
    ])
  const listTokenIds = async () => (await listener.vault.owner.tokens.list({})).data.map(({ id }) => id)
  return { ...listener, key, body, sendLikePage, listTokenIds }
}

const listForeignHeaders = (port: number): Record<string, string>[] => [
  { Origin: 'http://evil.test' },
  { Origin: 'https://evil.test' },
  { Origin: 'null' },
  { Origin: '' },
  { Origin: `http://localhost.evil.test:${port}` },
  { Origin: `http://127.0.0.1.evil.test:${port}` },
  { Origin: `http://127.0.0.1:${port + 1}` },
  { Origin: 'http://127.0.0.1:3000' },
  { Origin: 'http://127.0.0.1' },
  { Origin: 'http://localhost' },
  { Origin: `https://127.0.0.1:${port}` },
  // This is one of the listener's own names, but not the one in the Host header.
  { Origin: `http://localhost:${port}` },
  { Origin: `http://127.0.0.1:${port}/` },
  { Origin: `http://127.0.0.1:${port} http://evil.test` },
  { Origin: `http://127.0.0.1:${port}`.toUpperCase() },
  { Origin: 'file://' },
  { Origin: 'chrome-extension://abcdefghijklmnop' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'http://evil.test', 'Sec-Fetch-Site': 'same-origin' },
]

test('X-02 a foreign or malformed Origin is rejected on every route', async () => {
  const { port, sendLikePage, listTokenIds } = await startWithOrigins({ origins: ['http://localhost:3000'] })
  for (const headers of listForeignHeaders(port)) {
    const about = JSON.stringify(headers)
    for (const response of await sendLikePage(headers)) {
      expect(response.status, about).toBe(403)
      expect(response.headers.get('content-type'), about).toMatch(/^application\/json/)
      expect(response.headers.get('access-control-allow-origin'), about).toBeNull()
      expect(response.text, about).not.toMatch(/canary|secret-id|evil|"ok"/)
    }
  }
  expect(await listTokenIds()).toEqual(['secret-id'])
})

test('X-02 an allowed origin must match exactly', async () => {
  const { request, key } = await startWithOrigins({ origins: ['http://shop.test:3000'] })
  const fetchStatus = async (Origin: string) =>
    (await request('GET', '/v2/tokens', { key, headers: { Origin } })).status
  expect(await fetchStatus('http://shop.test:3000')).toBe(200)
  for (const origin of [
    'https://shop.test:3000',
    'http://shop.test',
    'http://shop.test:30000',
    'http://shop.test:3000.evil.test',
    'http://evil.test/http://shop.test:3000',
    'http://sub.shop.test:3000',
    'http://shop.test:3000/',
    'http://SHOP.test:3000',
  ]) {
    expect([origin, await fetchStatus(origin)]).toEqual([origin, 403])
  }
})

test.each([[[]], [['http://shop.test']]])(
  'X-04 a preflight from a foreign origin is denied, with %j allowed',
  async (origins) => {
    const { port, request, listTokenIds } = await startWithOrigins({ origins })
    for (const headers of listForeignHeaders(port)) {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        const response = await request('OPTIONS', '/tokens/secret-id', {
          headers: {
            ...headers,
            'Access-Control-Request-Method': method,
            'Access-Control-Request-Headers': 'svc-api-key,content-type',
            'Access-Control-Request-Private-Network': 'true',
          },
        })
        const about = `${method} ${JSON.stringify(headers)}`
        expect(response.status, about).toBe(403)
        const granted = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
        expect(granted, about).toEqual([])
      }
    }
    expect(await listTokenIds()).toEqual(['secret-id'])
  },
)

test('X-04 a preflight of an official client in a browser is granted its headers', async () => {
  const { request } = await startWithOrigins({ origins: ['http://shop.test'] })
  const names =
    'bt-api-key,bt-trace-id,bt-idempotency-key,content-type,x-fern-language,x-fern-sdk-name,x-fern-sdk-version,x-fern-runtime,x-fern-runtime-version'
  const { status, headers } = await request('OPTIONS', '/tokens', {
    headers: {
      Origin: 'http://shop.test',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': names,
    },
  })
  expect([status, headers.get('access-control-allow-headers')]).toEqual([204, names])
})

test('X-04 a preflight from an allowed origin is granted to that origin, without credentials', async () => {
  const { request } = await startWithOrigins({ origins: ['http://shop.test', 'http://other.test'] })
  const response = await request('OPTIONS', '/tokens', {
    headers: {
      Origin: 'http://shop.test',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'svc-api-key,content-type',
    },
  })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-origin')).toBe('http://shop.test')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  expect(response.headers.get('access-control-allow-private-network')).toBeNull()
  expect(response.headers.get('vary')).toMatch(/origin/i)
})
