import { expect, test } from 'vitest'
import { routes } from '../../electron/http/routes.ts'
import { inMemoryVault, startHost } from '../host/start-host.ts'
import { startListener } from '../listener.ts'
import { pickSome } from '../thorough.ts'
import { sendRawRequest } from './raw-request.ts'
import { requests, startTestServer, toPath } from './test-server.ts'

/** Returns the headers that two responses to the same request share. Others depend on the time or the connection. */
function getSharedHeaders(headers: Headers, ...without: string[]): Record<string, string> {
  const passing = ['date', 'svc-trace-id', 'connection', 'keep-alive', ...without]
  return Object.fromEntries([...headers].filter(([name]) => !passing.includes(name)))
}

const gets = routes.filter(({ method }) => method === 'GET')

test.each(pickSome(gets, 6).map((route) => [route.path, route] as const))(
  'A-04 HEAD %s gives the status and headers of GET, without a body',
  async (path, { name, operation }) => {
    const world = await startTestServer()
    const { request, keys } = world
    const sent = (await requests[name]?.createRequest(world)) ?? {}
    const [permission = ''] = [operation.permission].flat()
    const key = /^(?:token|documents|account-updater|(?:apple|google)-pay:re)|:invoke$/.test(permission)
      ? keys.private
      : keys.management
    const answers = {
      GET: await request('GET', toPath(path, sent), { key }),
      HEAD: await request('HEAD', toPath(path, sent), { key }),
      'GET without a key': await request('GET', toPath(path, sent)),
      'HEAD without a key': await request('HEAD', toPath(path, sent)),
    }
    const { GET: got, HEAD: head } = answers
    expect([head.status, head.text]).toEqual([200, ''])
    // The second response is longer, because the log has one more record by then.
    const without = name === 'logs.list' ? ['content-length'] : []
    expect(getSharedHeaders(head.headers, ...without)).toEqual(getSharedHeaders(got.headers, ...without))
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1)
    const rejected = [answers['GET without a key'], answers['HEAD without a key']]
    expect(rejected.map(({ status }) => status)).toEqual([401, 401])
    expect(getSharedHeaders(rejected[1]?.headers as Headers)).toEqual(
      getSharedHeaders(rejected[0]?.headers as Headers),
    )
    world.vault.engine.outcomes.flushLog()
    const { data } = await world.vault.owner.logs.list({ size: 100 })
    const records = data.filter((record) => record.action === name).map(({ status }) => status)
    // Successful reads of the log are not recorded.
    expect(records.slice(0, 4)).toEqual(operation.entity === 'log' ? [401, 401] : [401, 401, 200, 200])
  },
)

test('A-04 a HEAD request is counted for the rate limit of its GET', async () => {
  const { request, keys, vault } = await startTestServer()
  await vault.owner.tenants.update({ name: 'Test', settings: { rate_limits: 'legacy' } })
  const requested = Array.from({ length: 101 }, () => request('HEAD', '/tokens', { key: keys.private }))
  const statuses = (await Promise.all(requested)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})

test.each([
  ['/', 'GET, HEAD'],
  ['/openapi.json', 'GET, HEAD'],
  ['/docs', 'GET, HEAD'],
  ['/docs/', 'GET, HEAD'],
  ['/_coffer/health', 'GET, HEAD'],
  ['/_coffer/ready', 'GET, HEAD'],
  ['/_coffer/reset', 'POST'],
  ['/_coffer/clock', 'GET, HEAD, POST'],
  ['/_coffer/snapshots', 'GET, HEAD'],
  ['/_coffer/snapshots/before', 'PUT'],
  ['/_coffer/snapshots/before/restore', 'POST'],
  ['/_coffer/faults', 'DELETE, GET, HEAD, POST, PUT'],
  ['/_coffer/faults/slow', 'DELETE'],
  ['/%5fcoffer/reset', 'POST'],
  ['/%74okens', 'GET, HEAD, POST'],
  ['/tokens/a%2Fb', 'DELETE, GET, HEAD, PATCH'],
  // The word `search` can be the id of a token, but `key` cannot be that of an application.
  ['/tokens/search', 'DELETE, GET, HEAD, PATCH, POST'],
  ['/applications/key', 'GET, HEAD'],
  ['/proxies', 'GET, HEAD, POST'],
  ['/reactors', 'GET, HEAD, POST'],
  ['/applications/0190c1c5-8f2b-4b3e-9d8f-2d9f2f1c9a10', 'DELETE, GET, HEAD, PUT'],
])('A-04 %s gives 405 for other methods and names the allowed ones', async (path, allowed) => {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  for (const method of ['DELETE', 'GET', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'PROPFIND']) {
    if (allowed.split(', ').includes(method)) continue
    const response = await fetch(listener.url + path, { method })
    const { status, headers } = response
    expect([method, status, headers.get('allow')]).toEqual([method, 405, allowed])
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toMatchObject({ status: 405, code: 'method_not_allowed' })
  }
})

test('A-04 the root describes Coffer and redirects browsers to the reference', async () => {
  const { url } = await startListener()
  const program = await fetch(url)
  expect(program.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await program.json()).toEqual({
    name: 'Coffer',
    description: expect.stringContaining('tokenization'),
    docs: `${url}/docs`,
    openapi: `${url}/openapi.json`,
    health: `${url}/_coffer/health`,
    ready: `${url}/_coffer/ready`,
  })
  const accept = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const browser = await fetch(url, { headers: accept, redirect: 'manual' })
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/docs'])
  expect((await fetch(url, { headers: accept })).url).toBe(`${url}/docs`)
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([
    200,
    program.headers.get('content-length'),
  ])
  expect((await fetch(url, { headers: { Origin: 'http://evil.test' } })).status).toBe(403)
})

test.each([
  ['GET /docs HTTP/1.1\r\nExpect: something', 200, null],
  ['FROBNICATE /tokens HTTP/1.1', 400, 'invalid'],
  ['GET /tokens HTTP/9.9', 400, 'invalid'],
  ['GET /tokens HTTP/1.1\r\nContent-Length: x', 400, 'invalid'],
  ['GET /tokens HTTP/1.1\r\nX: LONG', 431, 'headers_too_large'],
  ['GET http://127.0.0.1/tokens HTTP/1.1', 400, 'invalid'],
  ['OPTIONS * HTTP/1.1', 400, 'invalid'],
  ['CONNECT 127.0.0.1:80 HTTP/1.1', 400, 'invalid'],
])('A-05 a malformed request gets a problem document: %s', async (line, status, code) => {
  const { port } = await startListener()
  const sent = line.replace('LONG', 'x'.repeat(20_000))
  const response = await sendRawRequest(
    port,
    `${sent}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
  )
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  if (code === null) return
  const [top = '', body = ''] = response.split('\r\n\r\n', 2)
  expect(top.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
  expect(JSON.parse(body)).toMatchObject({ status, code, detail: expect.any(String) })
})
