import { once } from 'node:events'
import http from 'node:http'
import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

test('X-19 a deleted key gets 401, and requests in flight either succeed or get 401', async () => {
  const { vault, request } = await startListener()
  const app = await vault.application({ permissions: ['token:create'] })
  const manager = await vault.application({
    type: 'management',
    permissions: ['application:read', 'application:delete'],
  })
  const keys = await request('GET', `/applications/${app.id}/keys`, { key: manager.key })
  const path = `/applications/${app.id}/keys/${keys.body.data[0].id}`
  const createToken = () => request('POST', '/tokens', { key: app.key, body: { type: 'token', data: 'x' } })
  const before = Array.from({ length: 20 }, createToken)
  const deleted = request('DELETE', path, { key: manager.key })
  const during = Array.from({ length: 20 }, createToken)
  expect((await deleted).status).toBe(204)
  const after = await Promise.all(Array.from({ length: 20 }, createToken))
  expect(after.map(({ status }) => status)).toEqual(after.map(() => 401))
  const inFlight = await Promise.all([...before, ...during])
  const created = inFlight.filter(({ status }) => status === 201).length
  expect(inFlight.filter(({ status }) => status === 401)).toHaveLength(inFlight.length - created)
  expect(await vault.owner.tenants.getUsageReport()).toMatchObject({ total_tokens: created })
})

test('X-19 X-20 a session is rejected once the application that authorized it is deleted', async () => {
  const { vault, request } = await startListener()
  const browser = await vault.application({ type: 'public', permissions: ['token:create'] })
  const backend = await vault.application({ permissions: ['token:read'] })
  const { body } = await request('POST', '/sessions', { key: browser.key })
  await request('POST', '/sessions/authorize', {
    key: backend.key,
    body: { nonce: body.nonce, permissions: ['token:read'] },
  })
  const listTokens = () => request('GET', '/v2/tokens', { key: body.session_key })
  expect((await listTokens()).status).toBe(200)
  await vault.owner.applications.remove({ id: backend.id })
  expect((await listTokens()).status).toBe(401)
})

test('X-19 O-05 deleting an application while a body is sent gives a recorded 401', async () => {
  const { vault, port } = await startListener()
  const { id, key } = await vault.application({ permissions: ['token:create'] })
  const body = JSON.stringify({ type: 'token', data: 'x' })
  const sent = http.request({
    port,
    method: 'POST',
    path: '/tokens',
    headers: {
      'SVC-API-KEY': key,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Expect: '100-continue',
    },
  })
  const answered = once(sent, 'response')
  sent.flushHeaders()
  // At this point, the listener has already looked up the key.
  await once(sent, 'continue')
  await vault.owner.applications.remove({ id })
  sent.end(body)
  const [response] = (await answered) as [http.IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(401)
  expect((await vault.owner.tokens.list({})).data).toHaveLength(0)
  const { data } = await vault.owner.logs.list({ action: 'tokens.create' })
  expect(data).toMatchObject([{ status: 401, key_hint: key.slice(-4) }])
})
