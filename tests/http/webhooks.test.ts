import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { isObject, type Json } from '../../shared/json.ts'
import { membersOf } from '../../shared/webhook-events.ts'
import { type Event, telling } from '../engine/webhooks/told.ts'
import { startListener } from '../listener.ts'
import { number, startProxy } from './start-proxy.ts'

const hook = (...events: string[]) => ({ name: 'Hook', url: 'http://localhost:1/hook', events })

function pathsOf(value: Json | undefined, listed: readonly string[], path = ''): string[] {
  if (listed.some((each) => each.replace('?', '') === path) || !isObject(value)) return [path]
  return Object.entries(value).flatMap(([name, each]) =>
    pathsOf(each, listed, path === '' ? name : `${path}.${name}`),
  )
}

function expectMembers({ type, data: { actor: _, ...data } }: Event, optional: readonly string[]) {
  const listed = membersOf(type)
  const expected = listed.flatMap((each) =>
    each.endsWith('?') ? (optional.includes(each) ? [each.slice(0, -1)] : []) : [each],
  )
  expect(pathsOf(data as Json, listed).sort()).toEqual(expected.sort())
}

/** The event that a call has caused, once it is there: it is written after the answer. */
async function eventually(told: () => Event[]): Promise<Event> {
  for (;;) {
    const [event] = told()
    if (event) return event
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('W-01 /ping is 200 and empty, without a key', async () => {
  const { request } = await startListener()
  const answer = await request('GET', '/ping')
  expect([answer.status, answer.text]).toEqual([200, ''])
})

test('W-03 the public key is served as PEM without an API key', async () => {
  const { url, vault } = await startListener()
  const answer = await fetch(`${url}/.well-known/webhooks.v1.key`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-pem-file'])
  const signing = createPublicKey(await vault.engine.outbox.signingKey())
  expect(createPublicKey(await answer.text()).equals(signing)).toBe(true)
  vault.engine.close()
  expect((await fetch(`${url}/.well-known/webhooks.v1.key`)).status).toBe(423)
})

test('W-01 http.request tells method, path, status, and headers that give nothing away', async () => {
  const { request, vault } = await startListener()
  const { told } = telling(vault)
  await vault.owner.webhooks.create(hook('http.request'))
  const { key, id } = await vault.application({ permissions: ['token:read'] })
  await request('GET', `/tokens/${number}?x=${number}`, {
    key,
    headers: { 'X-Note': `number ${number}!`, Authorization: 'Basic abcdefghijklmnop', 'X-Short': '4242' },
  })
  const event = await eventually(told)
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
    response: { status: 400, headers: { 'content-type': ['application/problem+json; charset=utf-8'] } },
  })
  expect(JSON.stringify(event)).not.toContain(number)
  expect(JSON.stringify(event)).not.toContain(key)
  await request('GET', '/tokens/x', { key: 'key_local_pvt_unknown' })
  await request('GET', '/ping')
  expect(told()).toEqual([])
})

test('W-05 X-58 proxy.invoked tells of a call without a value of any token', async () => {
  const { vault, call, id, make } = await startProxy()
  const { told } = telling(vault)
  await vault.owner.webhooks.create(hook('proxy.invoked'))
  const proxy = await make({})
  await call('POST', `/proxy/charges?number=${number}`, {
    headers: {
      'BT-PROXY-KEY': proxy.key,
      'Content-Type': 'application/json',
      'X-Card': `{{ ${id} | json: '$.number' }}`,
    },
    body: JSON.stringify({ number: `{{ ${id} | json: '$.number' }}`, cvc: `{{ ${id} | json: '$.cvc' }}` }),
  })
  const event = await eventually(told)
  const failed = event.data.proxy?.response as { error?: string }
  expectMembers(event, failed.error === undefined ? [] : ['proxy.response.error?'])
  expect(event.data).toMatchObject({
    actor: { type: 'application' },
    proxy: { id: proxy.id, type: 'pre-configured' },
    destination: { request: { method: 'POST' } },
  })
  expect(JSON.stringify(event)).not.toContain(number)
  // In the file it is sealed, like an exchange.
  const calls = await vault.owner.exchanges.list({})
  expect(calls.data).toEqual([])
})
