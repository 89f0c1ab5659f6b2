import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

test.each([
  ['GET', '/tokens', '/v2/tokens'],
  ['POST', '/tokens/search', '/v2/tokens/search'],
])('L-10 %s %s gives 410 if the tenant disables deprecated operations', async (method, path, successor) => {
  const { request, vault } = await startListener()
  const { key } = await vault.application({ permissions: ['token:read'] })
  const body = method === 'POST' ? { body: {} } : {}
  const updateSetting = (deprecated_operations: string | null) =>
    vault.owner.tenants.update({ name: 'Test', settings: { deprecated_operations } })
  await updateSetting('gone')
  const gone = await request(method, path, { key, ...body })
  expect(gone.body).toMatchObject({ status: 410, detail: expect.stringContaining(successor) })
  expect(gone.headers.get('link')).toBe(`<${successor}>; rel="successor-version"`)
  expect((await request('GET', '/v2/tokens', { key })).status).toBe(200)
  expect((await request('POST', '/v2/tokens/search', { key, body: {} })).status).toBe(200)
  expect((await request(method, path)).status).toBe(401)
  await updateSetting('serve')
  expect((await request(method, path, { key, ...body })).status).toBe(200)
})
