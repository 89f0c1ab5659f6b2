import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

test.each([
  ['POST', '/connections/stripe-forward/tokenize', 'Wallet connections'],
  ['GET', '/reactor-formulas', 'Reactor formulas'],
])('O-07 %s %s gives a 404 that names the missing area %s', async (method, path, area) => {
  const { request } = await startListener()
  const response = await request(method, path, { headers: { 'Content-Type': 'application/json' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    404,
    'application/json; charset=utf-8',
  ])
  expect(response.body).toEqual({
    title: 'Not Found',
    status: 404,
    code: 'not_found',
    detail: `This operation is not part of this version of Coffer: ${area}.`,
  })
})

test('O-07 a path outside the known areas gives an ordinary 404', async () => {
  const { request } = await startListener()
  for (const path of ['/nothing', '/webhooksies', '/tenants', '/tenants/self/nothing']) {
    expect((await request('GET', path)).body).toMatchObject({
      status: 404,
      detail: 'This path does not exist.',
    })
  }
})

test('O-07 a call of a missing area with a valid key is recorded with its area and pattern', async () => {
  const { request, vault } = await startListener()
  const { id, key } = await vault.application({ permissions: ['token:read'] })
  const sendAs = (caller: string) =>
    request('PUT', '/connections/4242424242424242/stripe-forward?a=b', { key: caller, body: { a: 'secret' } })
  const statuses = [await sendAs(key), await sendAs(''), await sendAs('key_local_pvt_wrong')].map(
    ({ status }) => status,
  )
  expect(statuses).toEqual([404, 404, 404])
  await request('GET', '/nothing', { key })
  expect((await vault.owner.logs.list({ status: '4xx' })).data).toMatchObject([
    {
      actor_id: id,
      actor_type: 'application',
      action: 'vault.refuseUnbuilt',
      method: 'PUT',
      path: '/connections/…/stripe-forward',
      key_hint: key.slice(-4),
      status: 404,
      note: 'This operation is not part of this version of Coffer: Wallet connections.',
    },
  ])
})
