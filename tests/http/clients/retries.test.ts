import { BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startFaultProxy } from './fault-proxy.ts'
import { awaitRejection, startClientServer } from './start.ts'

const realTimeout = globalThis.setTimeout

/** Skips the client's pauses until the test ends, and records their lengths. */
function skipWaits(): number[] {
  const waits: number[] = []
  const skipWait = (run: () => void, ms = 0) => {
    // Coffer runs in the same process and uses timers too, so only those of the client are skipped.
    const isClients = new Error().stack?.includes('@basis-theory/node-sdk')
    const isPause = isClients && (ms === 7000 || (ms >= 800 && ms <= 2400))
    if (isPause) waits.push(ms)
    return realTimeout(run, isPause ? 0 : ms)
  }
  vi.stubGlobal('setTimeout', skipWait)
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  return waits
}

test.each([429, 500, 503, 408])('A-06 node-sdk 5 retries after status %i and succeeds', async (status) => {
  const { port, backend, vault } = await startClientServer()
  const { url, hits } = await startFaultProxy(port, [{ status }, { status }])
  const waits = skipWaits()
  const client = new BasisTheoryClient({ apiKey: backend.key, environment: url })
  expect(await client.tokens.create({ type: 'token', data: 'x' })).toMatchObject({ type: 'token' })
  expect([hits(), waits.length]).toEqual([3, 2])
  expect(await vault.owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 1 })
})

test('R-01 node-sdk 5 waits as long as Retry-After says', async () => {
  const { port, backend } = await startClientServer()
  const { url } = await startFaultProxy(port, [{ status: 429, headers: { 'Retry-After': '7' } }])
  const waits = skipWaits()
  const client = new BasisTheoryClient({ apiKey: backend.key, environment: url })
  await client.tokens.create({ type: 'token', data: 'x' })
  expect(waits).toEqual([7000])
})

test('R-01 node-sdk 5 waits as long as the listener’s rate limit says', async () => {
  const { url, vault, backend } = await startClientServer()
  await vault.owner.tenants.update({
    name: 'Test',
    settings: { rate_limits: 'custom', rate_limit_requests: '2' },
  })
  const client = new BasisTheoryClient({ apiKey: backend.key, environment: url, maxRetries: 0 })
  await client.tokens.create({ type: 'token', data: 'x' })
  await client.tokens.create({ type: 'token', data: 'x' })
  const limited = await awaitRejection(client.tokens.create({ type: 'token', data: 'x' }))
  expect(limited).toMatchObject({ statusCode: 429, body: { status: 429 } })
  const { headers } = (limited as { rawResponse: { headers: Headers } }).rawResponse
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
})

test('A-06 node-sdk 5 retries at most twice, and only after errors that may be temporary', async () => {
  const { port, backend } = await startClientServer()
  const failing = await startFaultProxy(port, [{ status: 503 }, { status: 503 }, { status: 503 }])
  skipWaits()
  const createClient = (environment: string) => new BasisTheoryClient({ apiKey: backend.key, environment })
  expect(await awaitRejection(createClient(failing.url).tokens.get('x'))).toMatchObject({ statusCode: 503 })
  expect(failing.hits()).toBe(3)
  const plain = await startFaultProxy(port, [])
  await awaitRejection(createClient(plain.url).tokens.get('nobody'))
  await awaitRejection(createClient(plain.url).tokens.create({ type: 'nonsense', data: 1 }))
  expect(plain.hits()).toBe(2)
})

test('A-12 a create repeated with its idempotency key creates one token', async () => {
  const { port, backend, vault } = await startClientServer()
  const { url, hits } = await startFaultProxy(port, [{ status: 500 }])
  skipWaits()
  const client = new BasisTheoryClient({ apiKey: backend.key, environment: url })
  const options = { idempotencyKey: 'once' }
  const first = await client.tokens.create({ type: 'token', data: 'x' }, options)
  const second = await client.tokens.create({ type: 'token', data: 'x' }, options)
  expect([first.id, hits()]).toEqual([second.id, 3])
  expect(await vault.owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 1 })
})
