import type dns from 'node:dns'
import https from 'node:https'
import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { Outbound } from '../../electron/outbound/outbound.ts'
import { toOutboundError } from '../../electron/outbound/outbound-error.ts'
import { type Destinations, destinations, noDestinations } from '../../shared/destinations.ts'
import { createLookup, listenOnFreePort, startDestination, startRawDestination } from './destination.ts'
import { createSelfSignedCertificate } from './self-signed.ts'

const get = { method: 'GET', headers: [], body: null } as const

function createOutbound(
  chosen: Destinations | (() => Destinations) = noDestinations,
  more: { ownPorts?: () => number[]; lookup?: typeof dns.lookup } = {},
): Outbound {
  const made = new Outbound({
    destinations: typeof chosen === 'function' ? chosen : () => chosen,
    ownPorts: () => [],
    ...more,
  })
  onTestFinished(() => made.close())
  return made
}

test('G-02 a call to this machine arrives unchanged', async () => {
  const seen: unknown[] = []
  const { url } = await startDestination(async (request, response) => {
    seen.push(request.method, request.url, request.headers['x-a'], await text(request))
    response.writeHead(418, { 'X-B': 'back', 'Set-Cookie': ['a=1', 'b=2'] }).end('short and stout')
  })
  const sent = { method: 'POST', headers: [['X-A', 'there']], body: Buffer.from('hello') } as const
  const response = await createOutbound().send({ ...sent, url: `${url}/v1/pay?x=1` })
  expect(seen).toEqual(['POST', '/v1/pay?x=1', 'there', 'hello'])
  expect(response.status).toBe(418)
  expect(response.headers).toContainEqual(['X-B', 'back'])
  expect(response.headers.filter(([name]) => name === 'Set-Cookie')).toHaveLength(2)
  expect(await text(response.body)).toBe('short and stout')
})

test('X-52 a redirect is returned, never followed', async () => {
  const { url, requests } = await startDestination((_, response) =>
    response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
  )
  const { status, headers, body } = await createOutbound().send({ ...get, url })
  body.destroy()
  expect(status).toBe(302)
  expect(headers).toContainEqual(['Location', 'http://169.254.169.254/'])
  expect(requests).toHaveLength(1)
})

test.each(['127.0.0.1', '::1', '10.0.0.7', '169.254.169.254', '::ffff:10.0.0.7', '0.0.0.0'])(
  'X-52 an allowed name that resolves to %s is rejected',
  async (address) => {
    const { port, requests } = await startDestination()
    const { lookup } = createLookup(address)
    const call = createOutbound(destinations.parse({ allow: ['*'] }), { lookup }).send({
      ...get,
      url: `https://api.example.com:${port}/`,
    })
    await expect(call).rejects.toMatchObject({ code: 'forbidden' })
    expect(requests).toHaveLength(0)
  },
)

test('X-52 a host name is resolved only once per connection', async () => {
  const { port, requests } = await startDestination()
  const { lookup, asked } = createLookup('127.0.0.1', '10.0.0.7')
  const map = { 'https://api.example.com': `http://stand-in.example.com:${port}` }
  const chosen = destinations.parse({ map, allow: ['127.0.0.1'] })
  const { status, body } = await createOutbound(chosen, { lookup }).send({
    ...get,
    url: 'https://api.example.com/',
  })
  await text(body)
  expect(status).toBe(200)
  expect(asked).toEqual(['stand-in.example.com'])
  expect(requests).toHaveLength(1)
})

test('X-52 a host name that resolves to a private address among others is rejected', async () => {
  const { port, requests } = await startDestination()
  const lookUpBoth = ((_: string, __: object, done: (error: null, found: dns.LookupAddress[]) => void) =>
    done(null, [
      { address: '93.184.215.14', family: 4 },
      { address: '::ffff:127.0.0.1', family: 6 },
    ])) as unknown as typeof dns.lookup
  const call = createOutbound(destinations.parse({ allow: ['*'] }), { lookup: lookUpBoth }).send({
    ...get,
    url: `https://api.example.com:${port}/`,
  })
  await expect(call).rejects.toMatchObject({ code: 'forbidden' })
  expect(requests).toHaveLength(0)
})

test('X-52 a link-local address with a zone is rejected', async () => {
  const { lookup } = createLookup('fe80::1%lo')
  const call = createOutbound(destinations.parse({ allow: ['*'] }), { lookup }).send({
    ...get,
    url: 'https://api.example.com/',
  })
  await expect(call).rejects.toMatchObject({ code: 'forbidden' })
})

