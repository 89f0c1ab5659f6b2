import http from 'node:http'
import { expect, test } from 'vitest'
import { everythingChanged } from '../../shared/entity-changes.ts'
import type { Json } from '../../shared/json.ts'
import type { NewFaultRule } from '../../shared/schemas/fault.ts'
import { inMemoryVault, startHost, storedVault } from '../host/start-host.ts'

type Options = Parameters<typeof startHost>[0]
type Ask = { key?: string; body?: Json; headers?: Record<string, string> }

/**
 * Starts a host with a listener and a vault, which is in memory by default. Returns its keys and functions for
 * requests.
 */
async function startTestControls(
  vault: typeof inMemoryVault | typeof storedVault = inMemoryVault,
  options: Options = {},
) {
  const started = startHost(options)
  const { keys } = await started.window.host.createVault(vault)
  const listener = await started.window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const ask = async (method: string, path: string, { key = keys.management, body, headers }: Ask = {}) => {
    const response = await fetch(listener.url + path, {
      method,
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  const create = async (body: Json = { type: 'token', data: 'x' }) =>
    ask('POST', '/tokens', { key: keys.private, body })
  const get = (id: string) => ask('GET', `/tokens/${id}`, { key: keys.private })
  const setFaults = (...rules: NewFaultRule[]) => ask('PUT', '/_coffer/faults', { body: { rules } as Json })
  return { ...started, keys, url: listener.url, ask, create, get, setFaults }
}

test('a reset restores tokens, applications, settings, log and clock', async () => {
  const { ask, create, get, keys } = await startTestControls()
  const { body: token } = await create()
  await ask('PUT', '/tenants/self', { body: { name: 'Changed', settings: { log_retention_days: '1' } } })
  await ask('POST', '/_coffer/clock', { body: { advance: 3600 } })
  const before = await ask('GET', '/_coffer/clock')
  expect((await ask('POST', '/_coffer/reset')).status).toBe(204)
  expect((await get(token.id)).status).toBe(404)
  expect((await ask('GET', '/tenants/self')).body).toMatchObject({ name: 'in-memory' })
  expect((await ask('GET', '/applications/key')).body.name).toBe('Management')
  const { body: log } = await ask('GET', '/logs?entity_type=token')
  expect(log.data.map((each: { operation: string }) => each.operation)).toEqual(['tokens.get'])
  const after = await ask('GET', '/_coffer/clock')
  expect(Date.parse(before.body.now) - Date.parse(after.body.now)).toBe(3_600_000)
  expect((await ask('GET', '/v2/tokens', { key: keys.private })).body.data).toEqual([])
  expect((await create()).status).toBe(201)
})

test('a reset or a restored snapshot is announced as a change of everything', async () => {
  const { ask, create, events } = await startTestControls()
  const received = () => events.flatMap((event) => (event.type === 'changes' ? event.changes : []))
  await create()
  await expect.poll(received).toContainEqual(expect.objectContaining({ entity: 'token', kind: 'created' }))
  await ask('PUT', '/_coffer/snapshots/one')
  for (const path of ['/_coffer/reset', '/_coffer/snapshots/one/restore']) {
    events.length = 0
    await ask('POST', path)
    await expect.poll(received).toEqual(expect.arrayContaining([...everythingChanged]))
  }
})

test('calls in flight during a reset complete, and later calls succeed', async () => {
  const { ask, create } = await startTestControls()
  const calls = Array.from({ length: 20 }, () => create())
  const [reset, ...answers] = await Promise.all([ask('POST', '/_coffer/reset'), ...calls])
  expect(reset?.status).toBe(204)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect((await create()).status).toBe(201)
})

test('snapshots are saved, listed, replaced and restored by name', async () => {
  const { ask, create, get } = await startTestControls()
  const { body: first } = await create()
  expect((await ask('PUT', '/_coffer/snapshots/one')).status).toBe(204)
  const { body: second } = await create()
  await ask('PUT', '/_coffer/snapshots/two')
  expect(
    (await ask('GET', '/_coffer/snapshots')).body.data.map(({ name }: { name: string }) => name),
  ).toEqual(['one', 'two'])
  expect((await ask('POST', '/_coffer/snapshots/one/restore')).status).toBe(204)
  expect([(await get(first.id)).status, (await get(second.id)).status]).toEqual([200, 404])
  await ask('POST', '/_coffer/snapshots/two/restore')
  expect((await get(second.id)).status).toBe(200)
  await ask('PUT', '/_coffer/snapshots/one')
  await ask('POST', '/_coffer/reset')
  await ask('POST', '/_coffer/snapshots/one/restore')
  expect((await get(second.id)).status).toBe(200)
  const none = await ask('POST', '/_coffer/snapshots/none/restore')
  expect([none.status, none.body.detail]).toEqual([
    404,
    'There is no snapshot called none. Snapshots: one, two.',
  ])
  expect((await ask('PUT', '/_coffer/snapshots/a%2fb')).status).toBe(400)
})

test('T-14 moving the clock expires tokens and deletes them immediately', async () => {
  const { ask, create, get, host } = await startTestControls()
  const { body: token } = await create({ type: 'token', data: 'x', expires_at: '2030-01-01T12:00:00Z' })
  expect((await ask('POST', '/_coffer/clock', { body: { advance: 3600 } })).body).toEqual({
    now: '2030-01-01T01:00:00.000+00:00',
  })
  expect((await get(token.id)).status).toBe(200)
  await ask('POST', '/_coffer/clock', { body: { now: '2030-01-01T13:00:00+01:00' } })
  expect((await get(token.id)).status).toBe(404)
  host.getEngine()?.flushLog()
  const { body: log } = await ask('GET', `/logs?entity_id=${token.id}`)
  expect(log.data.map((each: { operation: string }) => each.operation)).toContain('tokens.expire')
})

test('T-15 O-04 A-12 moving the clock also expires cvc, sessions and idempotency keys', async () => {
  const { ask, create, keys, host } = await startTestControls()
  const card = { number: '4242424242424242', cvc: '123' }
  const { body: token } = await create({ type: 'card', data: card })
  const { body: session } = await ask('POST', '/sessions', { key: keys.public })
  const once = {
    key: keys.private,
    body: { type: 'token', data: 'x' },
    headers: { 'SVC-IDEMPOTENCY-KEY': 'a' },
  }
  const { body: first } = await ask('POST', '/tokens', once)
  expect((await ask('POST', '/tokens', once)).body.id).toBe(first.id)
  await ask('POST', '/_coffer/clock', { body: { advance: 3601 } })
  const reveal = await host.getEngine()?.call('tokens.reveal', { id: token.id }, { kind: 'owner' })
  expect(reveal?.output).toMatchObject({ data: { number: card.number } })
  expect(JSON.stringify(reveal?.output)).not.toContain('cvc')
  expect((await ask('GET', '/permissions', { key: session.session_key })).status).toBe(401)
  await ask('POST', '/_coffer/clock', { body: { advance: 86_400 } })
  expect((await ask('POST', '/tokens', once)).body.id).not.toBe(first.id)
})

test('the clock rejects invalid times', async () => {
  const { ask } = await startTestControls()
  const bodies: Json[] = [
    {},
    { now: '2030-01-01T00:00:00Z', advance: 1 },
    { now: 'tomorrow' },
    { advance: '1' },
    { now: '9999-06-01T00:00:00Z' },
    { advance: -5_000_000_000 },
    { advance: 1, zone: 'UTC' },
  ]
  for (const body of bodies) {
    expect([body, (await ask('POST', '/_coffer/clock', { body })).status]).toEqual([body, 400])
  }
})

const controls = [
  ['POST', '/_coffer/reset'],
  ['GET', '/_coffer/clock'],
  ['POST', '/_coffer/clock'],
  ['GET', '/_coffer/snapshots'],
  ['PUT', '/_coffer/snapshots/one'],
  ['POST', '/_coffer/snapshots/one/restore'],
  ['GET', '/_coffer/faults'],
  ['PUT', '/_coffer/faults'],
  ['POST', '/_coffer/faults'],
  ['DELETE', '/_coffer/faults/busy'],
  ['DELETE', '/_coffer/faults'],
] as const

test('A-04 X-02 the test controls reject foreign pages and all but management keys', async () => {
  const { ask, keys, window, url } = await startTestControls()
  const { key: weak } = await window.applications.create({
    name: 'Weak',
    type: 'management',
    permissions: ['application:read', 'log:read'],
  })
  for (const [method, path] of controls) {
    const status = async (given: Ask) => [method, path, (await ask(method, path, given)).status]
    expect(await status({ key: 'key_local_mgt_unknown' })).toEqual([method, path, 401])
    expect(await status({ key: keys.private })).toEqual([method, path, 403])
    expect(await status({ key: keys.public })).toEqual([method, path, 403])
    expect(await status({ key: weak as string })).toEqual([method, path, 403])
    expect(await status({ headers: { Origin: 'http://evil.test' } })).toEqual([method, path, 403])
    expect((await fetch(url + path, { method })).status).toBe(401)
    expect(await rebound(url, method, path, keys.management)).toBe(403)
  }
  window.host.lock()
  await expect.poll(async () => (await ask('POST', '/_coffer/reset')).status).toBe(423)
})

/** Returns the status of a request whose Host header has a foreign name, as after DNS rebinding. */
function rebound(url: string, method: string, path: string, key: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { Host: 'evil.test', 'SVC-API-KEY': key }
    http
      .request(url + path, { method, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      .on('error', reject)
      .end()
  })
}

test('a vault on disk has no test controls', async () => {
  const { ask, create, get, keys } = await startTestControls(storedVault)
  const { body: token } = await create()
  for (const [method, path] of controls) expect((await ask(method, path)).status).toBe(404)
  expect((await get(token.id)).status).toBe(200)
  expect((await ask('POST', '/_coffer/reset', { key: keys.private })).status).toBe(403)
})

test('a vault on disk allows only faults as test controls, if its owner enables them', async () => {
  const { ask, setFaults, create } = await startTestControls(storedVault, { faults: [] })
  expect((await setFaults({ name: 'down', status: 503 })).status).toBe(200)
  expect((await create()).status).toBe(503)
  expect((await ask('DELETE', '/_coffer/faults')).status).toBe(204)
  expect((await create()).status).toBe(201)
  expect((await ask('POST', '/_coffer/reset')).status).toBe(404)
})

test('a fault responds with its status up to its count, and a header names it', async () => {
  const { ask, setFaults, create, host, window } = await startTestControls()
  const { body } = await setFaults({
    name: 'busy',
    operations: ['tokens.create'],
    status: 429,
    retry_after: 2,
    count: 2,
  })
  expect(body.rules).toEqual([
    {
      name: 'busy',
      operations: ['tokens.create'],
      status: 429,
      retry_after: 2,
      count: 2,
      when: 'before',
      share: 1,
      hits: 0,
    },
  ])
  expect((await window.host.status()).faults).toEqual(['busy'])
  const first = await create()
  expect(first.status).toBe(429)
  expect(first.headers.get('retry-after')).toBe('2')
  expect(first.headers.get('coffer-fault')).toBe('busy')
  expect(first.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(first.body).toMatchObject({
    status: 429,
    code: 'rate_limited',
    detail: expect.stringContaining('busy'),
  })
  expect((await ask('GET', '/permissions')).headers.get('coffer-fault')).toBeNull()
  expect((await create()).status).toBe(429)
  const third = await create()
  expect(third.status).toBe(201)
  expect(third.headers.get('coffer-fault')).toBeNull()
  expect((await ask('GET', '/_coffer/faults')).body.rules[0].hits).toBe(2)
  expect((await window.host.status()).faults).toEqual([])
  host.getEngine()?.flushLog()
  const { data } = await window.logs.list({ entity_type: 'token' })
  expect(data.filter(({ operation }) => operation === 'tokens.create')).toHaveLength(3)
})

test('O-05 the log record of a call names the fault that was applied to it', async () => {
  const { setFaults, create, events, host } = await startTestControls()
  await setFaults({ name: 'slow', delay_ms: 1, count: 1 }, { name: 'down', status: 500 })
  await create()
  await create()
  host.getEngine()?.flushLog()
  const notes = () =>
    events
      .flatMap((event) => (event.type === 'log' ? event.records : []))
      .filter(({ operation }) => operation === 'tokens.create')
      .map(({ status, note }) => [status, note])
  await expect.poll(notes).toEqual([
    [201, expect.stringMatching(/^fault slow; /)],
    [500, 'fault down'],
  ])
})

test('A-12 an idempotent retry finds the token of a response lost to a fault', async () => {
  const { ask, setFaults, keys } = await startTestControls()
  await setFaults({ name: 'lost', operations: ['tokens.*'], cut: true, when: 'after', count: 1 })
  const once = {
    key: keys.private,
    body: { type: 'token', data: 'x' },
    headers: { 'SVC-IDEMPOTENCY-KEY': 'a' },
  }
  await expect(ask('POST', '/tokens', once)).rejects.toThrow('fetch failed')
  const { body: again } = await ask('POST', '/tokens', once)
  const { body: list } = await ask('GET', '/v2/tokens', { key: keys.private })
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([again.id])
})

test('a fault that cuts the connection before the operation prevents the operation', async () => {
  const { ask, setFaults, create, keys } = await startTestControls()
  await setFaults({ name: 'gone', operations: ['tokens.create'], cut: true })
  await expect(create()).rejects.toThrow('fetch failed')
  expect((await ask('GET', '/v2/tokens', { key: keys.private })).body.data).toEqual([])
})

test('a delayed call continues when its fault is removed', async () => {
  const { ask, setFaults, create } = await startTestControls()
  await setFaults({ name: 'slow', delay_ms: 60_000, operations: ['tokens.create'] })
  const waiting = create()
  await expect.poll(async () => (await ask('GET', '/_coffer/faults')).body.rules[0].hits).toBe(1)
  await ask('DELETE', '/_coffer/faults')
  const { status, headers } = await waiting
  expect(status).toBe(201)
  expect(headers.get('coffer-fault')).toBe('slow')
})

test('a delayed call continues only when its own fault changes', async () => {
  const { ask, setFaults, create, keys } = await startTestControls()
  const slow = { name: 'slow', delay_ms: 60_000, operations: ['tokens.create'] }
  const late = { name: 'late', delay_ms: 60_000, operations: ['tokens.list'] }
  await setFaults(slow, late)
  let isCreated = false
  const waiting = create().then((answer) => {
    isCreated = true
    return answer
  })
  const listing = ask('GET', '/v2/tokens', { key: keys.private })
  await expect
    .poll(async () =>
      (await ask('GET', '/_coffer/faults')).body.rules.map(({ hits }: { hits: number }) => hits),
    )
    .toEqual([1, 1])
  await ask('DELETE', '/_coffer/faults/late')
  expect((await listing).status).toBe(200)
  // A later call gets its response, and the delayed one is still pending.
  expect((await ask('GET', '/permissions')).status).toBe(200)
  expect(isCreated).toBe(false)
  await ask('POST', '/_coffer/faults', { body: { ...slow, delay_ms: 1 } })
  expect((await waiting).status).toBe(201)
})

test('a listener closes while calls are delayed', async () => {
  const { setFaults, create, window, ask } = await startTestControls()
  await setFaults({ name: 'slow', delay_ms: 60_000, operations: ['tokens.create'] })
  const waiting = create()
  await expect.poll(async () => (await ask('GET', '/_coffer/faults')).body.rules[0].hits).toBe(1)
  await window.host.listenerOff()
  expect((await waiting).status).toBe(201)
})

test('a fault applies to its share of the calls', async () => {
  const { setFaults, ask } = await startTestControls()
  await setFaults({ name: 'flaky', operations: ['permissions.list'], status: 502, share: 0.5 })
  const statuses = await Promise.all(Array.from({ length: 60 }, () => ask('GET', '/permissions')))
  const hit = statuses.filter(({ status }) => status === 502).length
  expect(hit).toBeGreaterThan(5)
  expect(hit).toBeLessThan(55)
})

test('a reset restores the initial faults', async () => {
  const { setFaults, create, ask } = await startTestControls(inMemoryVault, {
    faults: [
      { name: 'first', operations: ['tokens.create'], status: 418, when: 'before', share: 1, count: 1 },
    ],
  })
  expect((await create()).status).toBe(418)
  await setFaults({ name: 'other', status: 500, operations: ['tokens.create'] })
  await ask('POST', '/_coffer/reset')
  expect((await create()).status).toBe(418)
  expect((await create()).status).toBe(201)
})

test('a fault with an invalid member is rejected with the name of the member', async () => {
  const { ask } = await startTestControls()
  const cases: [Json, string][] = [
    [{ name: 'a' }, 'rules[0]'],
    [{ name: 'a', status: 500, cut: true }, 'rules[0]'],
    [{ name: 'a', delay_ms: 1, retry_after: 1 }, 'rules[0]'],
    [{ name: 'a', status: 200 }, 'rules[0].status'],
    [{ name: 'a', status: 500, operations: ['tokens.creat'] }, 'rules[0].operations[0]'],
    [{ name: 'a\r\nb', status: 500 }, 'rules[0].name'],
    [{ name: 'a', status: 500, wait: 1 }, 'rules[0].wait'],
  ]
  for (const [rule, path] of cases) {
    const { status, body } = await ask('PUT', '/_coffer/faults', { body: { rules: [rule] } })
    expect([status, Object.keys(body.errors)]).toEqual([400, [path]])
  }
  expect((await ask('GET', '/_coffer/faults')).body.rules).toEqual([])
})

test('faults are added, replaced and removed by name', async () => {
  const { ask, create } = await startTestControls()
  const names = async () =>
    (await ask('GET', '/_coffer/faults')).body.rules.map(({ name }: { name: string }) => name)
  const busy = { name: 'busy', operations: ['tokens.create'], status: 503, count: 1 }
  expect((await ask('POST', '/_coffer/faults', { body: busy })).status).toBe(200)
  expect((await create()).status).toBe(503)
  const rules = [
    { name: 'slow', delay_ms: 1 },
    { name: 'gone', operations: ['tokens.get'], cut: true },
  ]
  const { body } = await ask('POST', '/_coffer/faults', { body: { rules } })
  expect(body.rules).toMatchObject([{ name: 'busy', hits: 1 }, { name: 'slow' }, { name: 'gone' }])
  expect((await create()).status).toBe(201)
  await ask('POST', '/_coffer/faults', { body: { ...busy, count: 2 } })
  expect(await names()).toEqual(['slow', 'gone', 'busy'])
  expect((await ask('DELETE', '/_coffer/faults/gone')).status).toBe(204)
  expect((await ask('DELETE', '/_coffer/faults/gone')).status).toBe(404)
  expect(await names()).toEqual(['slow', 'busy'])
  const rejected = await ask('POST', '/_coffer/faults', {
    body: { name: 'x', status: 500, operations: ['a.b'] },
  })
  expect([rejected.status, Object.keys(rejected.body.errors)]).toEqual([400, ['rules[0].operations[0]']])
  const unclear = await ask('POST', '/_coffer/faults', { body: { name: 'x', status: 200 } })
  expect([unclear.status, Object.keys(unclear.body.errors)]).toEqual([400, ['status']])
  expect(await names()).toEqual(['slow', 'busy'])
})
