import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { isObject, type Json } from '../../shared/json.ts'
import { listEventFields } from '../../shared/webhook-events.ts'
import { captureEvents, type Event } from '../engine/webhooks/received-events.ts'
import { startListener } from '../listener.ts'
import { waitFor } from '../wait-for.ts'
import { number, startProxy } from './start-proxy.ts'
import { startReactors } from './start-reactors.ts'

type DescribedRoute = { security: unknown; responses: Record<string, { content?: object }> }
type RoutesDocument = { paths: Record<string, unknown> }

const createHook = (...events: string[]) => ({ name: 'Hook', url: 'http://localhost:1/hook', events })

function listPaths(value: Json | undefined, listed: readonly string[], path = ''): string[] {
  if (listed.some((each) => each.replace('?', '') === path) || !isObject(value)) return [path]
  return Object.entries(value).flatMap(([name, each]) =>
    listPaths(each, listed, path === '' ? name : `${path}.${name}`),
  )
}

function expectMembers({ type, data: { actor: _, ...data } }: Event, optional: readonly string[]) {
  const listed = listEventFields(type)
  const expected = listed.flatMap((each) =>
    each.endsWith('?') ? (optional.includes(each) ? [each.slice(0, -1)] : []) : [each],
  )
  expect(listPaths(data as Json, listed).sort()).toEqual(expected.sort())
}

/** Waits for the event that a call caused, because it is stored only after the response. */
async function waitForEvent(takeEvents: () => Event[]): Promise<Event> {
  return (await waitForEvents(takeEvents, 1))[0] as Event
}

/** Waits for this many events, and returns them in order. */
async function waitForEvents(takeEvents: () => Event[], count: number): Promise<Event[]> {
  const all: Event[] = []
  await waitFor(() => {
    all.push(...takeEvents())
    expect(all.length).toBeGreaterThanOrEqual(count)
  })
  return all
}

test('W-03 the public key is served as PEM without an API key', async () => {
  const { url, vault } = await startListener()
  const response = await fetch(`${url}/.well-known/webhooks.v1.key`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-pem-file'])
  const signing = createPublicKey(await vault.engine.outbox.getSigningKey())
  expect(createPublicKey(await response.text()).equals(signing)).toBe(true)
  vault.engine.close()
  expect((await fetch(`${url}/.well-known/webhooks.v1.key`)).status).toBe(423)
})

test('A-16 W-03 OpenAPI describes the routes that need no key', async () => {
  const { url } = await startListener()
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as RoutesDocument
  for (const path of ['/ping', '/.well-known/webhooks.v1.key']) {
    const { security, responses } = (paths[path] as { get: DescribedRoute }).get
    expect(security).toEqual([])
    const response = await fetch(url + path)
    const [type] = Object.keys(responses[200]?.content ?? {})
    expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, type ?? null])
    expect((await response.text()) === '').toBe(type === undefined)
  }
})

test('W-01 http.request has method, path, status and safe headers', async () => {
  const { request, vault } = await startListener({ strict: true })
  const { takeEvents } = captureEvents(vault)
  await vault.owner.webhooks.create(createHook('http.request'))
  const { key, id } = await vault.application({ permissions: ['token:read'] })
  await request('GET', `/tokens/${number}?x=${number}`, {
    key,
    headers: { 'X-Note': `number ${number}!`, Authorization: 'Basic abcdefghijklmnop', 'X-Short': '4242' },
  })
  const event = await waitForEvent(takeEvents)
  expectMembers(event, [])
  expect(event.data).toMatchObject({
    actor: { id, type: 'application' },
    request: {
      method: 'GET',
      path: '/tokens/XXXXXXXXXXXX4242',
      headers: {
        'svc-api-key': [expect.stringMatching(/^ke\*\*\*.. \(length \d+\)$/)],
        'x-note': ['nu***2! (length 24)'],
        authorization: ['*******'],
        'x-short': ['*******'],
      },
    },
    response: { status: 400, headers: { 'content-type': ['application/json; charset=utf-8'] } },
  })
  expect(JSON.stringify(event)).not.toContain(number)
  expect(JSON.stringify(event)).not.toContain(key)
  await request('GET', '/tokens/x', { key: 'key_local_pvt_unknown' })
  await request('GET', '/ping')
  expect(takeEvents()).toEqual([])
})