test('G-02 an open connection is not reused after the destinations change', async () => {
  const sockets = new Set<unknown>()
  const { port } = await startDestination((request, response) => {
    sockets.add(request.socket)
    response.end('ok')
  })
  const map = { 'https://api.example.com': `http://127.0.0.1:${port}` }
  let chosen: Destinations = destinations.parse({ map })
  const out = createOutbound(() => chosen)
  const fetchText = async () => text((await out.send({ ...get, url: 'https://api.example.com/' })).body)
  await fetchText()
  const before = new Set(sockets)
  sockets.clear()
  chosen = destinations.parse({ map, allow: ['other.example.com'] })
  await fetchText()
  expect([...sockets].filter((socket) => before.has(socket))).toEqual([])
  expect(sockets.size).toBe(1)
})

test('X-52 Coffer’s own ports are rejected under every name of this machine', async () => {
  const { port, requests } = await startDestination()
  const ownPorts = () => [port]
  for (const host of ['127.0.0.1', 'localhost', '127.1', '[::ffff:127.0.0.1]', '2130706433']) {
    const call = createOutbound(noDestinations, { ownPorts }).send({ ...get, url: `http://${host}:${port}/` })
    await expect(call).rejects.toMatchObject({ code: 'forbidden' })
  }
  const map = { 'https://api.example.com': `http://127.0.0.1:${port}` }
  const call = createOutbound(destinations.parse({ map }), { ownPorts }).send({
    ...get,
    url: 'https://api.example.com/',
  })
  await expect(call).rejects.toMatchObject({ code: 'forbidden' })
  expect(requests).toHaveLength(0)
})

test('X-52 Coffer’s own ports are rejected at other network addresses of this machine', async () => {
  const { address } =
    Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4') ?? {}
  if (address === undefined) return
  const call = createOutbound(
    destinations.parse({ map: { 'https://api.example.com': `http://${address}:4747` } }),
    {
      ownPorts: () => [4747],
    },
  ).send({ ...get, url: 'https://api.example.com/' })
  await expect(call).rejects.toMatchObject({ code: 'forbidden' })
})

test('X-52 a name below localhost that resolves to another machine is rejected', async () => {
  const { lookup } = createLookup('93.184.216.34')
  const call = createOutbound(noDestinations, { lookup }).send({ ...get, url: 'http://evil.localhost/' })
  await expect(call).rejects.toMatchObject({ code: 'forbidden' })
})

test('G-02 removing a destination takes effect immediately', async () => {
  const { port } = await startDestination()
  let chosen: Destinations = destinations.parse({
    map: { 'https://api.example.com': `http://127.0.0.1:${port}` },
  })
  const out = createOutbound(() => chosen)
  const first = await out.send({ ...get, url: 'https://api.example.com/' })
  await text(first.body)
  chosen = noDestinations
  await expect(out.send({ ...get, url: 'https://api.example.com/' })).rejects.toMatchObject({
    code: 'forbidden',
  })
})

test('G-04 a destination that does not respond times out', async () => {
  const { url } = await startDestination(() => {})
  await expect(createOutbound().send({ ...get, url, timeout_ms: 50 })).rejects.toMatchObject({
    code: 'timeout',
  })
})

test('G-04 a destination that stalls mid-response times out', async () => {
  const { url } = await startDestination((_, response) => response.write('half'))
  const { body, host } = await createOutbound().send({ ...get, url, timeout_ms: 1000 })
  const failure = await text(body).catch((error) => toOutboundError(error, host))
  expect(failure).toMatchObject({ code: 'timeout' })
})

test('G-06 a refused connection gives the error bad_gateway', async () => {
  const server = https.createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  const call = createOutbound().send({ ...get, url: `http://127.0.0.1:${port}/` })
  await expect(call).rejects.toMatchObject({ code: 'bad_gateway' })
  await expect(call).rejects.toThrow('127.0.0.1 refused the connection')
})

test('G-06 an unresolvable name gives the error bad_gateway', async () => {
  const failLookup = ((_: string, __: object, done: (error: Error) => void) =>
    done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))) as unknown as typeof dns.lookup
  const chosen = destinations.parse({ allow: ['api.example.com'] })
  const call = createOutbound(chosen, { lookup: failLookup }).send({
    ...get,
    url: 'https://api.example.com/',
  })
  await expect(call).rejects.toThrow('api.example.com cannot be resolved')
})

