import http from 'node:http'
import { expect, test } from 'vitest'
import { everythingChanged } from '../../shared/entity-changes.ts'
import type { Json } from '../../shared/json.ts'
import type { NewFaultRule } from '../../shared/schemas/fault.ts'
import { inMemoryVault, startHost, storedVault } from '../host/start-host.ts'

type ControlsHostOptions = Parameters<typeof startHost>[0]
type ControlsRequest = { key?: string; body?: Json; headers?: Record<string, string> }

/**
 * Starts a host with a listener and a vault, which is in memory by default. Returns its keys and functions for
 * requests.
 */
async function startTestControls(
  vault: typeof inMemoryVault | typeof storedVault = inMemoryVault,
  options: ControlsHostOptions = {},
) {
  const started = startHost(options)
  const { keys } = await started.window.host.createVault(vault)
  const listener = await started.window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const sendRequest = async (
    method: string,
    path: string,
    { key = keys.management, body, headers }: ControlsRequest = {},
  ) => {
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
  const createToken = async (body: Json = { type: 'token', data: 'x' }) =>
    sendRequest('POST', '/tokens', { key: keys.private, body })
  const getToken = (id: string) => sendRequest('GET', `/tokens/${id}`, { key: keys.private })
  const setFaults = (...rules: NewFaultRule[]) =>
    sendRequest('PUT', '/_coffer/faults', { body: { rules } as Json })
  return { ...started, keys, url: listener.url, sendRequest, createToken, getToken, setFaults }
}

test('a reset restores tokens, applications, settings, log and clock', async () => {
  const { sendRequest, createToken, getToken, keys } = await startTestControls()
  const { body: token } = await createToken()
  await sendRequest('PUT', '/tenants/self', {
    body: { name: 'Changed', settings: { log_retention_days: '1' } },
  })
  await sendRequest('POST', '/_coffer/clock', { body: { advance: 3600 } })
  const before = await sendRequest('GET', '/_coffer/clock')
  expect((await sendRequest('POST', '/_coffer/reset')).status).toBe(204)
  expect((await getToken(token.id)).status).toBe(404)
  expect((await sendRequest('GET', '/tenants/self')).body).toMatchObject({ name: 'in-memory' })
  expect((await sendRequest('GET', '/applications/key')).body.name).toBe('Management')
  const { body: log } = await sendRequest('GET', '/logs?entity_type=token')
  expect(log.data.map((each: { action: string }) => each.action)).toEqual(['tokens.get'])
  const after = await sendRequest('GET', '/_coffer/clock')
  expect(Date.parse(before.body.now) - Date.parse(after.body.now)).toBe(3_600_000)
  expect((await sendRequest('GET', '/v2/tokens', { key: keys.private })).body.data).toEqual([])
  expect((await createToken()).status).toBe(201)
})

test('a reset or a restored snapshot is announced as a change of everything', async () => {
  const { sendRequest, createToken, events } = await startTestControls()
  const listChanges = () => events.flatMap((event) => (event.type === 'changes' ? event.changes : []))
  await createToken()
  await expect.poll(listChanges).toContainEqual(expect.objectContaining({ entity: 'token', kind: 'created' }))
  await sendRequest('PUT', '/_coffer/snapshots/one')
  for (const path of ['/_coffer/reset', '/_coffer/snapshots/one/restore']) {
    events.length = 0
    await sendRequest('POST', path)
    await expect.poll(listChanges).toEqual(expect.arrayContaining([...everythingChanged]))
  }
})

test('calls in flight during a reset complete, and later calls succeed', async () => {
  const { sendRequest, createToken } = await startTestControls()
  const calls = Array.from({ length: 20 }, () => createToken())
  const [reset, ...responses] = await Promise.all([sendRequest('POST', '/_coffer/reset'), ...calls])
  expect(reset?.status).toBe(204)
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
  expect((await createToken()).status).toBe(201)
})

test('snapshots are saved, listed, replaced and restored by name', async () => {
  const { sendRequest, createToken, getToken } = await startTestControls()
  const { body: first } = await createToken()
  expect((await sendRequest('PUT', '/_coffer/snapshots/one')).status).toBe(204)
  const { body: second } = await createToken()
  await sendRequest('PUT', '/_coffer/snapshots/two')
  expect(
    (await sendRequest('GET', '/_coffer/snapshots')).body.data.map(({ name }: { name: string }) => name),
  ).toEqual(['one', 'two'])
  expect((await sendRequest('POST', '/_coffer/snapshots/one/restore')).status).toBe(204)
  expect([(await getToken(first.id)).status, (await getToken(second.id)).status]).toEqual([200, 404])
  await sendRequest('POST', '/_coffer/snapshots/two/restore')
  expect((await getToken(second.id)).status).toBe(200)
  await sendRequest('PUT', '/_coffer/snapshots/one')
  await sendRequest('POST', '/_coffer/reset')
  await sendRequest('POST', '/_coffer/snapshots/one/restore')
  expect((await getToken(second.id)).status).toBe(200)
  const none = await sendRequest('POST', '/_coffer/snapshots/none/restore')
  expect([none.status, none.body.detail]).toEqual([
    404,
    'There is no snapshot called none. Snapshots: one, two.',
  ])
  expect((await sendRequest('PUT', '/_coffer/snapshots/a%2fb')).status).toBe(400)
})

test('T-14 moving the clock expires tokens and deletes them immediately', async () => {
  const { sendRequest, createToken, getToken, host } = await startTestControls()
  const { body: token } = await createToken({ type: 'token', data: 'x', expires_at: '2030-01-01T12:00:00Z' })
  expect((await sendRequest('POST', '/_coffer/clock', { body: { advance: 3600 } })).body).toEqual({
    now: '2030-01-01T01:00:00.000+00:00',
  })
  expect((await getToken(token.id)).status).toBe(200)
  await sendRequest('POST', '/_coffer/clock', { body: { now: '2030-01-01T13:00:00+01:00' } })
  expect((await getToken(token.id)).status).toBe(404)
  host.getEngine()?.outcomes.flushLog()
  const { body: log } = await sendRequest('GET', `/logs?entity_id=${token.id}`)
  expect(log.data.map((each: { action: string }) => each.action)).toContain('tokens.expire')
})

test('T-15 O-04 A-12 moving the clock also expires cvc, sessions and idempotency keys', async () => {
  const { sendRequest, createToken, keys, host } = await startTestControls()
  const card = { number: '4242424242424242', cvc: '123' }
  const { body: token } = await createToken({ type: 'card', data: card })
  const { body: session } = await sendRequest('POST', '/sessions', { key: keys.public })
  const once = {
    key: keys.private,
    body: { type: 'token', data: 'x' },
    headers: { 'SVC-IDEMPOTENCY-KEY': 'a' },
  }
  const { body: first } = await sendRequest('POST', '/tokens', once)
  expect((await sendRequest('POST', '/tokens', once)).body.id).toBe(first.id)
  await sendRequest('POST', '/_coffer/clock', { body: { advance: 3601 } })
  const reveal = await host.getEngine()?.call('tokens.reveal', { id: token.id }, { kind: 'owner' })
  expect(reveal?.output).toMatchObject({ data: { number: card.number } })
  expect(JSON.stringify(reveal?.output)).not.toContain('cvc')
  expect((await sendRequest('GET', '/permissions', { key: session.session_key })).status).toBe(401)
  await sendRequest('POST', '/_coffer/clock', { body: { advance: 86_400 } })
  expect((await sendRequest('POST', '/tokens', once)).body.id).not.toBe(first.id)
})

test('the clock rejects invalid times', async () => {
  const { sendRequest } = await startTestControls()
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
    expect([body, (await sendRequest('POST', '/_coffer/clock', { body })).status]).toEqual([body, 400])
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
  const { sendRequest, keys, window, url } = await startTestControls()
  const { key: weak } = await window.applications.create({
    name: 'Weak',
    type: 'management',
    permissions: ['application:read', 'log:read'],
  })
  for (const [method, path] of controls) {
    const fetchStatus = async (options: ControlsRequest) => [
      method,
      path,
      (await sendRequest(method, path, options)).status,
    ]
    expect(await fetchStatus({ key: 'key_local_mgt_unknown' })).toEqual([method, path, 401])
    expect(await fetchStatus({ key: keys.private })).toEqual([method, path, 403])
    expect(await fetchStatus({ key: keys.public })).toEqual([method, path, 403])
    expect(await fetchStatus({ key: weak as string })).toEqual([method, path, 403])
    expect(await fetchStatus({ headers: { Origin: 'http://evil.test' } })).toEqual([method, path, 403])
    expect((await fetch(url + path, { method })).status).toBe(401)
    expect(await fetchRebound(url, method, path, keys.management)).toBe(403)
  }
  window.host.lock()
  await expect.poll(async () => (await sendRequest('POST', '/_coffer/reset')).status).toBe(423)
})

/** Returns the status of a request whose Host header has a foreign name, as after DNS rebinding. */
function fetchRebound(url: string, method: string, path: string, key: string): Promise<number | undefined> {
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
  const { sendRequest, createToken, getToken, keys } = await startTestControls(storedVault)
  const { body: token } = await createToken()
  for (const [method, path] of controls) expect((await sendRequest(method, path)).status).toBe(404)
  expect((await getToken(token.id)).status).toBe(200)
  expect((await sendRequest('POST', '/_coffer/reset', { key: keys.private })).status).toBe(403)
})