test('W-05 X-58 proxy.invoked contains no token values', async () => {
  const { vault, callProxy, id, createProxy } = await startProxy()
  const { takeEvents } = captureEvents(vault)
  await vault.owner.webhooks.create(createHook('proxy.invoked'))
  const proxy = await createProxy({})
  await callProxy('POST', `/proxy/charges?number=${number}`, {
    headers: {
      'BT-PROXY-KEY': proxy.key,
      'Content-Type': 'application/json',
      'X-Card': `{{ ${id} | json: '$.number' }}`,
    },
    body: JSON.stringify({ number: `{{ ${id} | json: '$.number' }}`, cvc: `{{ ${id} | json: '$.cvc' }}` }),
  })
  const event = await waitForEvent(takeEvents)
  const failed = event.data.proxy?.response as { error?: string }
  expectMembers(event, failed.error === undefined ? [] : ['proxy.response.error?'])
  expect(event.data).toMatchObject({
    actor: { type: 'application' },
    proxy: { id: proxy.id, type: 'pre-configured' },
    destination: { request: { method: 'POST' } },
  })
  expect(JSON.stringify(event)).not.toContain(number)
  // The event does not cause the call to be stored as an exchange.
  const calls = await vault.owner.exchanges.list({})
  expect(calls.data).toEqual([])
})

const runs = ['reactor.invoked', 'reactor.completed', 'reactor.failed']

test('W-01 a reactor run sends events when it starts and ends', async () => {
  const { vault, runReactor, app_id } = await startReactors()
  const { takeEvents } = captureEvents(vault)
  await vault.owner.webhooks.create(createHook(...runs))
  const { status } = await runReactor('module.exports = () => ({ raw: 1 })')
  expect(status).toBe(200)
  const [invoked, completed] = await waitForEvents(takeEvents, 2)
  for (const event of [invoked, completed] as Event[]) {
    expectMembers(event, [])
    expect(event.data).toMatchObject({
      actor: { id: app_id, type: 'application' },
      reactor: { name: 'test' },
      request: { invocation_type: 'sync' },
    })
  }
  expect([invoked?.type, completed?.type]).toEqual(['reactor.invoked', 'reactor.completed'])
  expect(completed?.trace_id).toBe(invoked?.trace_id)
  expect(completed?.data.elapsed_ms).toEqual(expect.any(Number))
})

test('W-05 X-58 reactor.failed contains no token values', async () => {
  const { vault, runReactor, card } = await startReactors()
  const { takeEvents } = captureEvents(vault)
  await vault.owner.webhooks.create(createHook(...runs))
  const code = `module.exports = ({ args }) => {
    const error = new Error('refused ' + args.number)
    throw Object.assign(error, { status: 402, data: { card: ['refused ' + args.number] } })
  }`
  await runReactor(code, { number: `{{ ${card} | json: '$.number' }}` })
  const [, failed] = await waitForEvents(takeEvents, 2)
  expect(failed?.type).toBe('reactor.failed')
  expectMembers(failed as Event, [])
  expect(failed?.data.error).toEqual(expect.stringMatching(/./))
  expect(JSON.stringify(failed)).not.toContain(number)
  // A call that is rejected starts no run, so it causes no events.
  await runReactor('module.exports = () => ({})', { n: `{{ ${card} | nothing }}` })
  await runReactor('module.exports = () => { throw "last" }')
  const [invoked, last] = await waitForEvents(takeEvents, 2)
  expect([invoked?.type, last?.type]).toEqual(['reactor.invoked', 'reactor.failed'])
})

test('W-01 events of an asynchronous run have the request id, and a retry sends none', async () => {
  const { vault, storeReactor, request, waitForResult } = await startReactors()
  const { takeEvents } = captureEvents(vault)
  await vault.owner.webhooks.create(createHook(...runs))
  const id = await storeReactor('module.exports = () => ({ raw: 1 })')
  const reactAsync = () =>
    request('POST', `/reactors/${id}/react-async`, {
      body: { args: {} },
      headers: { 'SVC-IDEMPOTENCY-KEY': 'one' },
    })
  const request_id = (await reactAsync()).body.asyncReactorRequestId
  await waitForResult(id, request_id)
  await reactAsync()
  const events = await waitForEvents(takeEvents, 2)
  for (const event of events) {
    expectMembers(event, ['request.id?'])
    expect(event.data.request).toEqual({ id: request_id, invocation_type: 'async' })
  }
  const failing = await storeReactor('module.exports = () => { throw new Error("no") }')
  await request('POST', `/reactors/${failing}/react-async`, { body: { args: {} } })
  const all = [...events, ...(await waitForEvents(takeEvents, 2))]
  expect(all.map(({ type }) => type)).toEqual([
    'reactor.invoked',
    'reactor.completed',
    'reactor.invoked',
    'reactor.failed',
  ])
})