test.each([
  ['something other than HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
  ['nothing', ''],
  ['two Content-Length headers', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhello'],
  ['endless headers', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}`],
])('G-06 a destination that sends %s gives the error bad_gateway', async (_, bytes) => {
  const call = createOutbound().send({ ...get, url: await startRawDestination(bytes) })
  await expect(call).rejects.toMatchObject({ code: 'bad_gateway' })
})

test('G-06 a truncated response fails while it is read', async () => {
  const url = await startRawDestination('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort')
  const { body, host } = await createOutbound().send({ ...get, url })
  const failure = await text(body).catch((error) => toOutboundError(error, host))
  expect(failure).toMatchObject({ code: 'bad_gateway' })
})

test('G-06 a short response is buffered, and a longer one is streamed', async () => {
  const { url } = await startDestination((request, response) =>
    response.end(request.url === '/s' ? 'abc' : 'abcd'),
  )
  const short = await createOutbound().send({ ...get, url: `${url}/s`, max_buffered_bytes: 3 })
  expect(short.body).toEqual(Buffer.from('abc'))
  const longer = await createOutbound().send({ ...get, url: `${url}/l`, max_buffered_bytes: 3 })
  expect(longer.body).toBeInstanceOf(Readable)
  expect(await text(longer.body as Readable)).toBe('abcd')
})

test('G-04 an empty response is a stream if no buffering was requested', async () => {
  const url = await startRawDestination('HTTP/1.1 204 None\r\nContent-Length: 0\r\n\r\n')
  const { body } = await createOutbound().send({ ...get, url })
  expect(body).toBeInstanceOf(Readable)
  expect(await text(body)).toBe('')
})

test('G-06 a truncated buffered response gives the error bad_gateway', async () => {
  const url = await startRawDestination('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort')
  const call = createOutbound().send({ ...get, url, max_buffered_bytes: 100 })
  await expect(call).rejects.toMatchObject({ code: 'bad_gateway' })
})

test('G-04 an incomplete buffered response times out', async () => {
  const { url } = await startDestination((_, response) => {
    response.writeHead(200, { 'Content-Length': 50 })
    response.write('half')
  })
  const call = createOutbound().send({ ...get, url, max_buffered_bytes: 100, timeout_ms: 200 })
  await expect(call).rejects.toThrow('127.0.0.1 did not send its response in time')
})

test.each([
  ['a short response', 100],
  ['a response', 0],
])('G-04 disconnecting during %s ends the call', async (_, whole) => {
  const gone = new AbortController()
  const closed = Promise.withResolvers<void>()
  const { url } = await startDestination((request, response) => {
    request.on('close', closed.resolve)
    response.writeHead(200, { 'Content-Length': 50 })
    response.write('half', () => setImmediate(() => gone.abort()))
  })
  const readBody = async () => {
    const { body } = await createOutbound().send({
      ...get,
      url,
      max_buffered_bytes: whole,
      signal: gone.signal,
    })
    return body instanceof Readable ? text(body) : body
  }
  await expect(readBody()).rejects.toMatchObject({ code: 'cancelled' })
  await closed.promise
})

test('G-04 a call cancelled before it connects is not sent', async () => {
  const gone = new AbortController()
  const { url, requests } = await startDestination()
  const out = createOutbound()
  const call = out.send({ ...get, url, signal: gone.signal })
  gone.abort()
  await expect(call).rejects.toMatchObject({ code: 'cancelled' })
  const { body } = await out.send({ ...get, url })
  expect(await text(body)).toBe('ok')
  expect(requests).toHaveLength(1)
})

test('G-06 an untrusted certificate gives the error bad_gateway', async () => {
  const server = https.createServer(createSelfSignedCertificate('localhost'), (_, response) =>
    response.end('trusted?'),
  )
  const port = await listenOnFreePort(server)
  const call = createOutbound().send({ ...get, url: `https://localhost:${port}/` })
  await expect(call).rejects.toThrow('localhost has no certificate that this computer trusts')
})

test('G-04 disconnecting before the response ends the call', async () => {
  const gone = new AbortController()
  const closed = Promise.withResolvers<void>()
  const { url } = await startDestination((request) => {
    request.on('close', closed.resolve)
    gone.abort()
  })
  await expect(createOutbound().send({ ...get, url, signal: gone.signal })).rejects.toMatchObject({
    code: 'cancelled',
  })
  await closed.promise
})

test('G-04 request and response bodies are streamed', async () => {
  const { url } = await startDestination((request, response) => void request.pipe(response))
  const piece = Buffer.alloc(64 * 1024, 'x')
  const body = Readable.from(Array<Buffer>(160).fill(piece))
  const response = await createOutbound().send({ method: 'POST', headers: [], url, body })
  let bytes = 0
  for await (const chunk of response.body) bytes += (chunk as Buffer).length
  expect(bytes).toBe(160 * piece.length)
})

test('X-52 a header value with a line break is not sent', async () => {
  const { url, requests } = await startDestination()
  const call = createOutbound().send({ ...get, url, headers: [['X-A', 'a\r\nX-Evil: b']] })
  await expect(call).rejects.toMatchObject({ code: 'invalid' })
  expect(requests).toHaveLength(0)
})
