import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../shared/json.ts'
import { startListener } from '../listener.ts'
import { startTestServer } from './test-server.ts'

const url = 'https://api.example.com/v1'

async function startManaged() {
  const { request, vault } = await startListener()
  const { key } = await vault.application({
    type: 'management',
    permissions: ['proxy:create', 'proxy:read', 'proxy:update', 'proxy:delete'],
  })
  return (method: string, path: string, body?: Json, headers: Record<string, string> = {}) =>
    request(method, path, { key, headers, ...(body !== undefined && { body }) })
}

test.each([
  'http://localhost:3000/a',
  'http://127.0.0.1:3000',
  'http://[::1]:3000',
  'https://echo.coffer.test',
])('G-03 a proxy may have the destination URL %s', async (destination_url) => {
  const send = await startManaged()
  expect((await send('POST', '/proxies', { name: 'p', destination_url })).status).toBe(201)
})

test('G-01 a whole application may be passed, of which only the id counts', async () => {
  const { request, keys, createApplication } = await startTestServer()
  const application = await createApplication({ rules: [], expires_at: '2099-01-01T00:00:00Z' })
  const sendWithApplication = async (
    method: string,
    path: string,
    body: JsonObject,
    type = 'application/json',
  ) => {
    const response = await request(method, path, {
      key: keys.management,
      headers: { 'Content-Type': type },
      body: { ...body, application },
    })
    expect([response.text, response.headers.get('Coffer-Ignored')]).toEqual([expect.any(String), null])
    return response
  }
  const proxy = { name: 'p', destination_url: url }
  const reactor = { name: 'r', code: 'module.exports = () => ({})' }
  for (const [path, body] of [['/proxies', proxy] as const, ['/reactors', reactor] as const]) {
    const { status, body: created } = await sendWithApplication('POST', path, body)
    const { id } = application
    expect([status, created]).toEqual([
      201,
      expect.objectContaining(path === '/proxies' ? { application_id: id } : { application: { id } }),
    ])
    expect((await sendWithApplication('PUT', `${path}/${created.id}`, body)).status).toBe(200)
    const patched = await sendWithApplication(
      'PATCH',
      `${path}/${created.id}`,
      {},
      'application/merge-patch+json',
    )
    expect(patched.status).toBe(204)
  }
})
