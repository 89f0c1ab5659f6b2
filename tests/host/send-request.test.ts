import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { catchProblem } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { inMemoryVault, startHost } from './start-host.ts'

test('a request to the open listener returns status, headers and body unchanged', async () => {
  const { window } = startHost()
  const { keys } = await window.host.createVault(inMemoryVault)
  await window.host.listenerOn()
  const made = await window.host.request({
    method: 'POST',
    path: '/tokens',
    headers: { 'svc-api-key': keys.private, 'content-type': 'application/json', 'svc-trace-id': 'trace-1' },
    body: JSON.stringify({ type: 'token', data: 'x' }),
  })
  expect(made.status).toBe(201)
  expect(made.headers).toMatchObject({ 'svc-trace-id': 'trace-1' })
  const { id } = JSON.parse(made.body)
  expect(made.headers.location).toBe(`/tokens/${id}`)
  const refused = await window.host.request({ method: 'GET', path: `/tokens/${id}`, headers: {} })
  expect([refused.status, refused.headers['content-type']]).toEqual([
    401,
    expect.stringContaining('application/json'),
  ])
})

test('the window cannot send a request to another host or with other headers', async () => {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  await window.host.listenerOn()
  for (const path of ['http://example.test/', '@example.test/', '']) {
    const problem = await catchProblem(window.host.request({ method: 'GET', path, headers: {} }))
    expect(problem.status).toBe(400)
  }
  const sneaky = await window.host.request({ method: 'GET', path: '//example.test/tokens', headers: {} })
  expect(sneaky.status).toBe(404)
  const headers = { host: 'example.test' } as never
  expect((await catchProblem(window.host.request({ method: 'GET', path: '/tokens', headers }))).status).toBe(
    400,
  )
})

test('a key that is not a valid header value is rejected without quoting it', async () => {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  await window.host.listenerOn()
  const headers = { 'svc-api-key': 'key_local_pvt_…' }
  const problem = await catchProblem(window.host.request({ method: 'GET', path: '/tokens', headers }))
  expect(problem).toMatchObject({ status: 400, errors: { headers: [expect.stringContaining('character')] } })
  expect(JSON.stringify(problem)).not.toContain('key_local')
})

test('a request that waits for its response can be cancelled', async () => {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  await window.host.listenerOn()
  await window.host.setFaults({ rules: [{ name: 'slow', operations: ['tokens.*'], delay_ms: 60_000 }] })
  const headers = { 'svc-trace-id': 'slow-1' }
  const sent = catchProblem(window.host.request({ method: 'GET', path: '/tokens', headers }))
  await waitFor(async () => (await window.host.faults()).rules[0]?.hits === 1)
  await window.host.cancelRequest({ trace_id: 'another' })
  await window.host.cancelRequest({ trace_id: 'slow-1' })
  expect(await sent).toMatchObject({ code: 'cancelled', detail: 'The request was cancelled.' })
})

test('a request while the listener is off rejects with that reason', async () => {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  const problem = await catchProblem(window.host.request({ method: 'GET', path: '/tokens', headers: {} }))
  expect(problem).toMatchObject({ status: 409, detail: expect.stringContaining('listener is off') })
})

test('a request for a document returns its content', async () => {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  const state = await window.host.listenerOn()
  const url = state.state === 'on' ? state.url : ''
  const served = await (await fetch(`${url}/openapi.json`)).json()
  expect(served.servers).toEqual([{ url }])
  expect(await window.host.openApi()).toEqual(openApi(url, { strict: true }))
})