test('a vault on disk allows only faults as test controls, if its owner enables them', async () => {
  const { sendRequest, setFaults, createToken } = await startTestControls(storedVault, { faults: [] })
  expect((await setFaults({ name: 'down', status: 503 })).status).toBe(200)
  expect((await createToken()).status).toBe(503)
  expect((await sendRequest('DELETE', '/_coffer/faults')).status).toBe(204)
  expect((await createToken()).status).toBe(201)
  expect((await sendRequest('POST', '/_coffer/reset')).status).toBe(404)
})

test('a fault responds with its status up to its count, and a header names it', async () => {
  const { sendRequest, setFaults, createToken, host, window } = await startTestControls()
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
  const first = await createToken()
  expect(first.status).toBe(429)
  expect(first.headers.get('retry-after')).toBe('2')
  expect(first.headers.get('coffer-fault')).toBe('busy')
  expect(first.headers.get('content-type')).toMatch(/^application\/json/)
  expect(first.body).toMatchObject({
    status: 429,
    code: 'rate_limited',
    detail: expect.stringContaining('busy'),
  })
  expect((await sendRequest('GET', '/permissions')).headers.get('coffer-fault')).toBeNull()
  expect((await createToken()).status).toBe(429)
  const third = await createToken()
  expect(third.status).toBe(201)
  expect(third.headers.get('coffer-fault')).toBeNull()
  expect((await sendRequest('GET', '/_coffer/faults')).body.rules[0].hits).toBe(2)
  expect((await window.host.status()).faults).toEqual([])
  host.getEngine()?.outcomes.flushLog()
  const { data } = await window.logs.list({ entity_type: 'token' })
  expect(data.filter(({ action }) => action === 'tokens.create')).toHaveLength(3)
})

