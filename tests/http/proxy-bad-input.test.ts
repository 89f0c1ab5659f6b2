import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { listenOnFreePort, startDestination, startRawDestination } from '../outbound/destination.ts'
import { createSelfSignedCertificate } from '../outbound/self-signed.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { holdRequestsOpen } from './hold-requests-open.ts'
import { getProxyError, number, startProxy } from './start-proxy.ts'

const json = { 'Content-Type': 'application/json' }

/** Sends bytes to the listener, and returns everything received until it closes the connection. */
async function sendRaw(port: number, lines: string[], body: string | Buffer = ''): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`${[...lines, 'Connection: close', '', ''].join('\r\n')}`)
  socket.write(body)
  return text(socket)
}

test('G-06 an untrusted certificate gives 502', async () => {
  const server = https.createServer(createSelfSignedCertificate('localhost'), (_, response) =>
    response.end('trusted?'),
  )
  const port = await listenOnFreePort(server)
  const { callProxy, listRecords } = await startProxy()
  const response = await callProxy('GET', '/proxy', {
    headers: { 'BT-PROXY-URL': `https://localhost:${port}` },
  })
  expect(getProxyError(response)).toMatchObject({
    status: 502,
    detail: expect.stringContaining('no certificate'),
  })
  expect((await listRecords())[0]).toMatchObject({ action: 'proxies.invoke', status: 502 })
})

test('G-06 a server with HTTP/2 only gives 502 with an error about the secure connection', async () => {
  const server = tls.createServer({ ...createSelfSignedCertificate('localhost'), ALPNProtocols: ['h2'] })
  const port = await listenOnFreePort(server)
  server.on('tlsClientError', () => {})
  const { callProxy } = await startProxy()
  const response = await callProxy('GET', '/proxy', {
    headers: { 'BT-PROXY-URL': `https://localhost:${port}` },
  })
  expect(getProxyError(response)).toMatchObject({
    status: 502,
    detail: expect.stringContaining('secure connection'),
  })
})

test('G-06 a refused connection gives 502 and is recorded without the body', async () => {
  const server = net.createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  const { callProxy, id, listRecords } = await startProxy()
  const response = await callProxy('POST', '/proxy', {
    headers: { 'BT-PROXY-URL': `http://127.0.0.1:${port}` },
    body: `{{ ${id} | json: '$.number' }}`,
  })
  expect(getProxyError(response)).toMatchObject({ status: 502, detail: expect.stringContaining('refused') })
  const stored = await listRecords()
  expect(stored[0]).toMatchObject({ action: 'proxies.invoke', status: 502 })
  expect(response.text + JSON.stringify(stored)).not.toContain(number)
})

test('G-04 G-06 the timeout of a call includes its time in the queue', async () => {
  const { port, requests } = await startDestination(() => {})
  const { Outbound } = await import('../../electron/outbound/outbound.ts')
  const { noDestinations } = await import('../../shared/destinations.ts')
  const outbound = new Outbound({ destinations: () => noDestinations, ownPorts: () => [] })
  onTestFinished(() => outbound.close())
  const url = `http://127.0.0.1:${port}/`
  // This is more than the maximum number of connections.
  const all = Array.from({ length: 400 }, () =>
    outbound
      .send({ method: 'GET', url, headers: [], body: null, timeout_ms: 300 })
      .catch((error) => error.code),
  )
  expect(new Set(await Promise.all(all))).toEqual(new Set(['timeout']))
  // Some calls timed out in the queue, before they were sent.
  expect(requests.length).toBeLessThan(all.length)
})

test('G-06 G-07 a response that the destination aborts is aborted and recorded', async () => {
  const url = await startRawDestination('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nshort')
  const { callProxy, listRecords } = await startProxy()
  await expect(callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })).rejects.toThrow()
  await waitFor(async () => {
    expect((await listRecords()).slice(0, 2)).toMatchObject([{ status: 502 }, { status: 200 }])
  })
})

test('G-06 a truncated short response gives 502 without its body', async () => {
  const url = await startRawDestination('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort')
  const { callProxy, listRecords } = await startProxy()
  const response = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })
  expect(getProxyError(response)).toMatchObject({ status: 502 })
  expect((await listRecords())[0]).toMatchObject({ action: 'proxies.invoke', status: 502 })
})

