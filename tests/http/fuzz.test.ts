import net from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { routes } from '../../electron/http/routes.ts'
import type { Json } from '../../shared/json.ts'
import { fuzzTimeout, getFuzzParameters, mutatedTexts } from '../fuzz.ts'
import { requests, startTestServer, toPath } from './test-server.ts'

/**
 * Sends bytes in two parts and ends its side of the connection. Returns everything received until the listener closes
 * it.
 */
function sendBytes(port: number, bytes: Buffer, cut: number): Promise<string> {
  return new Promise((resolve) => {
    let response = ''
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(bytes.subarray(0, cut))
      setImmediate(() => socket.end(bytes.subarray(cut)))
    })
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1')
    })
    // The listener may reset the connection, which is not an error here.
    socket.on('error', () => {})
    socket.on('close', () => resolve(response))
  })
}

const pieces = [
  ...['\r\n', '\n', '\r', ' ', ':', '/', '%', '%00', '%2e%2e', '?', '#', '\0', '\t', '{', '}', '[', '"', ','],
  ...[
    'GET',
    'POST',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'CONNECT',
    'HEAD',
    'PRI * HTTP/2.0',
    'HTTP/1.0',
    'HTTP/9.9',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: -1\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Expect: 100-continue\r\n',
  ],
  ...[
    'Host: 127.0.0.1\r\n',
    'Upgrade: websocket\r\n',
    'Connection: close\r\n',
    'Origin: null\r\n',
    '\r\n\r\n',
    '0\r\n\r\n',
  ],
  ...[
    'SVC-API-KEY: x\r\n',
    'SVC-IDEMPOTENCY-KEY: a\r\n',
    'SVC-TRACE-ID: \u00e9\r\n',
    'X: '.padEnd(9000, 'y'),
  ],
]