test('O-05 the log record of a call names the fault that was applied to it', async () => {
  const { setFaults, createToken, events, host } = await startTestControls()
  await setFaults({ name: 'slow', delay_ms: 1, count: 1 }, { name: 'down', status: 500 })
  await createToken()
  await createToken()
  host.getEngine()?.outcomes.flushLog()
  const listNotes = () =>
    events
      .flatMap((event) => (event.type === 'log' ? event.records : []))
      .filter(({ operation }) => operation === 'tokens.create')
      .map(({ status, note }) => [status, note])
  await expect.poll(listNotes).toEqual([
    [201, expect.stringMatching(/^fault slow; /)],
    [500, 'fault down'],
  ])
})

test('A-12 an idempotent retry finds the token of a response lost to a fault', async () => {
  const { sendRequest, setFaults, keys } = await startTestControls()
  await setFaults({ name: 'lost', operations: ['tokens.*'], cut: true, when: 'after', count: 1 })
  const once = {
    key: keys.private,
    body: { type: 'token', data: 'x' },
    headers: { 'SVC-IDEMPOTENCY-KEY': 'a' },
  }
  await expect(sendRequest('POST', '/tokens', once)).rejects.toThrow('fetch failed')
  const { body: again } = await sendRequest('POST', '/tokens', once)
  const { body: list } = await sendRequest('GET', '/v2/tokens', { key: keys.private })
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([again.id])
})