test.each([
  ['two Content-Length headers', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhello'],
  [
    'Content-Length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a control character in a header', 'HTTP/1.1 200 OK\r\nX-A: a\u0001b\r\nContent-Length: 0\r\n\r\n'],
  ['an unrequested upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ['no status', 'HTTP/1.1 banana\r\n\r\n'],
  ['a settings frame of HTTP/2', '\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000'],
])('X-52 a destination that sends %s gives 502', async (_, bytes) => {
  const url = await startRawDestination(bytes)
  const { callProxy } = await startProxy()
  const response = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })
  expect(getProxyError(response)).toMatchObject({ status: 502 })
})

test('G-04 early hints are dropped, and the response is forwarded', async () => {
  const url = await startRawDestination(
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  )
  const { callProxy } = await startProxy()
  expect(await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })).toMatchObject({
    status: 200,
    text: 'ok',
  })
})

test.each([
  ['204', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello'],
  ['304', 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 5\r\n\r\nhello'],
])('G-04 the body of a %s response is dropped', async (status, bytes) => {
  const url = await startRawDestination(bytes)
  const { listener, key } = await startProxy()
  const head = [`GET /proxy HTTP/1.1`, `Host: 127.0.0.1:${listener.port}`, `BT-API-KEY: ${key}`]
  const response = await sendRaw(listener.port, [...head, `BT-PROXY-URL: ${url}`])
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(response.endsWith('\r\n\r\n')).toBe(true)
})

test('G-04 a response is forwarded with its length and repeated headers', async () => {
  const { url } = await startDestination((_, response) => {
    response.setHeader('Set-Cookie', ['a=1', 'b=2', 'c=3'])
    response.setHeader('WWW-Authenticate', ['Basic realm="a"', 'Bearer'])
    response.setHeader('Vary', 'Accept')
    response.setHeader('X-Name', Buffer.from('Zoë').toString('latin1'))
    response.setHeader('Content-Length', '5')
    response.writeHead(401).end(Buffer.from('hello'))
  })
  const { callProxy } = await startProxy()
  const { headers, status } = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })
  expect(status).toBe(401)
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3'])
  expect(headers.get('www-authenticate')).toBe('Basic realm="a", Bearer')
  expect(headers.get('content-length')).toBe('5')
  expect(headers.get('vary')).toContain('Accept')
  expect(Buffer.from(headers.get('x-name') ?? '', 'latin1').toString()).toBe('Zoë')
})

test('G-04 trailers are dropped, and a chunked body is complete', async () => {
  const url = await startRawDestination(
    'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n',
  )
  const { callProxy } = await startProxy()
  const response = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-URL': url } })
  expect(response).toMatchObject({ status: 200, text: 'ok' })
  expect(response.headers.get('trailer')).toBeNull()
})

test.each([
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
] as const)('G-05 a response in %s is decompressed if it is transformed', async (encoding, compress) => {
  const packed = compress(Buffer.from('{"a":1}'))
  const { url } = await startDestination((_, response) =>
    response.writeHead(200, { ...json, 'Content-Encoding': encoding }).end(packed),
  )
  const { callProxy, createProxy } = await startProxy()
  const transform = { type: 'append_json', options: { location: '$.b', value: 'x' } }
  const { key } = await createProxy({ destination_url: url, response_transform: transform })
  const response = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-KEY': key } })
  expect(JSON.parse(response.text)).toEqual({ a: 1, b: 'x' })
  expect(response.headers.get('content-length')).toBe(String(response.text.length))
})

test('X-52 with transforms, a wrong Content-Encoding gives 502', async () => {
  const { url } = await startDestination((_, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('x').subarray(0, 8)),
  )
  const { callProxy, createProxy } = await startProxy()
  const transform = { type: 'append_text', options: { value: 'x' } }
  const { key } = await createProxy({ destination_url: url, response_transform: transform })
  expect(getProxyError(await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-KEY': key } }))).toMatchObject(
    {
      status: 502,
    },
  )
})

test('X-52 an endless response is streamed until the caller disconnects', async () => {
  const closed = Promise.withResolvers<number>()
  const piece = Buffer.alloc(64 * 1024, 'x')
  let sent = 0
  const { url } = await startDestination((_, response) => {
    const writeMore = () => {
      while (response.write(piece)) sent += piece.length
      sent += piece.length
    }
    response.on('drain', writeMore).on('close', () => closed.resolve(sent))
    writeMore()
  })
  const { listener, key } = await startProxy()
  const request = http.get(`${listener.url}/proxy`, { headers: { 'BT-API-KEY': key, 'BT-PROXY-URL': url } })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  let read = 0
  for await (const chunk of response) {
    read += (chunk as Buffer).length
    if (read > 4 * 1024 * 1024) break
  }
  response.destroy()
  // Only a few MiB are buffered, although the destination would send more.
  expect((await closed.promise) - read).toBeLessThan(32 * 1024 * 1024)
})

test('X-52 a body over 25 MiB gives 413, with and without Content-Length', async () => {
  const { url } = await startDestination(
    (request, response) => void request.resume().on('end', () => response.end()),
  )
  const { callProxy } = await startProxy()
  const long = Buffer.alloc(26 * 1024 * 1024, 'x')
  const streamed = new Blob([long]).stream()
  for (const body of [long, streamed]) {
    const response = await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url }, body })
    expect(getProxyError(response)).toMatchObject({ status: 413 })
  }
})

