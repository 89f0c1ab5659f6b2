import net from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { startListener } from '../listener.ts'
import { sendRawRequest } from './raw-request.ts'

const MB = 1024 * 1024

async function startTokenListener(options: { strict?: boolean } = {}) {
  const listener = await startListener(options)
  const rules = [
    {
      priority: 1,
      container: '/',
      transform: 'reveal' as const,
      permissions: ['token:create', 'token:read'] as ('token:create' | 'token:read')[],
    },
  ]
  const { key } = await listener.vault.application({ rules })
  const head = `POST /tokens HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\nSVC-API-KEY: ${key}\r\nContent-Type: application/json\r\n`
  const postToken = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    listener.request('POST', '/tokens', { key, raw, headers })
  const countTokens = async () => (await listener.vault.owner.tokens.list({})).data.length
  return { ...listener, key, head, postToken, countTokens }
}

/**
 * Sends headers and then this chunk repeatedly, until the listener responds or closes the connection, or `total` bytes
 * are sent.
 */
function sendRepeatedly(port: number, head: string, chunk: Buffer, bytes: number) {
  return new Promise<{ response: string; sent: number }>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write(head)
      sendMore()
    })
    onTestFinished(() => void socket.destroy())
    let [response, sent] = ['', 0]
    const sendMore = () => {
      while (sent < bytes && response === '' && !socket.destroyed) {
        sent += chunk.length
        if (!socket.write(chunk)) return void socket.once('drain', sendMore)
      }
    }
    socket.on('data', (data) => {
      response += data.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve({ response, sent }))
  })
}

test('X-08 a body of 100 MB is rejected early, with or without a Content-Length', async () => {
  const { port, head, postToken, countTokens } = await startTokenListener()
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const received = await sendRepeatedly(port, `${head}Content-Length: ${100 * MB}\r\n\r\n`, chunk, 100 * MB)
  const framed = Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')])
  const untold = await sendRepeatedly(port, `${head}Transfer-Encoding: chunked\r\n\r\n`, framed, 100 * MB)
  for (const { response, sent } of [received, untold]) {
    // A reset may arrive before the response.
    expect(response === '' || response.startsWith('HTTP/1.1 413 ')).toBe(true)
    expect(sent).toBeLessThan(50 * MB)
  }
  // If no byte of the body is sent, the connection is not reset and the response always arrives.
  const early = await sendRawRequest(port, `${head}Content-Length: ${100 * MB}\r\n\r\n`)
  expect(early).toMatch(/^HTTP\/1\.1 413 [\s\S]*application\/json/)
  expect((await postToken('{"type":"token","data":1}')).status).toBe(201)
  expect(await countTokens()).toBe(1)
})

test('X-08 a gzip bomb is never decompressed, with any header that announces it', async () => {
  const { port, head, postToken, countTokens } = await startTokenListener()
  const bomb = gzipSync(Buffer.alloc(50 * MB, ' '))
  for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'zstd', 'gzip, gzip', 'identity, gzip']) {
    expect((await postToken(new Uint8Array(bomb), { 'Content-Encoding': encoding })).status).toBe(415)
  }
  expect((await postToken(new Uint8Array(bomb))).status).toBe(400)
  const coded = await sendRawRequest(
    port,
    `${head}Transfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n`,
  )
  expect(coded).toMatch(/^HTTP\/1\.1 (400|415|501) /)
  expect(await countTokens()).toBe(0)
})

test('X-08 JSON with a million levels is rejected, complete or not', async () => {
  const { postToken, countTokens } = await startTokenListener()
  const deep = 1_000_000
  for (const raw of [
    '['.repeat(deep),
    `${'['.repeat(deep)}${']'.repeat(deep)}`,
    `{"type":"token","data":${'['.repeat(deep)}${']'.repeat(deep)}}`,
    '{"a":'.repeat(deep / 4),
    `${'{"a":'.repeat(deep / 4)}1${'}'.repeat(deep / 4)}`,
    `[${'[],'.repeat(deep / 2)}[]]`,
  ]) {
    const { status, body } = await postToken(raw)
    expect([raw.length, status, Object.keys(body.errors)]).toEqual([raw.length, 400, ['body']])
  }
  expect(await countTokens()).toBe(0)
})

