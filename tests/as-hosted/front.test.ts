import { once } from 'node:events'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { fetchRawStatus } from '../http/raw-request.ts'
import { startDestination } from '../outbound/destination.ts'
import { parseResponse, startAsHosted } from './start-as-hosted.ts'

test('H-01 each name answers its own part of the service', async () => {
  const { sendRequest } = await startAsHosted()
  const getStatuses = async (name: string, ...paths: string[]) =>
    Promise.all(paths.map(async (path) => (await sendRequest(name, path)).status))
  expect(await getStatuses('api.basistheory.com', '/_coffer/ready', '/tokens', '/nothing')).toEqual([
    200, 401, 404,
  ])
  expect(await getStatuses('js.basistheory.com', '/api/tokens', '/tokens', '/_coffer/ready')).toEqual([
    401, 404, 404,
  ])
  expect(await getStatuses('3ds.basistheory.com', '/pages/method.html', '/tokens')).toEqual([200, 404])
  expect(await getStatuses('cdn.basistheory.com', '/keys/webhooks.v1.key', '/tokens')).toEqual([200, 404])
  expect(await sendRequest('echo.basistheory.com', '/post')).toMatchObject({
    status: 200,
    body: 'echo of https://echo.basistheory.com',
  })
  expect(await sendRequest('cdn.basistheory.com', '/fonts/a.css')).toMatchObject({
    status: 404,
    body: expect.stringContaining('Coffer has nothing at this path of cdn.basistheory.com.'),
  })
})

test('H-01 addresses in responses are those of the service', async () => {
  const { sendRequest } = await startAsHosted()
  const { body } = await sendRequest('api.basistheory.com', '/')
  expect(JSON.parse(body).docs).toBe('https://api.basistheory.com/docs')
})

test('X-73 the front rejects another Host, two of them, and one that the certificate is not for', async () => {
  const { sendSecure, sendRequest } = await startAsHosted()
  const getStatus = async (lines: string, servername?: string) =>
    parseResponse(await sendSecure(`GET / HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`, servername)).status
  const name = 'api.basistheory.com'
  expect(await getStatus(`Host: ${name}\r\n`, name)).toBe(200)
  expect(await getStatus(`Host: ${name}:443\r\n`, name)).toBe(200)
  expect(await getStatus(`Host: ${name}\r\n`)).toBe(200)
  for (const host of [
    'evil.example',
    '127.0.0.1',
    `${name}:8443`,
    `${name}.`,
    `${name} `,
    'js.basistheory.com',
    '__proto__',
  ])
    expect([host, await getStatus(`Host: ${host}\r\n`, name)]).toEqual([host, host.endsWith(' ') ? 200 : 421])
  expect(await getStatus(`Host: ${name}\r\nHost: ${name}\r\n`, name)).toBe(421)
  expect(await getStatus('', name)).toBe(421)
  expect((await sendRequest(name, `https://${name}/`)).status).toBe(400)
  expect((await sendRequest('api.basistheory.com:8443', '/')).body).toContain(
    'It answers api.basistheory.com, ',
  )
})

test('X-73 the plain port keeps refusing the names of the service', async () => {
  const { port } = await startAsHosted()
  const head = 'GET /_coffer/ready HTTP/1.1\r\nHost: api.basistheory.com\r\nConnection: close\r\n\r\n'
  expect(await fetchRawStatus(port, head)).toBe('403')
})

