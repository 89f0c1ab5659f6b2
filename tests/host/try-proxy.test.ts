import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { waitFor } from '../wait-for.ts'
import { inMemoryVault, startHost } from './start-host.ts'

/** Opens a vault whose listener stays off, with the key of an application that may call proxies. */
async function startTrials() {
  const { host, window } = startHost()
  await window.host.createVault(inMemoryVault)
  const { key = '' } = await window.applications.create({
    name: 'Trial',
    type: 'private',
    permissions: ['proxy:invoke', 'token:create'],
  })
  const { id } = await window.tokens.create({ type: 'token', data: 'canary-value' })
  const tryProxy = (more: object) =>
    window.host.tryProxy({ proxy_key: null, method: 'POST', path: '/v1/charges', key, ...more })
  const findExchange = (trace_id: string) =>
    waitFor(async () => {
      const [match] = (await window.exchanges.list({ trace_id })).data
      return window.exchanges.get({ id: match?.id ?? '' })
    })
  return { host, window, key, id, tryProxy, findExchange }
}

test('G-07 G-08 the window tries a proxy while the listener is off', async () => {
  const { window, id, tryProxy, findExchange } = await startTrials()
  const { status, trace_id } = await tryProxy({ path: '/v1/charges?a=1', body: `{"value":"{{ ${id} }}"}` })
  expect(status).toBe(200)
  expect((await window.host.status()).listener.state).toBe('off')
  const exchange = await findExchange(trace_id)
  expect(exchange).toMatchObject({ method: 'POST', status: 200, path: '/v1/charges' })
  expect(JSON.stringify(exchange)).not.toContain('canary-value')
  const records = (await window.logs.list({ action: 'proxies.invoke' })).data
  const ofProgram = { actor_type: 'application', status: 200, path: '/proxy/v1/charges', trace_id }
  // One record each for the inserted token and for the response.
  expect(records).toMatchObject([ofProgram, ofProgram])
})

test('a trial tells a rejection of the destination from one of the proxy', async () => {
  const { window, tryProxy } = await startTrials()
  const { url } = await startDestination((_request, response) => void response.writeHead(401).end())
  const { key: proxy_key } = await window.proxies.create({ name: 'Refusing', destination_url: url })
  expect(await tryProxy({ proxy_key })).toMatchObject({ status: 401, rejection: null })
})

test('G-07 a trial goes through the transforms of a proxy', async () => {
  const { window, tryProxy, findExchange } = await startTrials()
  const { key: proxy_key } = await window.proxies.create({
    name: 'Masking',
    destination_url: 'https://echo.coffer.test',
    response_transform: { type: 'append_text', options: { value: '!' } },
  })
  const { status, trace_id } = await tryProxy({ proxy_key, path: '', method: 'GET' })
  expect(status).toBe(200)
  expect(JSON.stringify((await findExchange(trace_id)).handed_back)).toContain('!')
})

test.each([
  ['no key', { key: '' }, 401],
  ['a key that is not valid', { key: 'key_local_pvt_…' }, 401],
  ['a path that leads out of the destination', { path: '/%252e%252e/x' }, 400],
  ['a proxy that does not exist', { proxy_key: 'none' }, 404],
])('G-06 a trial with %s is rejected and recorded', async (_what, input, status) => {
  const { window, tryProxy } = await startTrials()
  const result = await tryProxy(input)
  expect(result.status).toBe(status)
  expect(result.rejection).not.toBeNull()
  const records = (await window.logs.list({ action: 'proxies.invoke' })).data
  expect(records).toMatchObject([{ status, trace_id: result.trace_id }])
})

test.each([
  ['/../abcdef.example.com/v1', '/abcdef.example.com/v1'],
  ['/%2e%2e/abcde:81/v1', '/abcde:81/v1'],
  ['/', '/'],
])('G-06 a trial cannot leave its destination with the path %s', async (path, called) => {
  const { tryProxy, findExchange } = await startTrials()
  const { status, trace_id } = await tryProxy({ path })
  expect(status).toBe(200)
  expect(await findExchange(trace_id)).toMatchObject({ host: 'echo.coffer.test', path: called })
})

test('a trial sends a long body without transforms unchanged', async () => {
  const { tryProxy } = await startTrials()
  expect((await tryProxy({ body: 'x'.repeat(2_000_000) })).status).toBe(200)
})

test('a trial whose response is interrupted has the status of its start, and is no incident', async () => {
  const { host, window, tryProxy } = await startTrials()
  const { url } = await startDestination((request, response) => {
    request.resume()
    // A socket that is destroyed before all of the request was read would lose what was written to it.
    request.once('end', () => response.write('x'.repeat(100_000), () => response.destroy()))
  })
  const { key: proxy_key } = await window.proxies.create({ name: 'Interrupted', destination_url: url })
  // The vaults in memory of one process share their incidents.
  const { incidents } = host.incidents.readReport()
  expect((await tryProxy({ proxy_key })).status).toBe(200)
  expect(host.incidents.readReport().incidents).toEqual(incidents)
  await waitFor(async () => {
    const records = (await window.logs.list({ action: 'proxies.invoke' })).data
    expect(records.map(({ status }) => status)).toEqual([502, 200])
  })
})

test('a trial during which the vault is locked gets 423', async () => {
  const { host, window, tryProxy } = await startTrials()
  const { url } = await startDestination((_request, response) => {
    host.lock()
    response.end('late')
  })
  const { key: proxy_key } = await window.proxies.create({ name: 'Late', destination_url: url })
  expect((await tryProxy({ proxy_key })).status).toBe(423)
})
