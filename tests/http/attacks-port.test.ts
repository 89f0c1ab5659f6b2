import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openListener } from '../../electron/http/listener.ts'
import { passphrase, startHost, storedVault } from '../host/start-host.ts'
import { startListener } from '../listener.ts'

/** Listens on an address and port like another program, until the test ends. */
async function takePort(host: string, port = 0): Promise<number | null> {
  const server = net.createServer((socket) => void socket.destroy())
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ host, port, ipv6Only: host === '::1' }, () => resolve(true))
  })
  if (!listening) return null
  onTestFinished(() => void server.close())
  return (server.address() as net.AddressInfo).port
}

/** Whether a server listens on an address and port. */
function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

const nobody = { engine: () => null, origins: [], hosts: [] }

test.each(['127.0.0.1', '::1'])(
  'X-12 if a port is taken on %s, the error names it and nothing listens on the other address',
  async (host) => {
    const port = await takePort(host)
    // On a machine without IPv6, the port cannot be taken there.
    if (port === null) return expect(host).toBe('::1')
    const rejected = openListener({ ...nobody, port })
    onTestFinished(async () => (await rejected.catch(() => undefined))?.close())
    await expect(rejected).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(new RegExp(`Port ${port} is taken.*another port`)),
    })
    expect(await isListening(host === '::1' ? '127.0.0.1' : '::1', port)).toBe(false)
    const { window } = startHost()
    const state = await window.host.listenerOn({ port })
    expect(state).toMatchObject({ state: 'refused', reason: expect.stringContaining(`Port ${port}`) })
    const next = state.state === 'refused' ? state.next_port : undefined
    expect(next).toBeGreaterThan(port)
    expect(await window.host.listenerOn({ port: next })).toMatchObject({ state: 'on', port: next })
  },
)

test('X-12 port 0 gives each listener a different free port', async () => {
  const [first, second] = [await startListener(), await startListener()]
  expect(first.port).toBeGreaterThan(0)
  expect(second.port).not.toBe(first.port)
  for (const { request } of [first, second]) {
    expect((await request('GET', '/_coffer/health')).status).toBe(200)
  }
})

test('X-12 a second instance can open neither vault nor port, and the first continues to respond', async () => {
  const first = startHost()
  const { keys } = await first.window.host.createVault(storedVault)
  const listener = await first.window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const second = startHost({ dataDir: first.dataDir, vault: 'work' })
  await expect(second.window.host.unlock({ name: 'work', with: { passphrase } })).rejects.toMatchObject({
    code: 'conflict',
  })
  expect(second.host.getEngine()).toBeNull()
  expect(await second.window.host.listenerOn({ port: listener.port })).toMatchObject({ state: 'refused' })
  const headers = { 'SVC-API-KEY': keys.private }
  expect((await fetch(`${listener.url}/v2/tokens`, { headers })).status).toBe(200)
})

test('X-12 a locked vault gives 423 while health gives 200, and closing frees the port', async () => {
  const { host, window, dataDir } = startHost()
  const { keys } = await window.host.createVault(storedVault)
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const sendRequest = async (method: string, at: string, key: string | undefined = keys.private) => {
    const response = await fetch(`${listener.url}${at}`, {
      method,
      headers: {
        ...(key && { 'SVC-API-KEY': key }),
        ...(method === 'POST' && { 'Content-Type': 'application/json' }),
      },
      ...(method === 'POST' && { body: '{"type":"token","data":"canary"}' }),
    })
    return [response.status, await response.text()] as const
  }
  expect((await sendRequest('POST', '/tokens'))[0]).toBe(201)
  const health = await sendRequest('GET', '/_coffer/health')
  await window.host.lock()
  for (const [method, at] of [
    ['GET', '/v2/tokens'],
    ['POST', '/tokens'],
    ['DELETE', '/tokens/x'],
    ['GET', '/applications/key'],
    ['POST', '/sessions'],
    ['GET', '/logs'],
  ] as const) {
    for (const key of [keys.private, keys.management, 'wrong', '']) {
      const [status, text] = await sendRequest(method, at, key)
      expect([method, at, status]).toEqual([method, at, 423])
      expect(text).not.toMatch(/canary|work|data/)
    }
  }
  expect(await sendRequest('GET', '/_coffer/health')).toEqual(health)
  await host.close()
  expect(await isListening('127.0.0.1', listener.port)).toBe(false)
  expect(await isListening('::1', listener.port)).toBe(false)
  // Another host can now use the port and the vault.
  const next = startHost({ dataDir: path.join(dataDir) })
  await next.window.host.unlock({ name: 'work', with: { passphrase } })
  expect(await next.window.host.listenerOn({ port: listener.port })).toMatchObject({ state: 'on' })
})
