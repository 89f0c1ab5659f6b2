import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { sendRawRequest } from './raw-request.ts'

async function startKeyListener() {
  const listener = await startListener()
  const { vault, port } = listener
  const grants = { permissions: ['token:create', 'token:read'] }
  const { id, key, client } = await vault.application(grants)
  const planted = JSON.stringify({ type: 'token', data: 'planted' })
  /** Sends a raw read and a raw write with these header lines and this query. */
  const sendWithLines = async (lines: readonly string[], query = '', body = planted) => {
    const head = [`Host: 127.0.0.1:${port}`, ...lines, 'Connection: close'].join('\r\n')
    const length = `Content-Type: application/json\r\nContent-Length: ${body.length}`
    const responses = await Promise.all([
      sendRawRequest(port, `GET /v2/tokens${query} HTTP/1.1\r\n${head}\r\n\r\n`),
      sendRawRequest(port, `POST /tokens${query} HTTP/1.1\r\n${head}\r\n${length}\r\n\r\n${body}`),
    ])
    for (const response of responses) expect(response).not.toContain('key_local_')
    return responses.map((response) => Number(response.slice(9, 12)))
  }
  const countTokens = async () => (await vault.owner.tokens.list({})).data.length
  return { ...listener, id, key, client, grants, sendWithLines, countTokens }
}

test('X-05 a key outside its header is ignored', async () => {
  const { key, sendWithLines, countTokens } = await startKeyListener()
  expect(await sendWithLines([`SVC-API-KEY: ${key}`])).toEqual([200, 201])
  for (const name of ['SVC-API-KEY', 'BT-API-KEY', 'api_key', 'apikey', 'key', 'access_token']) {
    expect([name, ...(await sendWithLines([], `?${name}=${key}`))]).toEqual([name, 401, 401])
    expect([name, ...(await sendWithLines([`Cookie: ${name}=${key}`]))]).toEqual([name, 401, 401])
  }
  for (const line of [
    `Authorization: Bearer ${key}`,
    `Authorization: ${key}`,
    `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    `X-API-KEY: ${key}`,
    `SVC_API_KEY: ${key}`,
    `Proxy-Authorization: Bearer ${key}`,
  ]) {
    expect(await sendWithLines([line])).toEqual([401, 401])
  }
  expect(await sendWithLines([], '', JSON.stringify({ 'SVC-API-KEY': key, type: 'token', data: 1 }))).toEqual(
    [401, 401],
  )
  expect(await countTokens()).toBe(1)
})

test('X-05 missing, empty, wrong, damaged and repeated keys get 401', async () => {
  const { key, sendWithLines, countTokens } = await startKeyListener()
  const other = key.endsWith('A') ? 'B' : 'A'
  const wrong: string[][] = [
    [],
    ['SVC-API-KEY:'],
    ['SVC-API-KEY: key_local_pvt_'],
    [`SVC-API-KEY: ${key.slice(0, -1)}`],
    [`SVC-API-KEY: ${key}${other}`],
    [`SVC-API-KEY: ${key.slice(0, -1)}${other}`],
    [`SVC-API-KEY: ${key.toUpperCase()}`],
    [`SVC-API-KEY: ${key.replace('_pvt_', '_mgt_')}`],
    [`SVC-API-KEY: "${key}"`],
    [`SVC-API-KEY: Bearer ${key}`],
    [`SVC-API-KEY: ${key},${key}`],
    [`SVC-API-KEY: ${key}`, `SVC-API-KEY: ${key}`],
    [`SVC-API-KEY: ${key}`, 'SVC-API-KEY: x'],
    ['SVC-API-KEY: x', `svc-api-key: ${key}`],
    [`BT-API-KEY: ${key}`, `BT-API-KEY: ${key}`],
    ['SVC-API-KEY: x', `BT-API-KEY: ${key}`],
    ['SVC-API-KEY: __proto__'],
    ['SVC-API-KEY: constructor'],
    ["SVC-API-KEY: ' OR 1=1 --"],
    ['SVC-API-KEY: \xff\xfe'],
    [`SVC-API-KEY: ${'k'.repeat(15_000)}`],
  ]
  for (const lines of wrong) {
    expect([lines.map((line) => line.slice(0, 60)), ...(await sendWithLines(lines))]).toEqual([
      lines.map((line) => line.slice(0, 60)),
      401,
      401,
    ])
  }
  expect(await countTokens()).toBe(0)
})

test('X-05 a deleted key and a deleted or expired application get 401', async () => {
  const { vault, key, id, grants, sendWithLines, countTokens } = await startKeyListener()
  const { key: more, id: keyId } = await vault.owner.keys.create({ id })
  expect(await sendWithLines([`SVC-API-KEY: ${more}`])).toEqual([200, 201])
  await vault.owner.keys.remove({ id, keyId })
  expect(await sendWithLines([`SVC-API-KEY: ${more}`])).toEqual([401, 401])
  expect(await sendWithLines([`SVC-API-KEY: ${key}`])).toEqual([200, 201])
  await vault.owner.applications.remove({ id })
  expect(await sendWithLines([`SVC-API-KEY: ${key}`])).toEqual([401, 401])
  const brief = await vault.application({ ...grants, expires_at: '2030-01-01T00:00:01Z' })
  expect(await sendWithLines([`SVC-API-KEY: ${brief.key}`])).toEqual([200, 201])
  vault.clock.advance(1000)
  expect(await sendWithLines([`SVC-API-KEY: ${brief.key}`])).toEqual([401, 401])
  expect(await countTokens()).toBe(3)
})

test('X-05 a key of 1 MB is rejected, and the next request succeeds', async () => {
  const { key, sendWithLines, port } = await startKeyListener()
  const long = 'k'.repeat(1024 * 1024)
  const response = await sendRawRequest(
    port,
    `GET /v2/tokens HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nSVC-API-KEY: ${long}\r\n\r\n`,
    // The listener may also reset the connection, which counts as a rejection.
  ).catch(() => '')
  expect(response === '' || response.startsWith('HTTP/1.1 431 ')).toBe(true)
  expect(response).not.toContain('kkkk')
  expect(await sendWithLines([`SVC-API-KEY: ${key}`])).toEqual([200, 201])
})