test('X-08 of two members with the same name, the last one is used everywhere', async () => {
  const { postToken, request, key } = await startTokenListener()
  const { status, body } = await postToken(
    '{"type":"card","type":"token","id":"first","id":"second","data":"4242424242424242","data":{"a":1,"a":2}}',
  )
  expect([status, body.type, body.id, body.data]).toEqual([201, 'token', 'second', { a: 2 }])
  expect((await request('GET', '/tokens/first', { key })).status).toBe(404)
  expect((await request('GET', '/tokens/second', { key })).body.data).toEqual({ a: 2 })
})

test('X-08 __proto__ is rejected at any depth, and constructor is an ordinary member', async () => {
  const { postToken, request, key, countTokens } = await startTokenListener({ strict: true })
  for (const raw of [
    '{"__proto__":{"type":"token"},"data":1}',
    '{"type":"token","data":{"__proto__":1}}',
    '{"type":"token","data":[[{"a":{"__proto__":{"polluted":1}}}]]}',
    '{"type":"token","data":1,"metadata":{"__proto__":"x"}}',
    '{"type":"token","data":{"\\u005f_proto__":{"polluted":1}}}',
  ]) {
    expect([raw, (await postToken(raw)).status]).toEqual([raw, 400])
  }
  expect(await countTokens()).toBe(0)
  const data = {
    constructor: { prototype: { polluted: 1 } },
    toString: 1,
    hasOwnProperty: null,
    valueOf: 'x',
  }
  const metadata = { constructor: 'x', toString: 'y' }
  const created = await postToken(JSON.stringify({ type: 'token', data, metadata }))
  expect(created.status).toBe(201)
  const got = await request('GET', `/tokens/${created.body.id}`, { key })
  expect([got.body.data, got.body.metadata]).toEqual([data, metadata])
  const found = await request('GET', '/v2/tokens?metadata.constructor=x', { key })
  expect(found.body.data).toHaveLength(1)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  for (const raw of ['{"constructor":1,"type":"token","data":1}', '{"toString":1,"type":"token","data":1}']) {
    expect([raw, (await postToken(raw)).status]).toEqual([raw, 400])
  }
})

test('X-08 A-14 numbers are returned as written, and over-long or too many numbers are rejected', async () => {
  const { postToken, request, key, countTokens } = await startTokenListener()
  const bad = [
    '1'.repeat(1001),
    `0.${'1'.repeat(999)}`,
    `1e${'0'.repeat(999)}`,
    `${'1.0,'.repeat(100_000)}1.0`,
  ]
  for (const number of bad) {
    const rejected = await postToken(`{"type":"token","data":{"n":[${number}]}}`)
    expect([number.slice(0, 9), rejected.status, rejected.body.detail]).toEqual([
      number.slice(0, 9),
      400,
      expect.stringMatching(/^body has (a number of more than 1,000 characters|too many numbers that a )/),
    ])
  }
  expect(await countTokens()).toBe(0)
  for (const number of [
    '1e400',
    '-1e400',
    '9007199254740993',
    '1e21',
    '1.0',
    '-0',
    '1'.repeat(1000),
    '0.1',
  ]) {
    const created = await postToken(`{"type":"token","data":{"n":${number}}}`)
    expect([number, created.status]).toEqual([number, 201])
    const got = await request('GET', `/tokens/${created.body.id}`, { key })
    expect(got.text).toContain(`"data":{"n":${number}}`)
  }
})