test(
  'X-06 X-08 the listener still responds after random bytes',
  async () => {
    const world = await startTestServer()
    const { id } = await world.createToken()
    // The port, keys and ids are inserted after the bytes are generated, so that a seed always generates the same
    // bytes.
    const fillPlaceholders = (text: string) =>
      text
        .replaceAll('{port}', `${world.port}`)
        .replaceAll('{key}', world.keys.private)
        .replaceAll('{id}', id)
    const head = 'Host: 127.0.0.1:{port}\r\nSVC-API-KEY: {key}\r\n'
    const body = '{"type":"token","data":{"a":[1,"two"]},"metadata":{"k":"v"}}'
    const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    const good = [
      `GET /tokens/{id} HTTP/1.1\r\n${head}\r\n`,
      `GET /v2/tokens?metadata.a=b&size=1 HTTP/1.1\r\n${head}\r\n`,
      `POST /tokens HTTP/1.1\r\n${head}${json}\r\n${body}`,
      `POST /tokens HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      `PATCH /tokens/{id} HTTP/1.1\r\n${head}Content-Type: application/merge-patch+json\r\nContent-Length: 22\r\n\r\n{"metadata":{"a":"1"}}`,
      `GET /_coffer/health HTTP/1.1\r\n${head}\r\nGET /_coffer/health HTTP/1.1\r\n${head}\r\n`,
    ]
    const bytes = fc.oneof(
      {
        weight: 5,
        arbitrary: mutatedTexts(good, pieces).map((text) => Buffer.from(fillPlaceholders(text), 'latin1')),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each)) },
      {
        weight: 1,
        arbitrary: fc
          .array(fc.constantFrom(...pieces), { maxLength: 30 })
          .map((each) => Buffer.from(each.join(''))),
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(bytes, fc.nat(300)), { minLength: 8, maxLength: 8 }),
        async (sent) => {
          const responses = await Promise.all(sent.map(([each, cut]) => sendBytes(world.port, each, cut)))
          for (const response of responses) expect(response).not.toMatch(/^HTTP\/1\.1 5|^\{.*"status":5\d\d/m)
          expect((await world.request('GET', '/_coffer/health')).status).toBe(200)
        },
      ),
      getFuzzParameters(60),
    )
    expect((await world.createToken()).id).toBeDefined()
  },
  5 * fuzzTimeout,
)

const canary = 'canary-9d27'
const leaf = fc.oneof(
  fc.constantFrom<Json>(canary, '', '{{ data }}', '{{ ', '/a/', 'card', null, true, -1, 1e21, [], {}),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }).map((value) => value as Json),
)

/** Generates JSON that is almost a valid body, with some members at any depth replaced. */
function createNearlyValid(good: Json): fc.Arbitrary<Json> {
  if (Array.isArray(good)) {
    return fc.oneof(
      leaf,
      fc.tuple(...good.map(createNearlyValid)).map((each): Json => each),
    )
  }
  if (typeof good !== 'object' || good === null) {
    return fc.oneof({ weight: 2, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: leaf })
  }
  const members = Object.entries(good).map(([name, each]) =>
    fc.tuple(fc.constant(name), createNearlyValid(each)),
  )
  const more = fc.array(fc.tuple(fc.constantFrom('data', 'id', 'unheard', '__proto__', 'mask'), leaf), {
    maxLength: 1,
  })
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.tuple(...members), more).map(([own, other]) => toObject([...own, ...other])),
    },
    { weight: 1, arbitrary: leaf },
  )
}

/** Creates an object with `__proto__` as an ordinary member, like JSON.parse. */
function toObject(pairs: [string, Json][]): Json {
  return Object.fromEntries(pairs)
}

test(
  'A-05 A-06 X-08 random JSON never gives a 500 on any route',
  async () => {
    const world = await startTestServer()
    const bodied = routes.filter(
      ({ method, operation }) => method !== 'GET' && method !== 'DELETE' && !operation.bodyless,
    )
    const prepared = await Promise.all(
      bodied.map(async (route) => ({
        ...route,
        good: (await requests[route.name]?.createRequest(world)) ?? {},
      })),
    )
    const sent = fc
      .constantFrom(...prepared)
      .chain(({ method, path, good }) =>
        createNearlyValid(good.body ?? {}).map((body) => ({ method, path: toPath(path, good), body })),
      )
    await fc.assert(
      fc.asyncProperty(
        sent,
        fc.constantFrom(...Object.values(world.keys)),
        async ({ method, path, body }, key) => {
          const response = await world.request(method, path, { key, body })
          expect(response.status).toBeLessThan(500)
          if (response.status < 400) return
          expect(response.headers.get('content-type')).toMatch(/^application\/json/)
          expect(response.body).toMatchObject({
            status: response.status,
            title: expect.any(String),
            detail: expect.any(String),
          })
          expect(response.text).not.toContain(canary)
        },
      ),
      getFuzzParameters(250),
    )
  },
  fuzzTimeout,
)

test(
  'A-04 A-10 random paths and queries never give a 500',
  async () => {
    const world = await startTestServer()
    const { id } = await world.createToken()
    const paths = [
      `/tokens/${id}`,
      '/v2/tokens?container=/a/&size=2',
      '/tokens?id=a&metadata.a=b&page=1',
      '/applications',
      '/logs',
    ]
    const marks = [
      '%',
      '%00',
      '%2f',
      '%ff',
      '..',
      '//',
      '\\',
      '&',
      '=',
      '[',
      ']',
      '.',
      '{"a":"b"}',
      'metadata',
      'size=',
      'start=',
    ]
    const target = mutatedTexts(paths, marks).map(
      (text) => `/${encodeURI(text.toWellFormed()).replaceAll('%25', '%').slice(1)}`,
    )
    await fc.assert(
      fc.asyncProperty(target, fc.constantFrom('GET', 'DELETE', 'POST'), async (path, method) => {
        const response = await world.request(method, path, { key: world.keys.management })
        expect(response.status).toBeLessThan(500)
      }),
      getFuzzParameters(300),
    )
  },
  fuzzTimeout,
)