test('G-04 a long body arrives with its Content-Length', async () => {
  const { url, requests } = await startDestination((request, response) => void request.pipe(response))
  const { callProxy } = await startProxy()
  const long = Buffer.alloc(2 * 1024 * 1024, 'x')
  await callProxy('PUT', '/proxy', { headers: { 'BT-PROXY-URL': url }, body: long })
  expect(requests[0]?.headers['content-length']).toBe(String(long.length))
})

test('X-52 a truncated body is never forwarded as complete', async () => {
  const whole: boolean[] = []
  const { url } = await startDestination((request) => {
    request.on('close', () => whole.push(request.complete))
    request.resume()
  })
  const { listener, key } = await startProxy()
  const socket = net.connect(listener.port, '127.0.0.1')
  socket.end(
    `POST /proxy HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\nBT-API-KEY: ${key}\r\nBT-PROXY-URL: ${url}\r\nContent-Length: 100\r\n\r\nshort`,
  )
  await text(socket).catch(() => '')
  expect(whole).not.toContain(true)
})

test('X-52 a path that leaves the host or base path gives 400', async () => {
  const { url, requests } = await startDestination()
  const { listener, key, createProxy } = await startProxy()
  const { key: proxy } = await createProxy({ destination_url: `${url}/v1/safe` })
  for (const path of [
    '/%70roxy/.evil.test',
    '/proxy/../admin',
    '/proxy/a/%2e%2E/../x',
    '/proxy/..',
    '/proxy/..\\x',
  ]) {
    const head = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${listener.port}`, `BT-API-KEY: ${key}`]
    const response = await sendRaw(listener.port, [...head, `BT-PROXY-KEY: ${proxy}`])
    expect([path, response.slice(0, 13)]).toEqual([path, 'HTTP/1.1 400 '])
  }
  expect(requests).toHaveLength(0)
})

test('G-04 the proxy key parameter is never forwarded', async () => {
  const { url, requests } = await startDestination()
  const { callProxy, createProxy } = await startProxy()
  const { key } = await createProxy({ destination_url: url })
  await callProxy('GET', `/proxy?a=%20&bt%2Dproxy-key=${key}&b`)
  expect(requests[0]?.url).toBe('/?a=%20&b')
})

test.each([
  ['a character beyond Latin-1', '日本'],
  ['a line break', 'a\r\nSet-Cookie: x=1'],
  ['a null character', 'a\u0000b'],
])('X-52 a header value with %s gives 400 and is not sent', async (_, data) => {
  const { url, requests } = await startDestination()
  const { callProxy, vault, listRecords } = await startProxy()
  const { id } = await vault.owner.tokens.create({ type: 'token', data })
  const response = await callProxy('GET', '/proxy', {
    headers: { 'BT-PROXY-URL': url, 'X-A': `{{ ${id} }}` },
  })
  expect(getProxyError(response)).toMatchObject({ status: 400 })
  expect(response.text).not.toContain(data.slice(1))
  expect(requests).toHaveLength(0)
  expect((await listRecords())[0]).toMatchObject({ action: 'proxies.invoke', status: 400 })
})

test('X-52 a line break cannot split a response', async () => {
  const { url } = await startDestination((_, response) => response.end('{"a":"x\\r\\nSet-Cookie: y=1"}'))
  const { callProxy, createProxy } = await startProxy()
  const transform = { type: 'append_header', options: { location: 'X-A', value: '{{ res.a }}' } }
  const { key } = await createProxy({ destination_url: url, response_transform: transform })
  const response = await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-KEY': key } })
  expect(response.headers.getSetCookie()).toEqual([])
  expect(getProxyError(response)).toMatchObject({ status: 400 })
})

test.each(['Content-Length', 'Transfer-Encoding', 'X A', 'X:A'])(
  'X-52 a transform cannot add the header %s',
  async (location) => {
    const { callProxy, createProxy } = await startProxy()
    const transform = { type: 'append_header', options: { location, value: '1' } }
    for (const side of ['request', 'response']) {
      const { key } = await createProxy({ [`${side}_transform`]: transform })
      expect(
        getProxyError(await callProxy('GET', '/proxy', { headers: { 'BT-PROXY-KEY': key } })),
      ).toMatchObject({
        status: 400,
      })
    }
  },
)

test('X-65 a header that a transform adds is at most 16 KiB', async () => {
  const { callProxy, createProxy } = await startProxy()
  const transform = { type: 'append_header', options: { location: 'X-A', value: '{{ res.body }}' } }
  const { key } = await createProxy({ response_transform: transform })
  const sendBody = (length: number) =>
    callProxy('POST', '/proxy', { headers: { 'BT-PROXY-KEY': key }, body: 'a'.repeat(length) })
  expect((await sendBody(100)).headers.get('x-a')).toHaveLength(100)
  const response = await sendBody(16 * 1024 + 1)
  expect(getProxyError(response)).toMatchObject({ status: 400 })
  expect(response.text).toContain('too long for a header')
})

test('X-65 G-04 a transformed response of the echo that exceeds 1 MiB gives 413', async () => {
  const { callProxy, createProxy } = await startProxy()
  const { key } = await createProxy({ response_transform: { type: 'append_text', options: { value: 'a' } } })
  const body = '"'.repeat(600_000)
  const response = await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-KEY': key }, body })
  expect(getProxyError(response)).toMatchObject({ status: 413 })
})

test('G-04 BT-PROXY-CONNECTION and BT-PROXY-KEEP-ALIVE set the headers of the request', async () => {
  const { url, requests } = await startDestination()
  const { callProxy } = await startProxy()
  const headers = { 'BT-PROXY-URL': url, 'BT-PROXY-CONNECTION': 'close', 'BT-PROXY-KEEP-ALIVE': 'timeout=5' }
  expect((await callProxy('GET', '/proxy', { headers })).status).toBe(200)
  expect(requests[0]?.headers.connection).toBe('close')
  expect(requests[0]?.headers['keep-alive']).toBe('timeout=5')
  const value = 'timeout=5, max=1000'
  await callProxy('POST', '/proxy', {
    headers: { 'BT-PROXY-URL': url, 'SVC-PROXY-KEEP-ALIVE': value, 'BT-KEEP-ALIVE': 'other' },
    body: '{}',
  })
  expect(requests[1]?.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': value })
  expect(requests[1]?.rawHeaders.filter((name) => /keep-alive$/i.test(name))).toEqual([
    'keep-alive',
    'Keep-Alive',
  ])
})

test('G-06 many concurrent calls all get a response', { tags: 'thorough' }, async () => {
  let releaseCalls = () => {}
  const released = new Promise<void>((resolve) => {
    releaseCalls = resolve
  })
  const { url } = await startDestination(
    (request, response) => void released.then(() => request.pipe(response)),
  )
  const { listener, key, id } = await startProxy()
  const body = `{"number":"{{ ${id} | json: '$.number' }}"}`
  const head = [`POST /proxy HTTP/1.1`, `Host: 127.0.0.1:${listener.port}`, 'Connection: close']
  const headers = [`BT-API-KEY: ${key}`, `BT-PROXY-URL: ${url}`, 'Content-Type: application/json']
  const lines = [...head, ...headers, `Content-Length: ${body.length}`, '', body]
  const { responses } = await holdRequestsOpen(listener.port, lines.join('\r\n'))
  releaseCalls()
  for (const response of await Promise.all(responses)) {
    expect(response).toMatch(/^HTTP\/1\.1 200 /)
    expect(response).toContain(`{"number":"${number}"}`)
  }
})

test('G-05 the bytes of a photo in a form are forwarded unchanged', async () => {
  const { url } = await startDestination((request, response) => void request.pipe(response))
  const { callProxy, id } = await startProxy()
  const photo = Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    Buffer.from('{{{{ {{\u0001}} {{ }} }}{{'),
    Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7919) >> 3)),
    Buffer.from('{{'),
  ])
  const createPart = (name: string, value: Buffer | string) => [
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]
  const createForm = (value: string) =>
    Buffer.concat([...createPart('photo', photo), ...createPart('number', value), Buffer.from('--x--\r\n')])
  const sendForm = (value: string) =>
    callProxy('POST', '/proxy', {
      headers: { 'BT-PROXY-URL': url, 'Content-Type': 'multipart/form-data; boundary=x' },
      body: createForm(value) as Uint8Array<ArrayBuffer>,
    })
  const plain = await sendForm('none')
  expect([plain.status, plain.text]).toEqual([200, createForm('none').toString()])
  const filled = await sendForm(`{{ ${id} | json: '$.number' }}`)
  expect([filled.status, filled.text]).toEqual([200, createForm(number).toString()])
})

test('G-04 a long binary upload with stray braces is streamed', {
  tags: 'thorough',
}, async () => {
  const { url } = await startDestination((request, response) => void request.pipe(response))
  const { callProxy } = await startProxy()
  const bytes = Buffer.alloc(2 * 1024 * 1024, Buffer.from([0xff, 0x7b, 0x7b, 0x00, 0x7d, 0x7d]))
  const response = await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url }, body: bytes })
  expect(response.status).toBe(200)
})

test('G-04 without detokenization, long bodies are forwarded', { tags: 'thorough' }, async () => {
  const { url } = await startDestination((request, response) => void request.pipe(response))
  const { callProxy, createProxy } = await startProxy()
  const { key } = await createProxy({ destination_url: url, disable_detokenization: true })
  const body = `{{ x }}${'x'.repeat(2 * 1024 * 1024)}`
  const response = await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-KEY': key }, body })
  expect([response.status, response.text.length]).toEqual([200, body.length])
})

test('G-06 an upload that the destination aborts gives 502', async () => {
  const { url } = await startDestination((request) => request.once('data', () => request.destroy()))
  const { callProxy } = await startProxy()
  for (let at = 0; at < (isThorough ? 3 : 1); at++) {
    const body = Buffer.alloc(8 * 1024 * 1024, 'x')
    const response = await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url }, body })
    expect(getProxyError(response)).toMatchObject({ status: 502 })
  }
})

test('X-52 an expression is found in a body that is split within a character', async () => {
  const { url, requests } = await startDestination()
  const { callProxy } = await startProxy()
  for (const shift of pickSome(['', 'a', 'ab', 'abc'], 2)) {
    const body = `${shift}{{ x${'😀'.repeat(400_000)}`
    const response = await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url }, body })
    expect(getProxyError(response)).toMatchObject({ status: 413 })
  }
  expect(requests).toHaveLength(0)
})

test.each<[string, (id: string) => string, number]>([
  ['101 expressions in 1 MiB', (id) => `{{ ${id} }}${' '.repeat(10_000)}`.repeat(101), 400],
  ['only opening braces', () => '{'.repeat(1_000_000), 400],
  ['opening braces in strings', () => `"${'{{'.repeat(50)}"`, 400],
  ['many half expressions', () => `"${'{{ a '.repeat(99)}"`, 400],
  ['nested expressions', (id) => `{{ {{ ${id} }} }}`, 400],
])('X-52 %s are rejected quickly', async (_, body, status) => {
  const { url, requests } = await startDestination()
  const { callProxy, id } = await startProxy()
  for (const type of pickSome(['application/json', 'application/x-www-form-urlencoded', 'text/plain'], 2)) {
    const { result, block } = await measureLongestBlock(() =>
      callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url, 'Content-Type': type }, body: body(id) }),
    )
    expect(result.status).toBe(status)
    expect(block).toBeLessThan(getMaxBlock(block))
  }
  expect(requests).toHaveLength(0)
})

test('X-52 R-03 inserting a 400 kB token 100 times into one body gives 400', async () => {
  const { url, requests } = await startDestination()
  const { callProxy, vault } = await startProxy()
  const data = { text: 'x'.repeat(400_000) }
  const { id } = await vault.owner.tokens.create({ type: 'token', data })
  const sendExpressions = (places: number) =>
    callProxy('POST', '/proxy', { headers: { 'BT-PROXY-URL': url }, body: `{{ ${id} }}`.repeat(places) })
  expect(await sendExpressions(100)).toMatchObject({
    status: 400,
    text: expect.stringContaining('computation'),
  })
  expect(requests).toHaveLength(0)
  expect((await sendExpressions(10)).status).toBe(200)
})