test('X-08 lone surrogates and NUL in data are returned unchanged', async () => {
  const { postToken, request, key } = await startTokenListener()
  for (const text of ['\\ud800', 'a\\udfffb', '\\u0000', 'a\\u0000b', '\\uffff\\ufeff', '\\u202e']) {
    const created = await postToken(`{"type":"token","data":{"${text}":["${text}"]}}`)
    const sent = JSON.parse(`"${text}"`) as string
    expect([text, created.status]).toEqual([text, 201])
    const got = await request('GET', `/tokens/${created.body.id}`, { key })
    expect(got.body.data).toEqual({ [sent]: [sent] })
  }
})

test('X-08 metadata accepts NUL and rejects lone surrogates', async () => {
  const { postToken, request, key, countTokens } = await startTokenListener()
  for (const metadata of ['{"k":"\\ud800"}', '{"\\udfff":"v"}']) {
    const { status, body } = await postToken(`{"type":"token","data":1,"metadata":${metadata}}`)
    expect([status, Object.keys(body.errors)[0]]).toEqual([400, expect.stringMatching(/^metadata/)])
  }
  expect(await countTokens()).toBe(0)
  const created = await postToken('{"type":"token","data":1,"metadata":{"k":"a\\u0000b"}}')
  expect(created.body.metadata).toEqual({ k: 'a\0b' })
  const countByMetadata = async (value: string) => {
    const response = await request('GET', `/v2/tokens?metadata.k=${encodeURIComponent(value)}`, { key })
    return response.body.data.length as number
  }
  expect([await countByMetadata('a\0b'), await countByMetadata('a'), await countByMetadata('a\0')]).toEqual([
    1, 0, 0,
  ])
})

test('X-08 an id with a NUL, line break or lone surrogate is rejected', async () => {
  const { postToken, request, key, countTokens } = await startTokenListener()
  for (const id of [
    '\\u0000\\u0000\\u0000',
    'a\\u0000b',
    'abc\\u0000',
    'a\\r\\nb: c',
    '\\ud800bc',
    'abc\\udfff',
  ]) {
    const { status, body } = await postToken(`{"type":"token","data":1,"id":"${id}"}`)
    expect([id, status, Object.keys(body.errors)]).toEqual([id, 400, ['id']])
  }
  expect(await countTokens()).toBe(0)
  expect((await postToken('{"type":"token","data":1,"id":"abc"}')).status).toBe(201)
  for (const id of ['abc%00', '%00abc', 'abc%0d%0a', 'abc%00%00']) {
    expect([id, (await request('GET', `/tokens/${id}`, { key })).status]).toEqual([id, 404])
  }
})

test('X-08 a request with conflicting lengths is rejected', async () => {
  const { port, head, countTokens } = await startTokenListener()
  const body = '{"type":"token","data":1}'
  for (const lines of [
    `Content-Length: ${body.length}\r\nContent-Length: ${body.length + 1}`,
    `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked`,
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Content-Length: -1',
    'Content-Length: 0x19',
    `Content-Length : ${body.length}`,
  ]) {
    const response = await sendRawRequest(port, `${head}${lines}\r\nConnection: close\r\n\r\n${body}`)
    expect(response, lines).toMatch(/^HTTP\/1\.1 400 /)
    expect(response.match(/HTTP\/1\.1 /g), lines).toHaveLength(1)
  }
  expect(await countTokens()).toBe(0)
})

test('R-03 X-08 stalled large bodies get 408 when other requests wait', async () => {
  const { port, head, postToken } = await startTokenListener()
  const hung = Array.from({ length: 80 }, () => {
    const socket = net.connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    const sent = new Promise<void>((resolve) =>
      socket.write(`${head}Content-Length: ${MB}\r\n\r\n${' '.repeat(100_000)}`, () => resolve()),
    )
    return { answered, sent }
  })
  await Promise.all(hung.map(({ sent }) => sent))
  const data = 'y'.repeat(200_000)
  expect((await postToken(JSON.stringify({ type: 'token', data }))).status).toBe(201)
  const response = await Promise.race(hung.map(({ answered }) => answered))
  expect(response).toMatch(/^HTTP\/1.1 408 [\s\S]*application\/json/)
}, 20_000)
