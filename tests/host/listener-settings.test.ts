import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort, takePort } from '../ports.ts'
import { catchProblem } from '../vault.ts'
import { inMemoryVault, startHost } from './start-host.ts'

const page = 'http://localhost:3000'

async function startListening() {
  const started = startHost()
  const { keys } = await started.window.host.createVault(inMemoryVault)
  const state = await started.window.host.listenerOn()
  if (state.state !== 'on') throw new Error('refused')
  const requestTokens = (url = state.url, headers: Record<string, string> = {}, query = '') =>
    fetch(`${url}/v2/tokens${query}`, { headers: { 'SVC-API-KEY': keys.private, ...headers } })
  return { ...started, state, requestTokens }
}

test('X-12 a taken port is rejected with an error for its field, and nothing changes', async () => {
  const taken = await takePort()
  const { window, state, requestTokens, dataDir, events } = await startListening()
  const { settings } = await window.host.status()
  const published = events.length
  const refused = window.host.updateSettings({ port: taken, origins: [page] })
  expect(await catchProblem(refused)).toMatchObject({
    status: 409,
    errors: { port: [expect.stringContaining(`Port ${taken} is taken`)] },
  })
  expect(await window.host.status()).toMatchObject({ settings, listener: state })
  expect((await requestTokens()).status).toBe(200)
  expect((await requestTokens(state.url, { Origin: page })).status).toBe(403)
  expect(fs.existsSync(path.join(dataDir, 'settings.json'))).toBe(false)
  const listeners = events
    .slice(published)
    .flatMap((event) => (event.type === 'status' ? [event.status.listener] : []))
  for (const listener of listeners) expect(listener).toEqual(state)
})

test('X-12 a new port is opened before the old one is closed', async () => {
  const { window, state, requestTokens } = await startListening()
  const port = await findFreePort()
  expect(await window.host.updateSettings({ port })).toMatchObject({ port })
  expect((await window.host.status()).listener).toEqual({
    state: 'on',
    url: `http://127.0.0.1:${port}`,
    port,
  })
  expect((await requestTokens(`http://127.0.0.1:${port}`)).status).toBe(200)
  await expect(requestTokens(state.url)).rejects.toThrow()
})

test('X-12 new origins and hosts apply without cutting connections or moving the port', async () => {
  const { window, state, requestTokens } = await startListening()
  const socket = net.connect(state.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  let closed = false
  socket.on('close', () => {
    closed = true
  })
  expect(
    (await requestTokens(state.url, { Origin: page })).headers.get('access-control-allow-origin'),
  ).toBeNull()

  await window.host.updateSettings({ origins: [page], hosts: ['vault.test'] })
  expect((await window.host.status()).listener).toEqual(state)
  const allowed = await requestTokens(state.url, { Origin: page })
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, page])
  const response = await new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(data.toString()))
    socket.write(`GET /_coffer/health HTTP/1.1\r\nHost: vault.test:${state.port}\r\n\r\n`)
  })
  expect(response).toMatch(/^HTTP\/1.1 200/)
  expect(closed).toBe(false)

  await window.host.updateSettings({ origins: [], hosts: [] })
  const again = await requestTokens(state.url, { Origin: page })
  expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([403, null])
})

test('X-12 if settings cannot be saved, the listener keeps its port', async () => {
  const { window, state, requestTokens, dataDir } = await startListening()
  fs.rmSync(dataDir, { recursive: true, force: true })
  fs.writeFileSync(dataDir, '')
  onTestFinished(() => fs.rmSync(dataDir))
  const port = await findFreePort()
  expect(await catchProblem(window.host.updateSettings({ port }))).toMatchObject({ status: 503 })
  expect((await window.host.status()).listener).toEqual(state)
  expect((await requestTokens()).status).toBe(200)
  await expect(requestTokens(`http://127.0.0.1:${port}`)).rejects.toThrow()
})

test('X-12 moving the active listener to a taken port fails, and its port is unchanged', async () => {
  const taken = await takePort()
  const { window, state, requestTokens } = await startListening()
  expect(await window.host.listenerOn()).toEqual(state)
  expect(await catchProblem(window.host.listenerOn({ port: taken }))).toMatchObject({ status: 409 })
  expect((await window.host.status()).listener).toEqual(state)
  expect((await requestTokens()).status).toBe(200)
})

test('X-12 a taken port is saved while the listener is off', async () => {
  const taken = await takePort()
  const { window } = startHost()
  expect(await window.host.updateSettings({ port: taken })).toMatchObject({ port: taken })
  expect(await window.host.listenerOn()).toMatchObject({ state: 'refused' })
  const port = await findFreePort()
  await window.host.updateSettings({ port })
  expect((await window.host.status()).listener).toMatchObject({ state: 'on', port })
})

test('X-12 after simultaneous port changes the listener uses the saved port', async () => {
  const { window } = await startListening()
  const [first, second] = [await findFreePort(), await findFreePort()]
  await window.host.updateSettings({ port: first })
  await Promise.all([
    window.host.updateSettings({ port: second }),
    window.host.updateSettings({ port: first }),
  ])
  expect(await window.host.status()).toMatchObject({
    settings: { port: first },
    listener: { state: 'on', port: first },
  })
})

test('simultaneous changes of settings all take effect', async () => {
  const { window, state, requestTokens } = await startListening()
  await Promise.all([
    window.host.updateSettings({ origins: [page] }),
    window.host.updateSettings({ hosts: ['vault.test'] }),
    window.host.updateSettings({ appearance: 'dark' }),
  ])
  expect((await window.host.status()).settings).toMatchObject({
    origins: [page],
    hosts: ['vault.test'],
    appearance: 'dark',
  })
  expect((await requestTokens(state.url, { Origin: page })).status).toBe(200)
})

test('A-08 a change to strict applies from the next request on', async () => {
  const { window, requestTokens, state } = await startListening()
  const requestUnknown = async () => {
    const { status, headers } = await requestTokens(state.url, {}, '?colour=1&x=')
    return [status, headers.get('Coffer-Ignored')]
  }
  expect(await requestUnknown()).toEqual([200, 'colour, x'])
  await window.host.updateSettings({ strict: true })
  expect(await requestUnknown()).toEqual([400, null])
})
