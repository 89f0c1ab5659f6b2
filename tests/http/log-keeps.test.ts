import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { countRows } from '../rows.ts'

const card = '4242424242424242'

test('X-50 A-04 of many requests without a key, 100 a minute are recorded and others counted', async () => {
  const { vault, request } = await startListener({ durable: true })
  for (let round = 0; round < 4; round++) {
    const responses = await Promise.all(Array.from({ length: 50 }, () => request('GET', '/tokens/some-id')))
    expect(responses.every(({ status }) => status === 401)).toBe(true)
  }
  const { buckets } = await vault.owner.stats.requests({ minutes: 60, buckets: 4 })
  expect(buckets.at(-1)).toMatchObject({ requests: 200, refused: 200 })
  const before = countRows(vault).log ?? 0
  await request('GET', '/tokens/some-id')
  expect(countRows(vault).log).toBe(before)
  vault.reopen()
  const { data } = await vault.owner.logs.list({ status: '401', size: 1000 })
  expect(data.filter(({ action }) => action === 'tokens.get')).toHaveLength(100)
  expect(data.filter(({ action }) => action === 'vault.refuseUnknown')).toMatchObject([
    { note: '1 more request without a valid key within a minute' },
    { note: '100 more requests without a valid key within a minute' },
  ])
})

test('X-50 the log shortens text from callers and masks long numbers in it', async () => {
  const { vault, request } = await startListener()
  const { key } = await vault.application({ permissions: ['token:read', 'token:create'] })
  const spellings = [
    card,
    '4242-4242-4242-4242',
    '4242.4242.4242.4242',
    '42 42 42 42 42 42 42 42',
    card.split('').join('x'),
    card.split('').join('-'),
    '４２４２４２４２４２４２４２４２',
    `${card}${'a'.repeat(15_000)}`,
    `a\u0001\u202e${card}`,
  ]
  for (const each of spellings) {
    const id = encodeURIComponent(each)
    const headers = { 'SVC-TRACE-ID': /^[\x21-\x7e]{1,200}$/.test(each) ? each : 'trace', 'User-Agent': card }
    for (const [method, path] of [
      ['GET', `/tokens/${id}?number=${card}`],
      ['DELETE', `/tokens/${id}`],
      ['GET', `/applications/${id}`],
    ] as const) {
      for (const caller of [{ key }, {}]) await request(method, path, { ...caller, headers })
    }
    await request('POST', '/tokens', { key, headers, body: { type: 'token', data: 'x', [each]: 1 } })
    await request('POST', '/tokens', {
      key,
      headers,
      body: { type: 'token', data: 'x', metadata: { [each]: [] } },
    })
  }
  const { data } = await vault.owner.logs.list({ size: 1000 })
  const all = await Promise.all(data.map(({ id }) => vault.owner.logs.get({ id })))
  expect(all.length).toBeGreaterThan(60)
  for (const { trace_id, id, created_at, duration_ms, tenant_id, actor_id, ...record } of all) {
    const text = JSON.stringify({ ...record, trace_id: /^[0-9a-f-]{36}$/.test(trace_id) ? '' : trace_id })
    const plain = text.normalize('NFKC')
    expect(plain).not.toMatch(/(?:4\P{Nd}{0,2}2\P{Nd}{0,2}){6}/u)
    expect(text).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(text.length).toBeLessThan(3000)
  }
  const found = await vault.owner.logs.list({ trace_id: card })
  expect(found.data).not.toHaveLength(0)
})