test('a fault that cuts the connection before the operation prevents the operation', async () => {
  const { sendRequest, setFaults, createToken, keys } = await startTestControls()
  await setFaults({ name: 'gone', operations: ['tokens.create'], cut: true })
  await expect(createToken()).rejects.toThrow('fetch failed')
  expect((await sendRequest('GET', '/v2/tokens', { key: keys.private })).body.data).toEqual([])
})

test('a delayed call continues when its fault is removed', async () => {
  const { sendRequest, setFaults, createToken } = await startTestControls()
  await setFaults({ name: 'slow', delay_ms: 60_000, operations: ['tokens.create'] })
  const waiting = createToken()
  await expect.poll(async () => (await sendRequest('GET', '/_coffer/faults')).body.rules[0].hits).toBe(1)
  await sendRequest('DELETE', '/_coffer/faults')
  const { status, headers } = await waiting
  expect(status).toBe(201)
  expect(headers.get('coffer-fault')).toBe('slow')
})

test('a delayed call continues only when its own fault changes', async () => {
  const { sendRequest, setFaults, createToken, keys } = await startTestControls()
  const slow = { name: 'slow', delay_ms: 60_000, operations: ['tokens.create'] }
  const late = { name: 'late', delay_ms: 60_000, operations: ['tokens.list'] }
  await setFaults(slow, late)
  let isCreated = false
  const waiting = createToken().then((response) => {
    isCreated = true
    return response
  })
  const listing = sendRequest('GET', '/v2/tokens', { key: keys.private })
  await expect
    .poll(async () =>
      (await sendRequest('GET', '/_coffer/faults')).body.rules.map(({ hits }: { hits: number }) => hits),
    )
    .toEqual([1, 1])
  await sendRequest('DELETE', '/_coffer/faults/late')
  expect((await listing).status).toBe(200)
  // A later call gets its response, and the delayed one is still pending.
  expect((await sendRequest('GET', '/permissions')).status).toBe(200)
  expect(isCreated).toBe(false)
  await sendRequest('POST', '/_coffer/faults', { body: { ...slow, delay_ms: 1 } })
  expect((await waiting).status).toBe(201)
})

test('a delayed call is not released when the window removes another fault', async () => {
  const { sendRequest, setFaults, createToken, keys, window } = await startTestControls()
  const slow: NewFaultRule = { name: 'slow', delay_ms: 60_000, operations: ['tokens.create'] }
  const late: NewFaultRule = { name: 'late', delay_ms: 60_000, operations: ['tokens.list'] }
  await setFaults(slow, late)
  let isCreated = false
  const waiting = createToken().then((response) => {
    isCreated = true
    return response
  })
  const listing = sendRequest('GET', '/v2/tokens', { key: keys.private })
  await expect.poll(async () => (await window.host.faults()).rules.map(({ hits }) => hits)).toEqual([1, 1])
  await window.host.setFaults({ rules: [slow] })
  expect((await listing).status).toBe(200)
  expect((await sendRequest('GET', '/permissions')).status).toBe(200)
  expect(isCreated).toBe(false)
  await window.host.setFaults({ rules: [] })
  expect((await waiting).status).toBe(201)
})

