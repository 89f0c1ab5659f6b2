import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { inMemoryVault, startHost, storedVault } from './start-host.ts'

const none = { token: false, application: false, proxied_call: false, webhook: false }

test('first steps are detected from the vault, including those done over HTTP', async () => {
  const { window } = startHost()
  const { keys } = await window.host.createVault(storedVault)
  const readSteps = async () => {
    const { created_at: _, token_id: __, ...facts } = await window.host.firstSteps()
    return facts
  }
  expect(await readSteps()).toEqual({ ...none, backup: false })
  const listener = await window.host.listenerOn({})
  const url = listener.state === 'on' ? listener.url : ''
  const postJson = async (key: string, path: string, body: object, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return response.status
  }
  expect(await postJson(keys.private, '/tokens', { type: 'token', data: 'x' })).toBe(201)
  expect(await readSteps()).toEqual({ ...none, token: true, backup: false })
  const application = { name: 'Shop', type: 'private', permissions: ['token:create'] }
  expect(await postJson(keys.management, '/applications', application)).toBeLessThan(300)
  expect(await readSteps()).toMatchObject({ application: true, proxied_call: false })

  const destination = await startDestination((_request, response) => response.end('{}'))
  const proxied = { 'BT-PROXY-URL': destination.url }
  expect(await postJson('wrong', '/proxy', {}, proxied)).toBe(401)
  expect(await readSteps()).toMatchObject({ proxied_call: false })
  expect(await postJson(keys.private, '/proxy', {}, proxied)).toBe(200)
  expect(await readSteps()).toMatchObject({ proxied_call: true, webhook: false })
  await postJson(keys.management, '/webhooks', { name: 'w', url: destination.url, events: ['token.created'] })
  expect(await readSteps()).toMatchObject({ webhook: true, backup: false })
  await window.host.backup({})
  expect(await readSteps()).toEqual({
    token: true,
    application: true,
    proxied_call: true,
    webhook: true,
    backup: true,
  })
})

test('sample data completes no first step, and an in-memory vault has no backup step', async () => {
  const { window, clock } = startHost()
  await window.host.createVault({ ...inMemoryVault, sample_data: true })
  expect(await window.host.firstSteps()).toMatchObject({ ...none, backup: null })
  clock.advance(60_000)
  const { id } = await window.tokens.create({ type: 'token', data: 'x' })
  await window.applications.create({
    name: 'Payments',
    type: 'private',
    create_key: false,
    permissions: ['token:create'],
  })
  expect(await window.host.firstSteps()).toMatchObject({ token: true, token_id: id, application: true })
  await window.host.lock()
  await expect(window.host.firstSteps()).rejects.toMatchObject({ code: 'locked' })
})
