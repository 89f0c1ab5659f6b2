import net from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { sendRawRequest } from '../http/raw-request.ts'
import { listenOnFreePort, startDestination } from '../outbound/destination.ts'
import { connectThrough, parseResponse, startAsHosted } from './start-as-hosted.ts'

const ok = 'HTTP/1.1 200 Connection established\r\n\r\n'

/** The user name and password of a proxy's address. */
function getCredentials(url: string): string {
  const { username, password } = new URL(url)
  return `${username}:${password}`
}

test('H-03 the proxy ends TLS for the answered names, without its password too', async () => {
  const { hosted, sendSecure } = await startAsHosted()
  for (const target of ['api.basistheory.com:443', 'API.basistheory.com.:443']) {
    const { socket, head } = await connectThrough(hosted.proxy.port, target)
    expect(head).toBe(ok)
    const name = 'api.basistheory.com'
    const answer = await sendSecure(
      `GET /_coffer/ready HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`,
      name,
      socket,
    )
    expect(parseResponse(answer).status).toBe(200)
  }
})

test('H-03 what is not answered is 403, and the reason names the options', async () => {
  const { hosted } = await startAsHosted()
  const { head } = await connectThrough(
    hosted.proxy.port,
    'example.com:443',
    getCredentials(hosted.proxy.url),
  )
  const [status = ''] = head.split('\r\n')
  expect(status).toMatch(/^HTTP\/1\.1 403 example\.com is not an allowed destination\. Nothing was sent\./)
  expect(status).toContain('--allow-destination example.com')
  expect(status).toContain('--map-destination')
  expect(status).toContain('Coffer answers api.basistheory.com, ')
  const { head: other } = await connectThrough(hosted.proxy.port, 'api.basistheory.com:8443')
  expect(other).toContain('HTTP/1.1 403 ')
})

test('X-73 no connection leads to this machine, a private network or Coffer itself', async () => {
  const { hosted, port } = await startAsHosted({ destinations: { allow: ['*', 'vault.test:8443'], map: {} } })
  const targets = [
    '127.0.0.1:443',
    `127.0.0.1:${port}`,
    `localhost:${hosted.port}`,
    '[::1]:443',
    '10.0.0.7:443',
    '169.254.169.254:443',
    '0.0.0.0:443',
    'example.com:22',
    'localhost.:443',
    '2130706433:443',
    '0x7f.1:443',
  ]
  for (const target of targets) {
    const { head } = await connectThrough(hosted.proxy.port, target, getCredentials(hosted.proxy.url))
    expect([target, head.slice(9, 12)]).toEqual([target, '403'])
  }
  for (const target of ['a@b.example:443', 'example.com', 'example.com:443/x', 'example.com:99999', ':443']) {
    const { head } = await connectThrough(hosted.proxy.port, target, getCredentials(hosted.proxy.url))
    expect([target, head.slice(9, 12)]).toEqual([target, '400'])
  }
})

test('X-73 only a program with the password reaches allowed destinations', async () => {
  const server = net.createServer((socket) => socket.on('error', () => {}).pipe(socket))
  const port = await listenOnFreePort(server)
  const target = `echo.test:${port}`
  const { hosted } = await startAsHosted({ destinations: { allow: [target, '127.0.0.1'], map: {} } })
  const password = getCredentials(hosted.proxy.url)
  const connectWith = (credentials?: string) => connectThrough(hosted.proxy.port, target, credentials)
  expect((await connectWith()).head).toMatch(
    /^HTTP\/1\.1 407 Only programs that .*\r\nProxy-Authenticate: Basic/,
  )
  expect((await connectWith('coffer:wrong')).head.slice(9, 12)).toBe('407')
  const { socket, head } = await connectWith(password)
  expect(head).toBe(ok)
  socket.end('hello')
  expect(await text(socket)).toBe('hello')
  // The same host at another port.
  const { head: other } = await connectThrough(hosted.proxy.port, `echo.test:${port - 1}`, password)
  expect(other.slice(9, 12)).toBe('403')
})

test('X-73 an allowed name that resolves to this machine or to Coffer is refused', async () => {
  const { hosted, port } = await startAsHosted({ destinations: { allow: ['*'], map: {} } })
  const rebound = await connectThrough(
    hosted.proxy.port,
    'rebound.test:443',
    getCredentials(hosted.proxy.url),
  )
  expect(rebound.head).toContain('403 rebound.test has the address 127.0.0.1, which is not allowed.')
  const own = await startAsHosted({ destinations: { allow: [`own.test:${port}`, '127.0.0.1'], map: {} } })
  const target = `own.test:${own.port}`
  const { head } = await connectThrough(own.hosted.proxy.port, target, getCredentials(own.hosted.proxy.url))
  expect(head.slice(9, 12)).toBe('403')
})

test('X-73 the proxy forwards no http: requests', async () => {
  const { url, requests } = await startDestination()
  const { hosted } = await startAsHosted({ destinations: { allow: ['*'], map: {} } })
  const { port } = hosted.proxy
  for (const target of [`${url}/`, 'http://api.basistheory.com/', '/', 'ftp://a.example/']) {
    const bytes = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
    const { status, body } = parseResponse(await sendRawRequest(port, bytes))
    expect([target, status]).toEqual([target, 403])
    expect(body).toContain('This proxy forwards no http: requests.')
  }
  expect(requests).toEqual([])
})

test('H-03 a client that sends https: requests to the proxy, as old versions of axios do, is answered', async () => {
  const { url } = await startDestination((_request, response) => response.end('mocked'))
  const { hosted } = await startAsHosted({
    destinations: { allow: [], map: { 'https://api.stripe.com': url } },
  })
  const sendAbsolute = async (host: string, path: string) => {
    const bytes = `GET https://${host}${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    return parseResponse(await sendRawRequest(hosted.proxy.port, bytes))
  }
  expect((await sendAbsolute('api.basistheory.com', '/_coffer/ready')).status).toBe(200)
  expect(await sendAbsolute('api.stripe.com', '/v1')).toMatchObject({
    status: 200,
    body: expect.stringContaining('mocked'),
  })
  expect((await sendAbsolute('example.com', '/')).status).toBe(403)
  for (const host of ['evil.example', 'api.stripe.com']) {
    const smuggled = `GET https://api.basistheory.com/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const { status } = parseResponse(await sendRawRequest(hosted.proxy.port, smuggled))
    expect([host, status]).toEqual([host, 421])
  }
})
