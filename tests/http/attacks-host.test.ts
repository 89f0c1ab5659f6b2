import http from 'node:http'
import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { sendRawRequest } from './raw-request.ts'

const planted = JSON.stringify({ type: 'token', data: 'planted' })

async function startWithHosts(options: { hosts?: string[] } = {}) {
  const listener = await startListener(options)
  const { key } = await listener.vault.application({ permissions: ['token:create', 'token:read'] })
  await listener.vault.owner.tokens.create({ type: 'token', id: 'secret-id', data: 'canary' })
  listener.vault.engine.outcomes.flushLog()
  const countRecords = async () => (await listener.vault.owner.logs.list({})).data.length
  /** Sends raw requests for health, a read and a write, with these lines instead of the Host header. */
  const sendWithHosts = (hosts: readonly string[], target = '', version = '1.1') => {
    const sendRequest = (method: string, path: string, body = '') => {
      const head = [
        `${method} ${target}${path} HTTP/${version}`,
        ...hosts,
        `SVC-API-KEY: ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ]
      return sendRawRequest(listener.port, `${head.join('\r\n')}\r\n\r\n${body}`)
    }
    return Promise.all([
      sendRequest('GET', '/_coffer/health'),
      sendRequest('GET', '/v2/tokens'),
      sendRequest('GET', '/openapi.json'),
      sendRequest('GET', '/%zz'),
      sendRequest('POST', '/tokens', planted),
    ])
  }
  return { ...listener, key, countRecords, sendWithHosts }
}

const listHosts = (port: number): [string, string[]][] => [
  ['foreign', [`Host: evil.test:${port}`]],
  ['foreign without a port', ['Host: evil.test']],
  ['own address as a foreign name', [`Host: 127.0.0.1.evil.test:${port}`]],
  ['own name as a foreign name', [`Host: localhost.evil.test:${port}`]],
  ['ending in an own name', [`Host: evil-localhost:${port}`]],
  ['another port', [`Host: 127.0.0.1:${port + 1}`]],
  ['no port', ['Host: 127.0.0.1']],
  ['an empty port', ['Host: 127.0.0.1:']],
  ['a port with a leading zero', [`Host: 127.0.0.1:0${port}`]],
  ['missing', []],
  ['empty', ['Host:']],
  ['two, the own one first', [`Host: 127.0.0.1:${port}`, `Host: evil.test:${port}`]],
  ['two, the own one last', [`Host: evil.test:${port}`, `Host: 127.0.0.1:${port}`]],
  ['its own Host twice', [`Host: 127.0.0.1:${port}`, `HOST: 127.0.0.1:${port}`]],
  ['two in one', [`Host: 127.0.0.1:${port}, evil.test`]],
  ['a trailing dot', [`Host: localhost.:${port}`]],
  ['a trailing dot after the address', [`Host: 127.0.0.1.:${port}`]],
  ['decimal', [`Host: 2130706433:${port}`]],
  ['hexadecimal', [`Host: 0x7f000001:${port}`]],
  ['hexadecimal by parts', [`Host: 0x7f.0.0.1:${port}`]],
  ['octal', [`Host: 0177.0.0.1:${port}`]],
  ['short', [`Host: 127.1:${port}`]],
  ['nought', [`Host: 0.0.0.0:${port}`]],
  ['mapped into IPv6', [`Host: [::ffff:127.0.0.1]:${port}`]],
  ['written out', [`Host: [0:0:0:0:0:0:0:1]:${port}`]],
  ['::1 without brackets', [`Host: ::1:${port}`]],
  ['with a user', [`Host: 127.0.0.1:${port}@evil.test`]],
  ['forwarded', [`Host: evil.test:${port}`, `X-Forwarded-Host: 127.0.0.1:${port}`]],
  ['forwarded by the standard', ['Host: evil.test', `Forwarded: host="127.0.0.1:${port}"`]],
]

test('X-01 a foreign Host is rejected on every route, and leaves no log record', async () => {
  const { vault, port, sendWithHosts, countRecords } = await startWithHosts()
  const before = await countRecords()
  for (const [name, lines] of listHosts(port)) {
    for (const response of await sendWithHosts(lines)) {
      expect(response, name).toMatch(/^HTTP\/1\.1 40[03] /)
      expect(response.toLowerCase(), name).toContain('content-type: application/json')
      expect(response, name).not.toMatch(/canary|secret-id|planted|evil|"ok"|key_local_/)
    }
  }
  expect((await vault.owner.tokens.list({})).data.map(({ id }) => id)).toEqual(['secret-id'])
  vault.engine.outcomes.flushLog()
  expect(await countRecords()).toBe(before)
})

test('X-01 a request without a Host, or with a target other than a path, is rejected', async () => {
  const { vault, port, sendWithHosts } = await startWithHosts()
  const own = [`Host: 127.0.0.1:${port}`]
  for (const target of [
    `http://127.0.0.1:${port}`,
    `http://evil.test:${port}`,
    'https://evil.test',
    '*',
    'evil',
  ]) {
    for (const response of await sendWithHosts(own, target)) {
      expect(response, target).toMatch(/^HTTP\/1\.1 40[03] /)
      expect(response, target).not.toMatch(/canary|secret-id|"ok"/)
    }
  }
  for (const response of await sendWithHosts([], '', '1.0')) expect(response).toMatch(/^HTTP\/1\.1 40[03] /)
  // RFC 9112 3.2 requires 400.
  for (const response of await sendWithHosts([])) expect(response).toMatch(/^HTTP\/1\.1 400 /)
  // Two slashes at the start of a target do not name another host.
  for (const response of await sendWithHosts(own, '//evil.test'))
    expect(response).toMatch(/^HTTP\/1\.1 40[04] /)
  expect((await vault.owner.tokens.list({})).data).toHaveLength(1)
})

test('X-01 own and added host names are accepted in any letter case, but only with their port', async () => {
  const { port, sendWithHosts, key } = await startWithHosts({ hosts: ['vault.test', 'other.test:99'] })
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    `[::1]:${port}`,
    `vault.test:${port}`,
    `VAULT.test:${port}`,
    'other.test:99',
  ]) {
    const [health, list] = await sendWithHosts([`Host: ${host}`])
    expect([host, health?.slice(9, 12), list?.slice(9, 12)]).toEqual([host, '200', '200'])
  }
  for (const host of ['vault.test', 'sub.vault.test', 'vault.test.evil.test', 'other.test']) {
    const [health] = await sendWithHosts([`Host: ${host}`])
    expect([host, health?.slice(9, 12)]).toEqual([host, '403'])
  }
  const status = await new Promise((resolve) => {
    http
      .get({ host: '::1', port, path: '/v2/tokens', headers: { 'SVC-API-KEY': key } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      // On a machine without IPv6, nothing listens there.
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })
  expect([200, 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENETUNREACH']).toContain(status)
})
