import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { destinations } from '../../shared/destinations.ts'
import { startDestination } from '../outbound/destination.ts'
import { findFreePort, takePort } from '../ports.ts'
import { catchProblem } from '../vault.ts'
import { inMemoryVault, startHost } from './start-host.ts'

const real = 'https://api.example.test'

async function startListening(options: Parameters<typeof startHost>[0] = {}) {
  const started = startHost(options)
  const { keys } = await started.window.host.createVault(inMemoryVault)
  const state = await started.window.host.listenerOn()
  if (state.state !== 'on') throw new Error('refused')
  const callProxy = async (to: string, url = state.url) => {
    const response = await fetch(`${url}/proxy`, {
      headers: { 'BT-API-KEY': keys.private, 'BT-PROXY-URL': to },
    })
    return [response.status, await response.text()] as const
  }
  return { ...started, state, callProxy }
}

test("G-02 G-03 the owner's destinations apply immediately and after a restart", async () => {
  const { url } = await startDestination()
  const { window, callProxy, dataDir } = await startListening()
  const [status, refusal] = await callProxy(real)
  expect([status, refusal]).toEqual([403, expect.stringContaining('--allow-destination api.example.test')])
  expect((await callProxy(url))[0]).toBe(200)
  const saved = await window.host.updateSettings({ destinations: { allow: [], map: { [real]: url } } })
  expect(saved.destinations).toEqual({ allow: [], map: { [real]: url } })
  expect(await callProxy(real)).toEqual([200, 'ok'])
  const file = JSON.parse(fs.readFileSync(path.join(dataDir, 'settings.json'), 'utf8'))
  expect(file.settings.destinations).toEqual(saved.destinations)
  await window.host.updateSettings({ destinations: { allow: [], map: {} } })
  expect((await callProxy(real))[0]).toBe(403)
  expect((await startHost({ dataDir }).window.host.status()).settings.destinations).toEqual({
    allow: [],
    map: {},
  })
})

test('G-02 invalid destinations are rejected with an error for their field, and nothing changes', async () => {
  const { window } = await startListening()
  const cases = [
    { allow: ['https://api.example.com'], map: {} },
    { allow: ['999.1.1.1'], map: {} },
    { allow: ['10.0.0.7:8080'], map: {} },
    { allow: [''], map: {} },
    { allow: [], map: { [real]: 'http://127.0.0.1:1/path' } },
    { allow: [], map: { nonsense: real } },
    { allow: Array.from({ length: 101 }, (_, n) => `h${n}.example.com`), map: {} },
  ]
  for (const destinations of cases) {
    const { status, errors } = await catchProblem(window.host.updateSettings({ destinations }))
    expect(status).toBe(400)
    expect(Object.keys(errors ?? {})[0]).toMatch(/^destinations\.(allow|map)/)
  }
  expect((await window.host.status()).settings.destinations).toEqual({ allow: [], map: {} })
})

test("X-52 the vault's own servers are rejected as destinations", async () => {
  const console = await takePort()
  const { window, callProxy, state } = await startListening({ ownPorts: () => [console] })
  const forbidden = [403, expect.stringContaining('belongs to Coffer itself')]
  for (const port of [state.port, console]) {
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', '2130706433']) {
      expect(await callProxy(`http://${host}:${port}`)).toEqual(forbidden)
    }
  }
  await window.host.updateSettings({ destinations: { allow: ['*', '127.0.0.0/8'], map: {} } })
  expect(await callProxy(state.url)).toEqual(forbidden)
  const moved = await findFreePort()
  await window.host.updateSettings({
    port: moved,
    destinations: destinations.parse({ map: { [real]: `http://127.0.0.1:${moved}` } }),
  })
  const url = `http://127.0.0.1:${moved}`
  expect(await callProxy(url, url)).toEqual(forbidden)
  expect(await callProxy(real, url)).toEqual(forbidden)
})

test('G-02 destinations from CLI options apply until the owner changes them', async () => {
  const { url } = await startDestination()
  const destinations = { allow: [], map: { [real]: url } }
  const { window, callProxy } = await startListening({ overrides: { port: 0, destinations: destinations } })
  expect(await callProxy(real)).toEqual([200, 'ok'])
  expect((await window.host.status()).settings.destinations).toEqual(destinations)
  await window.host.updateSettings({ destinations: { allow: [], map: {} } })
  expect((await callProxy(real))[0]).toBe(403)
})
