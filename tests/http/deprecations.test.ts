import { describe, expect, test } from 'vitest'
import { startListener } from '../listener.ts'

async function startTokenListener() {
  const server = await startListener()
  const { key } = await server.vault.application({ permissions: ['token:create', 'token:read'] })
  await server.request('POST', '/tokens', {
    key,
    body: { type: 'token', data: 'x', metadata: { Env: 'Prod' } },
  })
  return { ...server, key }
}

const deprecated = [
  ['GET', '/tokens', '/v2/tokens'],
  ['POST', '/tokens/search', '/v2/tokens/search'],
] as const

describe('deprecated operations', () => {
  test.each(deprecated)(
    'L-06 L-07 %s %s has the headers Deprecation, Sunset and Link',
    async (method, path, successor) => {
      const { request, key } = await startTokenListener()
      const { status, headers, body } = await request(method, path, {
        key,
        ...(method === 'POST' && { body: {} }),
      })
      expect(status).toBe(200)
      expect(body.pagination).toEqual({ total_items: 1, page_number: 1, page_size: 20, total_pages: 1 })
      expect(body.data).toHaveLength(1)
      expect(headers.get('deprecation')).toBe(`@${Date.parse('2025-01-03') / 1000}`)
      expect(headers.get('sunset')).toBe('Sat, 01 Mar 2025 00:00:00 GMT')
      expect(headers.get('link')).toBe(`<${successor}>; rel="successor-version"`)
    },
  )

  test.each(deprecated)(
    'L-10 %s %s gives 410 if the tenant disables deprecated operations',
    async (method, path, successor) => {
      const { request, key, vault } = await startTokenListener()
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
    },
  )

  test('L-10 regenerating a key always gives 410 and names application keys', async () => {
    const { request, key } = await startTokenListener()
    const { status, headers, body } = await request('POST', '/applications/an%20id/regenerate', { key })
    expect([status, body.detail]).toEqual([410, expect.stringContaining('/applications/{id}/keys')])
    expect(headers.get('link')).toBe('</applications/an%20id/keys>; rel="successor-version"')
    expect(headers.get('sunset')).toBe('Thu, 17 Oct 2024 00:00:00 GMT')
  })

  test('L-06 other operations have no deprecation headers', async () => {
    const { request, key } = await startTokenListener()
    const { headers } = await request('GET', '/v2/tokens', { key })
    expect(['deprecation', 'sunset', 'link'].map((name) => headers.get(name))).toEqual([null, null, null])
  })

  test.each(['metadata.ENV=prod', 'metadata[env]=PROD', `metadata=${encodeURIComponent('{"env":"prod"}')}`])(
    'L-02 L-06 GET /tokens accepts %s',
    async (query) => {
      const { request, key } = await startTokenListener()
      const found = await request('GET', `/tokens?${query}`, { key })
      expect(found.body.data).toHaveLength(1)
      const more = await request('GET', `/tokens?${query}&metadata.env=other&id=none`, { key })
      expect(more.body).toMatchObject({ pagination: { total_items: 0 }, data: [] })
    },
  )
})
