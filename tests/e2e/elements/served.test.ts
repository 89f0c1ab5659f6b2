import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createFramePage } from '../../../electron/http/elements/frame-page.ts'
import { sendRawRequest } from '../../http/raw-request.ts'
import { startListener } from '../../listener.ts'

const shop = 'http://localhost:3000'
const paths = [
  '/elements.js',
  '/elements',
  '/elements/client.js',
  '/elements/client/index.js',
  '/web-elements/2.17.0/client/index.js',
  '/web-elements/1.24.2/index.js',
  '/web-elements/2.17.0/index.js',
  '/web-threeds/index.js',
  '/web-threeds/v0/index.js',
  '/web-threeds/v0.1/index.js',
]

test.each(paths)('GET %s serves the script with the base URL of the request', async (path) => {
  const { url, port } = await startListener()
  // The headers that a browser sends to load a script for a page of another site.
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'script' }
  const { status, text, headers: responseHeaders } = await fetchScript(`${url}${path}`, headers)
  expect(status).toBe(200)
  expect(text).toContain(JSON.stringify(url))
  expect(text).not.toContain('COFFER_ORIGIN')
  expect(responseHeaders.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(responseHeaders.get('access-control-allow-origin')).toBe('*')
  expect(responseHeaders.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(responseHeaders.get('cache-control')).toBe('no-cache')
  const other = await fetchScript(`http://localhost:${port}${path}`)
  expect(other.text).toContain(`"http://localhost:${port}"`)
  const etag = responseHeaders.get('etag') ?? ''
  expect((await fetchScript(`${url}${path}`, { 'If-None-Match': etag })).status).toBe(304)
  expect(await sendRawRequest(port, `GET ${path} HTTP/1.1\r\nHost: evil.test\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 403/,
  )
})

test.each(['3.1.0', '0.9.0', '2', '2.17.0%22%3E', 'latest', `2.1.0-${'a'.repeat(40)}`])(
  'N-01 there is no script and no tag for version %s',
  async (version) => {
    const { url } = await startListener()
    const { status, text } = await fetchScript(`${url}/web-elements/${version}/index.js`)
    expect(status).toBe(404)
    expect(text).toContain('Use a version that begins with 1. or 2.')
    expect((await fetchScript(`${url}/sri/?version=${version}`)).status).toBe(404)
  },
)

test.each([
  ['?version=1.24.2', '1.24.2'],
  ['?version=', '2.17.0'],
  ['', '2.17.0'],
])('N-01 GET /sri/%s returns a script tag for version %s without integrity', async (query, version) => {
  const { url } = await startListener()
  const { status, text, headers } = await fetchScript(`${url}/sri/${query}`, { Origin: 'https://docs.test' })
  expect(status).toBe(200)
  expect(headers.get('access-control-allow-origin')).toBe('*')
  const html = `<script src="${url}/web-elements/${version}/index.js" crossorigin="anonymous"></script>`
  expect(JSON.parse(text)).toEqual({ version, html })
})

test('the scripts are smaller (gzip): for pages 15 kB, for 3D Secure 3 kB, for frames 25 kB', () => {
  const folder = path.join(import.meta.dirname, '..', '..', '..', 'out', 'elements')
  const measureSize = (name: string) => gzipSync(fs.readFileSync(path.join(folder, name))).length
  const [frame = ''] = fs.readdirSync(path.join(folder, 'frame'))
  expect(measureSize('client/client.js')).toBeLessThan(15_000)
  expect(measureSize('three-ds/three-ds.js')).toBeLessThan(3_000)
  expect(measureSize(`frame/${frame}`)).toBeLessThan(25_000)
})

test('X-61 only pages of allowed origins can load and embed a frame', async () => {
  const { url } = await startListener({ origins: [shop, 'https://app.test'] })
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'iframe' }
  const {
    status,
    text,
    headers: responseHeaders,
  } = await fetchScript(`${url}/elements/frame?origin=${shop}&id=1`, headers)
  expect(status).toBe(200)
  expect(parsePolicy(responseHeaders)).toEqual({
    'default-src': "'none'",
    'script-src': `${url}/elements/assets/`,
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': `${shop} https://app.test`,
  })
  expect(responseHeaders.get('cache-control')).toBe('no-store')
  const source = /src="([^"]+)"/.exec(text)?.[1] ?? ''
  expect(source).toMatch(/^\/elements\/assets\/frame-[\w-]{8,}\.js$/)
  const asset = await fetchScript(url + source, { 'Sec-Fetch-Site': 'same-origin' })
  expect(asset.status).toBe(200)
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  // The script contains no secret, but pages of other sites never need it.
  expect((await fetchScript(url + source, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
})

test.each([
  'http://localhost:3001',
  'http://localhost:3000.evil.test',
  'null',
  '',
  '"><script>alert(1)</script>',
])('X-61 a page of %j gets a frame document without a script', async (origin) => {
  const { url } = await startListener({ origins: [shop] })
  for (const kind of ['frame', 'data']) {
    const { status, text, headers } = await fetchScript(
      `${url}/elements/${kind}?origin=${encodeURIComponent(origin)}`,
    )
    expect(status).toBe(403)
    expect(text).not.toMatch(/<script|src=/)
    expect(text).toContain('coffer serve --cors-origin http://localhost:300')
    expect(parsePolicy(headers)['default-src']).toBe("'none'")
    expect(parsePolicy(headers)['script-src']).toBeUndefined()
  }
})

test("X-61 pages of the listener's own origin cannot embed a frame", () => {
  const own = 'http://127.0.0.1:4747'
  const options = { own, page: own, allowed: new Set([own]), script: 'frame-12345678.js', destinations: null }
  expect(createFramePage(options).status).toBe(403)
  expect(createFramePage({ ...options, page: shop, allowed: new Set([shop]) }).status).toBe(200)
})

test("X-60 the data frame's policy lists the allowed destinations", () => {
  const destinations = ['api.example.com', '*.example.org:8443', '10.0.0.7', '10.0.0.0/8', '::1', '*']
  const { headers } = createFramePage({
    own: 'http://127.0.0.1:4747',
    page: shop,
    allowed: new Set([shop]),
    script: 'frame-12345678.js',
    destinations,
  })
  expect(headers['Content-Security-Policy']).toContain(
    'https://localhost:* api.example.com:* *.example.org:8443 10.0.0.7:* *;',
  )
})

test('X-60 the data frame may call its own origin, this machine and allowed destinations', async () => {
  const { url } = await startListener({ origins: [shop] })
  const { headers } = await fetchScript(`${url}/elements/data?origin=${shop}`)
  expect(parsePolicy(headers)['connect-src']).toBe(
    "'self' http://127.0.0.1:* https://127.0.0.1:* http://localhost:* https://localhost:*",
  )
})

test.each(['frame/../../package.json', 'frame-x', '..%2f..%2fcli%2fcoffer.js', 'frame-12345678.js'])(
  'X-37 /elements/assets/%s is 404',
  async (name) => {
    const { url } = await startListener()
    expect((await fetchScript(`${url}/elements/assets/${name}`)).status).toBe(404)
  },
)

test('X-60 loading the script gives other sites no access to the API', async () => {
  const { vault, request } = await startListener({ origins: [shop] })
  const { key } = await vault.application({ permissions: ['token:create', 'token:read'] })
  for (const headers of [{ Origin: 'http://evil.test' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    for (const path of [
      '/tokens',
      '/api/tokens',
      '/elements/opening',
      '/elements/none',
      '/api/elements.js/x',
    ]) {
      expect((await request('GET', path, { key, headers })).status, path).toBe(403)
    }
  }
})

test('the API is also available below /api', async () => {
  const { vault, request } = await startListener({ origins: [shop] })
  const { key } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const made = await request('POST', '/api/tokens', { key, body: { type: 'token', data: 'a' } })
  expect(made.status).toBe(201)
  const read = await request('GET', `/api/tokens/${made.body.id}`, { key, headers: { Origin: shop } })
  expect(read.body.id).toBe(made.body.id)
  expect(read.headers.get('access-control-allow-origin')).toBe(shop)
  expect((await request('GET', '/api', { key })).status).toBe(404)
  expect((await request('GET', '/api/none', { key })).status).toBe(404)
})

async function fetchScript(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function parsePolicy(headers: Headers): Record<string, string> {
  const policy = headers.get('content-security-policy') ?? ''
  return Object.fromEntries(
    policy.split('; ').map((each) => {
      const [name = '', ...rest] = each.split(' ')
      return [name, rest.join(' ')]
    }),
  )
}
