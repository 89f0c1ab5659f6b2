import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { sendRawRequest } from './raw-request.ts'

test('X-06 unknown methods are rejected, and no header overrides the method', async () => {
  const { vault, port, request } = await startListener()
  const { key, client } = await vault.application({
    permissions: ['token:create', 'token:read', 'token:delete'],
  })
  const { id } = await client.tokens.create({ type: 'token', data: 'kept' })
  const head = `Host: 127.0.0.1:${port}\r\nSVC-API-KEY: ${key}\r\nConnection: close\r\n\r\n`
  for (const method of ['TRACE', 'PROPFIND', 'BREW', 'CONNECT']) {
    const response = await sendRawRequest(port, `${method} /tokens/${id} HTTP/1.1\r\n${head}`)
    expect(response, method).not.toMatch(/^HTTP\/1\.1 2/)
  }
  for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
    const read = await request('GET', `/tokens/${id}`, { key, headers: { [header]: 'DELETE' } })
    expect(read.status, header).toBe(200)
  }
  expect((await client.tokens.get({ id })).id).toBe(id)
})

test('X-10 an upgrade to WebSocket is rejected', async () => {
  const { vault, port } = await startListener()
  const { key } = await vault.application({ permissions: ['token:read'] })
  for (const path of ['/', '/v2/tokens', '/_coffer/console/events']) {
    const response = await sendRawRequest(
      port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nSVC-API-KEY: ${key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    )
    expect(response, path).not.toMatch(/^HTTP\/1\.1 101/)
    expect(response, path).not.toMatch(/Sec-WebSocket-Accept/i)
  }
})

test('X-13 health reveals only that the listener responds', async () => {
  const { request } = await startListener()
  const { status, text, headers } = await request('GET', '/_coffer/health')
  expect([status, text]).toEqual([200, '{"status":"ok"}'])
  expect(headers.get('server')).toBeNull()
  expect(headers.get('x-powered-by')).toBeNull()
})
