import { describe, expect, test } from 'vitest'
import { RateLimiter, type RateScope } from '../../electron/http/rate-limit.ts'
import { CofferError } from '../../shared/errors.ts'
import type { SettingsPatch } from '../../shared/schemas/tenant.ts'
import { startListener } from '../listener.ts'
import { openVault } from '../vault.ts'

type LimitedVault = ReturnType<typeof openVault>

const updateSettings = (vault: LimitedVault, settings: Partial<SettingsPatch>) =>
  vault.owner.tenants.update({ name: 'Test', settings })

/** Returns how many requests pass before the first rejection, and the rejection's values; null if there is none. */
function countPassing(limiter: RateLimiter, scopes: RateScope[], address = '127.0.0.1') {
  for (let passed = 0; ; passed++) {
    try {
      limiter.countRequest(address, scopes)
    } catch (error) {
      if (!(error instanceof CofferError)) throw error
      return { passed, status: error.status, retry_after: error.retry_after }
    }
    if (passed > 2000) return null
  }
}

async function startWith(settings: Partial<SettingsPatch>) {
  const server = await startListener({ fresh: true })
  const { key } = await server.vault.application({ permissions: ['token:create', 'token:read'] })
  await updateSettings(server.vault, settings)
  const listPermissions = (headers: Record<string, string> = {}) =>
    server.request('GET', '/permissions', { key, headers })
  return { ...server, key, listPermissions }
}

describe('rate limits', () => {
  test.each([
    [['all'], 1000],
    [['all', 'console'], 600],
    [['all', 'search'], 50],
    [['all', 'list'], 100],
    [['all', 'create'], 200],
  ] as [RateScope[], number][])(
    'R-01 under legacy limits, the scopes %s allow %i requests',
    async (scopes, passed) => {
      const vault = openVault()
      await updateSettings(vault, { rate_limits: 'legacy' })
      const limiter = new RateLimiter(() => vault.engine)
      expect(countPassing(limiter, scopes)).toEqual({ passed, status: 429, retry_after: 10 })
      expect(countPassing(limiter, scopes, '::1')?.passed).toBe(passed)
    },
  )

  test('R-01 a request of a scope is also counted in the scope all', async () => {
    const vault = openVault()
    await updateSettings(vault, { rate_limits: 'legacy' })
    const limiter = new RateLimiter(() => vault.engine)
    for (let at = 0; at < 900; at++) limiter.countRequest('127.0.0.1', ['all'])
    expect(countPassing(limiter, ['all', 'create'])?.passed).toBe(100)
    expect(countPassing(limiter, ['all'])?.passed).toBe(0)
  })

  test('R-01 the window and the block each last ten seconds', async () => {
    const { listPermissions, vault } = await startWith({ rate_limits: 'custom', rate_limit_requests: '2' })
    const fetchStatuses = async (count: number) => {
      const all: number[] = []
      for (let at = 0; at < count; at++) all.push((await listPermissions()).status)
      return all
    }
    expect(await fetchStatuses(2)).toEqual([200, 200])
    vault.clock.advance(9_999)
    const rejected = await listPermissions()
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '10'])
    expect(rejected.headers.get('content-type')).toMatch(/^application\/json/)
    expect(rejected.body).toEqual({
      title: 'Too Many Requests',
      status: 429,
      code: 'rate_limited',
      detail:
        'Too many requests from this address. Wait 10 seconds. To change that, set rate_limit_requests in the window under Settings, with PUT /tenants/self, or in a seed.',
      retry_after: 10,
    })
    vault.clock.advance(8_001)
    expect((await listPermissions()).headers.get('retry-after')).toBe('2')
    vault.clock.advance(1_998)
    expect((await listPermissions()).headers.get('retry-after')).toBe('1')
    vault.clock.advance(1)
    expect(await fetchStatuses(3)).toEqual([200, 200, 429])
    vault.clock.advance(10_000)
    expect(await fetchStatuses(1)).toEqual([200])
    vault.clock.advance(10_000)
    expect(await fetchStatuses(3)).toEqual([200, 200, 429])
  })

  test('R-01 X-27 setting the clock back does not extend a block', async () => {
    const { listPermissions, vault } = await startWith({ rate_limits: 'custom', rate_limit_requests: '1' })
    expect([(await listPermissions()).status, (await listPermissions()).status]).toEqual([200, 429])
    vault.clock.advance(-3_600_000)
    expect((await listPermissions()).status).toBe(200)
  })

  test('R-01 routes of one scope share a limit, such as POST /tokens and POST /tokenize', async () => {
    const { request, key } = await startWith({ rate_limits: 'legacy' })
    const fetchStatus = async (method: string, path: string, body?: object) =>
      (await request(method, path, { key, ...(body && { body: body as never }) })).status
    const wrong = { type: 'none', data: 1 }
    const all = Array.from({ length: 50 }, () => fetchStatus('POST', '/tokens/search/', {}))
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]))
    expect(await fetchStatus('POST', '/tokens/search', {})).toBe(429)
    expect(await fetchStatus('POST', '/v2/tokens/search', {})).toBe(200)
    const creating = Array.from({ length: 100 }, () => [
      fetchStatus('POST', '/tokens', wrong),
      fetchStatus('POST', '/tokenize', wrong),
    ]).flat()
    expect(new Set(await Promise.all(creating))).toEqual(new Set([400]))
    expect(await fetchStatus('POST', '/tokenize', wrong)).toBe(429)
    expect(await fetchStatus('POST', '/tokens', wrong)).toBe(429)
    expect(await fetchStatus('GET', '/tokens')).toBe(200)
  })

  test('R-01 R-02 limits are off by default and apply immediately', async () => {
    const { listPermissions, vault } = await startWith({})
    for (let at = 0; at < 30; at++) expect((await listPermissions()).status).toBe(200)
    await updateSettings(vault, { rate_limits: 'custom', rate_limit_requests: '1' })
    expect([(await listPermissions()).status, (await listPermissions()).status]).toEqual([200, 429])
    await updateSettings(vault, { rate_limits: 'off' })
    expect((await listPermissions()).status).toBe(200)
  })

  test('R-01 requests without a valid key are counted, and a 429 is recorded', async () => {
    const { listPermissions, request, vault } = await startWith({
      rate_limits: 'custom',
      rate_limit_requests: '2',
    })
    expect((await request('GET', '/permissions')).status).toBe(401)
    expect((await request('GET', '/nowhere')).status).toBe(404)
    expect((await listPermissions({ 'SVC-TRACE-ID': 'limited' })).status).toBe(429)
    const { data } = await vault.owner.logs.list({})
    expect(data.find((record) => record.trace_id === 'limited')).toMatchObject({
      action: 'permissions.list',
      status: 429,
    })
    expect((await request('GET', '/_coffer/health')).status).toBe(200)
  })

  test('X-07 forwarding headers do not change the client address', async () => {
    const { listPermissions } = await startWith({ rate_limits: 'custom', rate_limit_requests: '3' })
    const headers = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'True-Client-IP', 'X-Client-IP']
    const statuses = []
    for (const [at, name] of headers.entries()) {
      statuses.push(
        (await listPermissions({ [name]: name === 'Forwarded' ? `for=10.0.0.${at}` : `10.0.0.${at}` }))
          .status,
      )
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  })
})
