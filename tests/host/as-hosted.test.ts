import { once } from 'node:events'
import fs from 'node:fs'
import https from 'node:https'
import net from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { inMemoryVault, startHost, storedVault } from './start-host.ts'

/** Starts a host with an open listener and waits until the hosted names are answered. */
async function openHostedNames(vault: typeof inMemoryVault | typeof storedVault = inMemoryVault) {
  const started = startHost()
  const { host } = started.window
  const { keys } = await host.createVault(vault)
  await host.listenerOn()
  await host.updateSettings({ as_hosted: true })
  await waitFor(async () => expect((await host.status()).as_hosted.state).toBe('on'))
  const { as_hosted } = await host.status()
  if (as_hosted.state !== 'on') throw new Error(as_hosted.state)
  const { access } = await host.asHosted()
  const shellFile = access?.shell_file ?? ''
  const variables = new Map(
    Array.from(
      fs.readFileSync(shellFile, 'utf8').matchAll(/^export (\w+)='(.*)'$/gm),
      ([, name = '', value = '']) => [name, value] as const,
    ),
  )
  const isState = (state: string) =>
    waitFor(async () => expect((await host.status()).as_hosted.state).toBe(state))
  return { ...started, keys, as_hosted, access, shellFile, variables, isState }
}

type Hosted = Awaited<ReturnType<typeof openHostedNames>>

/** Calls the API by its hosted name at the front, and returns the status. */
function callFront({ as_hosted, variables, keys }: Hosted, agent: string, port = as_hosted.port) {
  const ca = fs.readFileSync(variables.get('NODE_EXTRA_CA_CERTS') ?? '')
  return new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      Host: 'api.basistheory.com',
      'BT-API-KEY': keys.management,
      'User-Agent': agent,
    }
    https
      .get(
        {
          host: '127.0.0.1',
          port,
          path: '/applications',
          servername: 'api.basistheory.com',
          ca,
          headers,
          agent: false,
        },
        (response) => resolve(response.resume().statusCode),
      )
      .on('error', reject)
  })
}

/** Asks the proxy for a connection, and returns its status line. */
function askProxy({ variables }: Hosted, authority: string): Promise<string> {
  const { port } = new URL(variables.get('HTTPS_PROXY') ?? '')
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), '127.0.0.1')
    socket.on('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(String(data).split('\r\n', 1)[0] ?? '')
    })
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nUser-Agent: curl/8.5.0\r\n\r\n`)
  })
}

test('H-06 the setting opens the hosted names with the listener, and closes them with it', async () => {
  const { window, as_hosted, shellFile, isState, access } = await openHostedNames()
  expect(as_hosted).toMatchObject({ is_held: false })
  expect(as_hosted.names).toContainEqual({ origin: 'https://api.basistheory.com', role: 'api' })
  expect(access?.chromium.join(' ')).toContain(`127.0.0.1:${as_hosted.port}`)
  expect(fs.statSync(shellFile).mode & 0o077).toBe(0)

  await window.host.listenerOff()
  await isState('off')
  expect(fs.existsSync(path.dirname(shellFile))).toBe(false)
  expect(await window.host.asHosted()).toEqual({ access: null, connections: [] })

  await window.host.listenerOn()
  await isState('on')
  await window.host.updateSettings({ as_hosted: false })
  await isState('off')
})

test('H-06 locking closes the hosted names and removes their files, and unlocking opens them again', async () => {
  const hosted = await openHostedNames(storedVault)
  const { window, shellFile, isState } = hosted
  await window.host.lock()
  await isState('off')
  expect(fs.existsSync(path.dirname(shellFile))).toBe(false)
  await expect(once(net.connect(hosted.as_hosted.port, '127.0.0.1'), 'connect')).rejects.toThrow(
    'ECONNREFUSED',
  )
  await window.host.unlock({ name: storedVault.name, with: storedVault.protection })
  await isState('on')
})

test('H-06 what the command line opened stays open while the vault is locked or the setting changes', async () => {
  const { host, window } = startHost()
  await window.host.createVault(storedVault)
  await window.host.listenerOn()
  await host.asHosted.turnOn({ port: 0 })
  await window.host.updateSettings({ as_hosted: false })
  await window.host.lock()
  expect((await window.host.status()).as_hosted).toMatchObject({ state: 'on', is_held: true })
})

test('H-06 requests and refused destinations are listed with program, route and count', async () => {
  const hosted = await openHostedNames()
  const { window, keys, events } = hosted
  const { listener } = await window.host.status()
  expect(await callFront(hosted, 'axios/1.7.2')).toBe(200)
  expect(await callFront(hosted, 'axios/1.7.2')).toBe(200)
  const ports = JSON.parse(hosted.variables.get('COFFER_AS_HOSTED') ?? '{}')
  expect(await callFront(hosted, 'node', ports['api.basistheory.com:443'])).toBe(200)
  expect(await askProxy(hosted, 'api.stripe.com:443')).toContain('403')
  expect(await askProxy(hosted, 'db.example.com:5432')).toContain('403')
  const url = listener.state === 'on' ? listener.url : ''
  const headers = {
    'SVC-API-KEY': keys.management,
    'User-Agent': 'Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  }
  await fetch(`${url}/applications?secret=4242424242424242`, { headers })
  const { connections } = await window.host.asHosted()
  const row = { last_at: expect.any(String) }
  expect(connections).toEqual([
    {
      ...row,
      route: 'listener',
      host: new URL(url).host,
      outcome: 'answered',
      program: 'Chrome/140.0.0.0',
      count: 1,
    },
    {
      ...row,
      route: 'proxy',
      host: 'db.example.com:5432',
      outcome: 'refused',
      program: 'curl/8.5.0',
      count: 1,
    },
    { ...row, route: 'proxy', host: 'api.stripe.com', outcome: 'refused', program: 'curl/8.5.0', count: 1 },
    {
      ...row,
      route: 'preload',
      host: 'api.basistheory.com',
      outcome: 'answered',
      program: 'node',
      count: 1,
    },
    {
      ...row,
      route: 'direct',
      host: 'api.basistheory.com',
      outcome: 'answered',
      program: 'axios/1.7.2',
      count: 2,
    },
  ])
  await waitFor(() => expect(events).toContainEqual({ type: 'connections' }))
})

test('H-06 the list keeps the newest 50 rows, and no text of a program beyond its name', async () => {
  const hosted = await openHostedNames()
  for (let at = 0; at < 60; at++) await askProxy(hosted, `host-${at}.example.com:443`)
  await callFront(hosted, '<b>4242424242424242</b> secret')
  await callFront(hosted, '4242424242424242')
  const { connections } = await hosted.window.host.asHosted()
  expect(connections).toHaveLength(50)
  expect(connections.at(-1)?.host).toBe('host-12.example.com')
  expect(connections[1]?.program).toBe('b')
  expect(JSON.stringify(connections)).not.toContain('42424242')
})

test('H-06 Coffer closes all its ports although the disk does not take the notice of the vault', async () => {
  const { host, dataDir, as_hosted } = await openHostedNames(storedVault)
  const notice = fs
    .readdirSync(dataDir, { recursive: true })
    .find((name) => String(name).endsWith('.lock.json'))
  const file = path.join(dataDir, String(notice))
  fs.rmSync(file)
  fs.mkdirSync(path.join(file, 'in the way'), { recursive: true })
  await host.close()
  const socket = net.connect(as_hosted.port, '127.0.0.1')
  const [error] = await once(socket, 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})
