import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

test('O-01 A-08 a payload may have members named like those of a request', async () => {
  const { vault, request } = await startListener({ strict: true })
  const { key } = await vault.application({ permissions: ['token:create'] })
  const response = await request('POST', '/tokenize', { key, body: { payload: 'x', id: 'y' } })
  expect(Object.keys(response.body)).toEqual(['payload', 'id'])
  expect((await request('POST', '/tokenize?a=b', { key, body: {} })).status).toBe(400)
  expect((await request('POST', '/tokenize', { key, raw: '' })).status).toBe(400)
})

test('O-01 a boolean becomes a token, like text', async () => {
  const { vault, request } = await startListener()
  const { key } = await vault.application({ permissions: ['token:create'] })
  const { body } = await request('POST', '/tokenize', { key, body: { b: false, z: null } })
  expect(body).toEqual({ b: expect.stringMatching(/^[\da-f-]{36}$/), z: null })
})

test('O-06 tenant and usage are found with and without a trailing slash', async () => {
  const { vault, request } = await startListener()
  const { key } = await vault.application({
    type: 'management',
    permissions: ['tenant:read', 'tenant:update', 'report:read'],
  })
  for (const path of ['/tenants/self', '/tenants/self/']) {
    expect((await request('GET', path, { key })).body).toMatchObject({ name: 'Test' })
    const update = { key, body: { name: 'Test', settings: { deduplicate_tokens: 'true' } } }
    expect((await request('PUT', path, update)).body).toMatchObject({
      settings: { deduplicate_tokens: 'true' },
    })
  }
  expect((await request('GET', '/tenants/self/reports/usage', { key })).body).toMatchObject({
    total_tokens: 0,
  })
  expect((await request('DELETE', '/tenants/self', { key })).status).toBe(403)
})
