import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

async function startAuditedListener(options: { strict?: boolean } = {}) {
  const { vault, request, ...rest } = await startListener(options)
  const app = await vault.application({ permissions: ['token:create', 'token:read'] })
  const auditor = await vault.application({ type: 'management', permissions: ['log:read'] })
  const listRecords = async () => {
    const { body } = await request('GET', '/logs?entity_type=token', { key: auditor.key })
    return body.data as {
      action: string
      status: number
      actor_id?: string
      trace_id: string
      message: string
    }[]
  }
  return { vault, app, auditor, request, listRecords, ...rest }
}

test('O-05 a request that is rejected before its operation runs is recorded', async () => {
  const { app, request, listRecords } = await startAuditedListener({ strict: true })
  const createHeaders = (trace: string, type = 'application/json') => ({
    'SVC-TRACE-ID': trace,
    'Content-Type': type,
  })
  await request('POST', '/tokens', { body: {}, headers: createHeaders('no-key') })
  await request('POST', '/tokens', {
    key: 'key_local_pvt_wrong',
    body: {},
    headers: createHeaders('wrong-key'),
  })
  await request('POST', '/tokens', { key: app.key, raw: '{', headers: createHeaders('no-json') })
  await request('POST', '/tokens', { key: app.key, raw: 'x', headers: createHeaders('text', 'text/plain') })
  await request('POST', '/tokens', {
    key: app.key,
    raw: 'x'.repeat(2_100_000),
    headers: createHeaders('large'),
  })
  await request('GET', '/tokens/abc?colour=red', {
    key: app.key,
    headers: { 'SVC-TRACE-ID': 'unknown-parameter' },
  })
  const found = await listRecords()
  expect(found.map(({ trace_id, action, status, actor_id }) => [trace_id, action, status, actor_id])).toEqual(
    [
      ['unknown-parameter', 'tokens.get', 400, app.id],
      ['large', 'tokens.create', 413, app.id],
      ['text', 'tokens.create', 415, app.id],
      ['no-json', 'tokens.create', 400, app.id],
      ['wrong-key', 'tokens.create', 401, undefined],
      ['no-key', 'tokens.create', 401, undefined],
    ],
  )
})

test('O-05 each call of an operation is recorded once', async () => {
  const { app, request, listRecords } = await startAuditedListener()
  await request('POST', '/tokens', { key: app.key, body: { type: 'token' } })
  await request('POST', '/tokens', { key: app.key, body: { type: 'token', data: 1 } })
  await request('GET', '/tokens/nobody', { key: app.key })
  expect((await listRecords()).map(({ action, status }) => [action, status])).toEqual([
    ['tokens.get', 404],
    ['tokens.create', 201],
    ['tokens.create', 400],
  ])
})

test('X-02 O-05 rejected requests of a foreign page are not recorded', async () => {
  const { app, request, listRecords } = await startAuditedListener()
  const headers = { Origin: 'http://evil.test', 'Content-Type': 'text/plain' }
  expect((await request('POST', '/tokens', { key: app.key, raw: '{}', headers })).status).toBe(403)
  expect(await listRecords()).toEqual([])
})

test('O-05 the log can be listed by cursor, page and filter', async () => {
  const { app, auditor, request } = await startAuditedListener({ strict: true })
  for (let at = 0; at < 5; at++)
    await request('POST', '/tokens', { key: app.key, body: { type: 'token', data: at } })
  const getBody = async (path: string) => (await request('GET', path, { key: auditor.key })).body
  const first = await getBody('/logs/?entity_type=token&size=2')
  expect(first.pagination).toEqual({
    total_items: 5,
    page_number: 1,
    page_size: 2,
    total_pages: 3,
    next: expect.any(String),
  })
  const second = await getBody(
    `/logs?entity_type=token&size=2&start=${encodeURIComponent(first.pagination.next)}`,
  )
  expect(second.pagination).toEqual({ page_size: 2, next: expect.any(String) })
  expect(second.data).toEqual((await getBody('/logs?entity_type=token&size=2&page=2')).data)
  expect(await getBody('/logs?entity_type=token&size=2&page=9')).toMatchObject({ data: [] })
  expect(await getBody('/logs/entity-types')).toContainEqual({ display_name: 'Token', value: 'token' })
  for (const bad of ['size=5001', 'size=0', 'page=0', 'start=abc', 'start_date=never', 'colour=red']) {
    expect([bad, (await getBody(`/logs?${bad}`)).status]).toEqual([bad, 400])
  }
  expect((await request('GET', '/logs', { key: app.key })).status).toBe(403)
})
