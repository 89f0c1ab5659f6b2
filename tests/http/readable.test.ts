import { expect, test } from 'vitest'
import type { Json } from '../../shared/json.ts'
import { startListener } from '../listener.ts'

const curl = { 'User-Agent': 'curl/8.5.0' }

async function startTokenListener() {
  const listener = await startListener()
  const { key } = await listener.vault.application({
    permissions: ['token:create', 'token:read', 'token:use'],
    rules: [
      { description: 'all', priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] },
    ],
  })
  return { ...listener, key }
}

test('A-14 a response to curl is indented and has numbers as written', async () => {
  const { request, key, vault } = await startTokenListener()
  const raw = '{"id":"exact","type":"token","data":{"amount":1.0,"large":12345678901234567890}}'
  await request('POST', '/tokens', { key, raw })
  const detokenize = { key, raw: '{"data":"{{ exact }}"}' }
  expect((await request('POST', '/detokenize', { ...detokenize, headers: curl })).text).toBe(
    '{\n  "data": {\n    "amount": 1.0,\n    "large": 12345678901234567890\n  }\n}\n',
  )
  expect((await request('POST', '/detokenize', detokenize)).text).toBe(
    '{"data":{"amount":1.0,"large":12345678901234567890}}',
  )
  for (const path of ['/tokens/none', '/nowhere', '/', '/_coffer/ready', '/permissions']) {
    const { text } = await request('GET', path, { key, headers: curl })
    expect(text, path).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    expect((await request('GET', path, { key })).text, path).not.toContain('\n')
  }
  // The log record has the size of the response as it was sent.
  for (const path of ['/tokens/exact', '/tokens/none']) {
    const { text } = await request('GET', path, { key, headers: curl })
    const [record] = (await vault.owner.logs.find({ size: 1 })).data
    expect(record?.answer_bytes, path).toBe(Buffer.byteLength(text))
  }
})

test('R-03 a long response to curl stays on one line', async () => {
  const { request, key, vault } = await startTokenListener()
  await vault.owner.tokens.create({ id: 'long', type: 'token', data: 'x'.repeat(70_000) })
  const { text } = await request('POST', '/detokenize', {
    key,
    headers: curl,
    raw: '{"data":"{{ long }}"}',
  })
  expect(text).toMatch(/^\{"data":"x+"\}\n$/)
})

test('R-03 a deeply nested response to curl stays on one line', async () => {
  const { request, key, vault } = await startTokenListener()
  let data: Json = Array<Json>(20_000).fill(1)
  for (let level = 0; level < 50; level++) data = [data]
  await vault.owner.tokens.create({ id: 'deep', type: 'token', data })
  const raw = '{"data":"{{ deep }}"}'
  const { text } = await request('POST', '/detokenize', { key, headers: curl, raw })
  expect(text === `${JSON.stringify({ data })}\n`).toBe(true)
})