test('a listener closes while calls are delayed', async () => {
  const { setFaults, createToken, window, sendRequest } = await startTestControls()
  await setFaults({ name: 'slow', delay_ms: 60_000, operations: ['tokens.create'] })
  const waiting = createToken()
  await expect.poll(async () => (await sendRequest('GET', '/_coffer/faults')).body.rules[0].hits).toBe(1)
  await window.host.listenerOff()
  expect((await waiting).status).toBe(201)
})

test('a fault applies to its share of the calls', async () => {
  const { setFaults, sendRequest } = await startTestControls()
  await setFaults({ name: 'flaky', operations: ['permissions.list'], status: 502, share: 0.5 })
  const statuses = await Promise.all(Array.from({ length: 60 }, () => sendRequest('GET', '/permissions')))
  const hit = statuses.filter(({ status }) => status === 502).length
  expect(hit).toBeGreaterThan(5)
  expect(hit).toBeLessThan(55)
})

test('a reset restores the initial faults', async () => {
  const { setFaults, createToken, sendRequest } = await startTestControls(inMemoryVault, {
    faults: [
      { name: 'first', operations: ['tokens.create'], status: 418, when: 'before', share: 1, count: 1 },
    ],
  })
  expect((await createToken()).status).toBe(418)
  await setFaults({ name: 'other', status: 500, operations: ['tokens.create'] })
  await sendRequest('POST', '/_coffer/reset')
  expect((await createToken()).status).toBe(418)
  expect((await createToken()).status).toBe(201)
})

test('a fault with an invalid member is rejected with the name of the member', async () => {
  const { sendRequest } = await startTestControls()
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
    const { status, body } = await sendRequest('PUT', '/_coffer/faults', { body: { rules: [rule] } })
    expect([status, Object.keys(body.errors)]).toEqual([400, [path]])
  }
  expect((await sendRequest('GET', '/_coffer/faults')).body.rules).toEqual([])
})

test('faults are added, replaced and removed by name', async () => {
  const { sendRequest, createToken } = await startTestControls()
  const listNames = async () =>
    (await sendRequest('GET', '/_coffer/faults')).body.rules.map(({ name }: { name: string }) => name)
  const busy = { name: 'busy', operations: ['tokens.create'], status: 503, count: 1 }
  expect((await sendRequest('POST', '/_coffer/faults', { body: busy })).status).toBe(200)
  expect((await createToken()).status).toBe(503)
  const rules = [
    { name: 'slow', delay_ms: 1 },
    { name: 'gone', operations: ['tokens.get'], cut: true },
  ]
  const { body } = await sendRequest('POST', '/_coffer/faults', { body: { rules } })
  expect(body.rules).toMatchObject([{ name: 'busy', hits: 1 }, { name: 'slow' }, { name: 'gone' }])
  expect((await createToken()).status).toBe(201)
  await sendRequest('POST', '/_coffer/faults', { body: { ...busy, count: 2 } })
  expect(await listNames()).toEqual(['slow', 'gone', 'busy'])
  expect((await sendRequest('DELETE', '/_coffer/faults/gone')).status).toBe(204)
  expect((await sendRequest('DELETE', '/_coffer/faults/gone')).status).toBe(404)
  expect(await listNames()).toEqual(['slow', 'busy'])
  const rejected = await sendRequest('POST', '/_coffer/faults', {
    body: { name: 'x', status: 500, operations: ['a.b'] },
  })
  expect([rejected.status, Object.keys(rejected.body.errors)]).toEqual([400, ['rules[0].operations[0]']])
  const unclear = await sendRequest('POST', '/_coffer/faults', { body: { name: 'x', status: 200 } })
  expect([unclear.status, Object.keys(unclear.body.errors)]).toEqual([400, ['status']])
  expect(await listNames()).toEqual(['slow', 'busy'])
})
