import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { sendRawRequest } from './raw-request.ts'

// Requests whose end two programs could find in different places, as published for request smuggling. Each carries a
// second request where only a careless reader finds one.

const body = '{"type":"token","data":"outer"}'
const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
const chunked = `${chunk}0\r\n\r\n`
const length = `Content-Length: ${body.length}`

/** Headers that announce a chunked body in a way of which RFC 9112, 6, says that it must not be guessed. */
const encodings = [
  `Transfer-Encoding: chunked\r\n${length}`,
  `${length}\r\nTransfer-Encoding: chunked`,
  `${length}\r\nTransfer-Encoding:\tchunked`,
  `${length}\r\nTransfer-Encoding: CHUNKED`,
  'Transfer-Encoding : chunked',
  'Transfer-Encoding\t: chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunkedx',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding: chunked\x0b',
  'Transfer-Encoding: chunked\x00',
  'Transfer\x00-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'X: y\r\n Transfer-Encoding: chunked',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  ': chunked',
  'Transfer-Encoding',
]

const lengths = [
  `+${body.length}`,
  `-${body.length}`,
  `${body.length}, ${body.length}`,
  `${body.length} ${body.length}`,
  `${body.length}\r\nContent-Length: 0`,
  `0\r\nContent-Length: ${body.length}`,
  `0x${body.length.toString(16)}`,
  `${body.length}.0`,
  '3e1',
  `${body.length}\x00`,
  `${body.length};`,
  `\x0b${body.length}`,
  '',
  '18446744073709551616',
  String(2n ** 64n + BigInt(body.length)),
]

/** Chunks that RFC 9112, 7.1, does not allow. */
const chunks = [
  `0x${chunk}0\r\n\r\n`,
  `+${chunk}0\r\n\r\n`,
  `-${chunk}0\r\n\r\n`,
  ` ${chunk}0\r\n\r\n`,
  `1${'0'.repeat(16)}${chunk}0\r\n\r\n`,
  chunked.replaceAll('\r\n', '\n'),
  chunked.replace('\r\n', '\n'),
  chunked.replace('\r\n', '\r'),
  chunked.replace('\r\n', ';a\n'),
  chunked.replace('\r\n', ';a=\x00\r\n'),
  `${chunk.slice(0, -2)}0\r\n\r\n`,
  `${chunk.slice(0, -2)}xx0\r\n\r\n`,
  `\r\n${chunked}`,
  `${chunk}g\r\n\r\n`,
  `${chunk}0\r\nX : y\r\n\r\n`,
]

const firstLines = [
  'POST /tokens HTTP/1.1 HTTP/1.1',
  'POST\t/tokens\tHTTP/1.1',
  'POST /tokens http/1.1',
  'POST /tokens HTTP/1.10',
  'POST /tokens HTTP/2.0',
  'POST /tokens',
  ' POST /tokens HTTP/1.1',
  'POST /tokens\x00 HTTP/1.1',
  'POST /tokens HTTP/1.1\rX: y',
]

async function startTarget() {
  const { vault, port } = await startListener()
  const { key } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const head = `Host: 127.0.0.1:${port}\r\nSVC-API-KEY: ${key}\r\nContent-Type: application/json\r\n`
  const first = 'POST /tokens HTTP/1.1'
  const hiddenBody = body.replace('outer', 'hidden')
  const hidden = `${first}\r\n${head}Content-Length: ${hiddenBody.length}\r\nConnection: close\r\n\r\n${hiddenBody}`
  /** Returns the statuses of all responses until the listener closes the connection. */
  const sendBytes = async (bytes: string) =>
    [...(await sendRawRequest(port, bytes)).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
      Number(status),
    )
  const countTokens = async () => (await vault.owner.tokens.list({})).data.length
  return { first, head, hidden, sendBytes, countTokens }
}

test('X-78 X-08 a request of ambiguous length gets one 400, and nothing of it is done', async () => {
  const { first, head, hidden, sendBytes, countTokens } = await startTarget()
  const requests = [
    ...encodings.map((line) => `${first}\r\n${head}${line}\r\n\r\n${chunked}${hidden}`),
    ...lengths.map((value) => `${first}\r\n${head}Content-Length: ${value}\r\n\r\n${body}${hidden}`),
    ...chunks.map((bytes) => `${first}\r\n${head}Transfer-Encoding: chunked\r\n\r\n${bytes}${hidden}`),
    ...firstLines.map((line) => `${line}\r\n${head}${length}\r\n\r\n${body}${hidden}`),
  ]
  for (const request of requests) {
    const statuses = await sendBytes(request)
    expect([request, statuses, await countTokens()]).toEqual([request, [400], 0])
  }
})

test('X-78 X-08 a request inside the body of another is only a body', async () => {
  const { first, head, hidden, sendBytes, countTokens } = await startTarget()
  const covered = `Content-Length: ${hidden.length}\r\n`
  const close = 'Connection: close\r\n\r\n'
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PATCH']) {
    const statuses = await sendBytes(`${method} /tokens HTTP/1.1\r\n${head}${covered}${close}${hidden}`)
    expect([method, statuses.length]).toEqual([method, 1])
  }
  for (const line of [
    'Transfer_Encoding: chunked',
    'X-Transfer-Encoding: chunked',
    'TE: chunked',
    'Content_Length: 0',
  ])
    expect(await sendBytes(`${first}\r\n${head}${line}\r\n${covered}${close}${hidden}`), line).toEqual([400])
  expect(await countTokens()).toBe(0)
  // Two requests in one packet are two requests. RFC 9112, 3, allows more than one space in the first line.
  for (const request of [
    `${first}\r\n${head}${length}\r\n\r\n${body}`,
    `${first}\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunked}`,
    `POST /tokens  HTTP/1.1\r\n${head}${length}\r\n\r\n${body}`,
  ])
    expect(await sendBytes(request + hidden), request).toEqual([201, 201])
  expect(await countTokens()).toBe(6)
})