test('X-73 pages of other sites may not call the front, unless allowed', async () => {
  const { sendRequest } = await startAsHosted({ origins: ['http://localhost:3000'] })
  const getStatus = async (headers: Record<string, string>) =>
    (await sendRequest('api.basistheory.com', '/_coffer/ready', { headers })).status
  expect(await getStatus({ Origin: 'https://evil.example' })).toBe(403)
  expect(await getStatus({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await getStatus({ Origin: 'http://api.basistheory.com' })).toBe(403)
  expect(await getStatus({ Origin: 'https://js.basistheory.com' })).toBe(403)
  expect(await getStatus({ Origin: 'https://api.basistheory.com' })).toBe(200)
  expect(await getStatus({ Origin: 'http://localhost:3000' })).toBe(200)
})

test('X-72 a client rejects the front under any other name', async () => {
  const { hosted, ca } = await startAsHosted()
  const getError = (servername: string) =>
    new Promise((resolve) =>
      https
        .get({ host: '127.0.0.1', port: hosted.port, servername, ca, agent: false })
        .on('error', ({ code }: NodeJS.ErrnoException) => resolve(code)),
    )
  expect(await getError('example.com')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(await getError('evil.api.basistheory.com')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
})

test('H-04 a mapped name is answered by its stand-in', async () => {
  const { url, requests } = await startDestination((incoming, response) => {
    response.writeHead(201, { 'X-Mock': 'yes' })
    incoming.pipe(response)
  })
  const { sendRequest } = await startAsHosted({
    destinations: { allow: [], map: { 'https://api.stripe.com': url, 'https://pay.example:8443': url } },
  })
  const headers = { Authorization: 'Bearer sk_test', 'Content-Type': 'text/plain' }
  const answer = await sendRequest('api.stripe.com', '/v1/charges?a=1', {
    method: 'POST',
    headers,
    body: 'amount=5',
  })
  expect(answer).toMatchObject({ status: 201, body: expect.stringContaining('amount=5') })
  expect(answer.head).toContain('X-Mock: yes')
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: '/v1/charges?a=1',
    headers: { authorization: 'Bearer sk_test', host: new URL(url).host },
  })
  expect((await sendRequest('pay.example:8443', '/')).status).toBe(201)
  expect((await sendRequest('pay.example', '/')).status).toBe(421)
})

test('X-73 a page reaches what is mapped only from an allowed origin', async () => {
  const { url, requests } = await startDestination()
  const { sendRequest } = await startAsHosted({
    origins: ['http://localhost:3000'],
    destinations: { allow: [], map: { 'https://api.stripe.com': url, 'https://js.stripe.com': url } },
  })
  const getStatus = async (headers: Record<string, string>) =>
    (await sendRequest('api.stripe.com', '/', { headers })).status
  expect(await getStatus({ Origin: 'https://evil.example' })).toBe(403)
  expect(await getStatus({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await getStatus({ 'Sec-Fetch-Site': 'cross-site', Referer: 'https://evil.example/' })).toBe(403)
  expect(requests).toEqual([])
  expect(await getStatus({ 'Sec-Fetch-Site': 'cross-site', Referer: 'http://localhost:3000/pay' })).toBe(200)
  expect(await getStatus({ Origin: 'http://localhost:3000' })).toBe(200)
  expect(await getStatus({ Origin: 'https://js.stripe.com' })).toBe(200)
})

test('H-04 a stand-in that does not run is 502 and says so', async () => {
  const { sendRequest } = await startAsHosted({
    destinations: { allow: [], map: { 'https://api.stripe.com': 'http://127.0.0.1:1' } },
  })
  expect(await sendRequest('api.stripe.com', '/')).toMatchObject({
    status: 502,
    body: expect.stringContaining('api.stripe.com refused the connection'),
  })
})

test('X-66 a handshake that takes too long is ended', async () => {
  const { hosted } = await startAsHosted({ budget: { headMs: 300 } })
  const socket = net.connect(hosted.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket.resume(), 'close')
})

/** With it, the time of no connection is over before that of a test. */
const endless = { headMs: 600_000, requestMs: 600_000, idleMs: 600_000, anonymousMs: 600_000 }

test('X-66 closing waits for no unfinished handshake', async () => {
  const { hosted } = await startAsHosted({ budget: endless })
  const socket = net.connect(hosted.port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  // The front has taken the connection once it answers a later one.
  await once(tls.connect(hosted.port, '127.0.0.1', { rejectUnauthorized: false }), 'secureConnect')
  await hosted.closeServers()
})

test('X-66 closing waits for no unfinished request', async () => {
  const { hosted } = await startAsHosted({ budget: endless })
  const socket = tls.connect(hosted.port, '127.0.0.1', { rejectUnauthorized: false }).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  socket.write('GET / HTTP/1.1\r\nHost: api')
  await once(socket, 'secureConnect')
  await hosted.closeServers()
})

test('X-66 headers that take too long to arrive end the connection', async () => {
  const { sendSecure } = await startAsHosted({ budget: { headMs: 300 } })
  expect(await sendSecure('GET / HTTP/1.1\r\nHost: api', 'api.basistheory.com')).toContain(' 408 ')
})

test('X-66 uploads to what is mapped may take longer than other bodies without a key', async () => {
  const arrived = Promise.withResolvers<void>()
  const { url, requests } = await startDestination((request, response) => {
    if (requests.length === 2) arrived.resolve()
    request.resume().once('end', () => response.end('stored'))
  })
  const { hosted, ca, sendRequest } = await startAsHosted({
    destinations: { allow: [], map: { 'https://files.test': url } },
    budget: { anonymousBodies: 1, anonymousBodyMs: 300 },
  })
  const uploads = [1, 2].map(() => {
    const headers = { Host: 'files.test', 'Content-Length': 2 }
    const order = https.request({ port: hosted.port, servername: 'files.test', ca, method: 'PUT', headers })
    order.write('a')
    return { order, answered: once(order, 'response') }
  })
  await arrived.promise
  // By the time this body is cut off, the uploads have taken longer.
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': 9 }
  const unfinished = { method: 'POST', headers }
  expect((await sendRequest('api.basistheory.com', '/3ds/acs/method', unfinished)).status).toBe(408)
  for (const { order } of uploads) order.end('b')
  for (const { answered } of uploads) expect((await answered)[0].resume().statusCode).toBe(200)
})

test('X-66 clients that never finish their handshake do not block the front', async () => {
  const { hosted, sendRequest } = await startAsHosted()
  const sockets = await Promise.all(
    Array.from({ length: 400 }, () => {
      const socket = net.connect(hosted.port, '127.0.0.1').on('error', () => {})
      onTestFinished(() => void socket.destroy())
      return new Promise<net.Socket>((resolve) => socket.once('connect', () => resolve(socket)))
    }),
  )
  expect((await sendRequest('api.basistheory.com', '/_coffer/ready')).status).toBe(200)
  await expect.poll(() => sockets.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(400 - 256)
})

test('X-73 pages of the service’s own names may send each other forms for 3D Secure, and nothing else', async () => {
  const { sendRequest, port } = await startAsHosted()
  const headers = {
    Origin: 'https://3ds.basistheory.com',
    'Content-Type': 'application/x-www-form-urlencoded',
  }
  const postForm = (path: string) =>
    sendRequest('api.basistheory.com', path, { method: 'POST', headers, body: 'a=b' })
  expect((await postForm('/3ds/acs/method')).status).toBe(400)
  expect((await postForm('/tokens')).status).toBe(403)
  // A page can make the data frame of Elements call any URL.
  const fromElements = { ...headers, Origin: 'https://js.basistheory.com' }
  const answer = { method: 'POST', headers: fromElements, body: 'choice=pass' }
  const path = '/3ds/acs/challenge/none/answer'
  expect((await sendRequest('api.basistheory.com', path, answer)).status).toBe(403)
  const { head } = await sendRequest('3ds.basistheory.com', '/pages/challenge.html')
  expect(head).toMatch(/form-action 'self' https:\/\/api\.basistheory\.com /)
  // The names mean the internet to a page that came by the plain port.
  const bytes = `POST /3ds/acs/method HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: https://3ds.basistheory.com\r\nConnection: close\r\n\r\n`
  expect(await fetchRawStatus(port, bytes)).toBe('403')
})
