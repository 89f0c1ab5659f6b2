import { createPublicKey } from 'node:crypto'
import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startReceiver } from '../http/start-webhooks.ts'
import { listenOnFreePort } from '../outbound/destination.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine, serveInProcess } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

/** Starts Coffer with an in-memory vault. Returns a function that sends requests to it. */
async function startServing(args = ['--ephemeral'], env = {}) {
  const { facts, stop } = await serveInProcess([...args, '--json'], env)
  const { url, keys } = facts
  const sendRequest = async (key: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  return {
    stop,
    url: url as string,
    env: { COFFER_BASE_URL: url as string, COFFER_MANAGEMENT_KEY: keys.management as string },
    create: () => sendRequest(keys.private, 'POST', '/tokens', { type: 'token', data: 'x' }),
    remove: (id: string) => sendRequest(keys.management, 'DELETE', `/webhooks/${id}`),
    listWebhooks: async () =>
      (await sendRequest(keys.management, 'GET', '/webhooks')).data as { id: string; name: string }[],
  }
}

const nobody = 'http://127.0.0.1:1'

test('listen forwards signed events, prints them and removes its webhook', async () => {
  const { env, create, listWebhooks } = await startServing()
  let status = 200
  const receiver = await startReceiver(() => status)
  const listening = startCoffer(
    ['webhooks', 'listen', '--forward', `${receiver.url}/hooks`, '--events', 'token.*'],
    env,
  )
  await listening.waitForLine(
    /^Forwarding 6 event types to http:\/\/127\.0\.0\.1:\d+\/hooks\. Stop with Ctrl-C\.$/,
  )
  expect(await listWebhooks()).toHaveLength(1)
  const { id } = await create()
  await listening.waitForLine(/^\d\d:\d\d:\d\d {2}token\.created +200 {2}\d+ ms$/)
  expect(receiver.listTokenIds()).toEqual([id])
  expect(receiver.arrived[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'bt-signature': expect.any(String),
    'bt-signature-version': 'v1-test',
  })
  status = 500
  await create()
  await listening.waitForLine(/token\.created +500 {2}\d+ ms$/)
  status = 200
  await create()
  await listening.waitForLine(/token\.created +200 {2}\d+ ms$/, 2)
  expect(receiver.arrived).toHaveLength(3)

  const at = ['--url', env.COFFER_BASE_URL, '--key', env.COFFER_MANAGEMENT_KEY]
  const sent = await runCommandLine('webhooks', 'trigger', 'token.created', ...at)
  expect(sent).toMatchObject({ code: 0, out: 'A test event is on its way to 1 webhook.\n' })
  await listening.waitForLine(/token\.created +200 {2}\d+ ms$/, 3)
  expect(receiver.arrived[3]?.body.event.type).toBe('token.created')
  const none = await runCommandLine('webhooks', 'trigger', 'application.created', ...at)
  expect(none).toMatchObject({ code: 1, error: 'No webhook is subscribed to application.created.' })
  expect((await runCommandLine('webhooks', 'trigger', 'token.eaten', ...at)).code).toBe(2)

  listening.signal('SIGINT')
  expect(await listening.ended).toBe(0)
  expect(await listWebhooks()).toEqual([])
})

test('listen continues after a reset', { tags: 'thorough' }, async () => {
  const { env, create, listWebhooks } = await startServing()
  const receiver = await startReceiver()
  const listening = startCoffer(['webhooks', 'listen', '--forward', receiver.url, '--events', '*'], env)
  await listening.waitForLine(/^Forwarding/)
  const at = ['--url', env.COFFER_BASE_URL, '--key', env.COFFER_MANAGEMENT_KEY]
  expect(await runCommandLine('reset', ...at)).toMatchObject({ code: 0 })
  await listening.waitForLine(/^The vault was reset or replaced\. Its events are forwarded from now on\.$/)
  const { id } = await create()
  await listening.waitForLine(/token\.created +200/)
  expect(receiver.listTokenIds()).toContain(id)
  listening.signal('SIGINT')
  expect(await listening.ended).toBe(0)
  expect(await listWebhooks()).toEqual([])
})

test('listen waits while Coffer is down, and continues when it is back', {
  tags: 'thorough',
}, async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const passphrase = { COFFER_PASSPHRASE: 'correct horse' }
  const first = await startServing(['--data-dir', dataDir], passphrase)
  const receiver = await startReceiver()
  const listening = startCoffer(
    ['webhooks', 'listen', '--forward', receiver.url, '--events', 'token.created'],
    first.env,
  )
  await listening.waitForLine(/^Forwarding/)
  await first.create()
  await listening.waitForLine(/token\.created +200/)
  expect(await first.stop()).toBe(0)
  await listening.waitForLine(/^Coffer is not responding at /)
  const { port } = new URL(first.url)
  const again = startCoffer(['serve', '--data-dir', dataDir, '--port', port, '--json'], passphrase)
  await again.json()
  await listening.waitForLine(/^Coffer is responding again\.$/)
  const { id } = await first.create()
  await listening.waitForLine(/token\.created +200/, 2)
  expect(receiver.listTokenIds()).toHaveLength(2)
  expect(receiver.listTokenIds()).toContain(id)
  expect(await first.listWebhooks()).toHaveLength(1)
})

test('listen prints why a program could not be reached, also as JSON', async () => {
  const { env, create } = await startServing()
  const server = net.createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  const listening = startCoffer(
    ['webhooks', 'listen', '--forward', `http://localhost:${port}`, '--json'],
    env,
  )
  await listening.waitForLine(/^Forwarding/)
  await create()
  expect(JSON.parse(await listening.waitForLine(/token\.created/))).toEqual({
    id: expect.any(String),
    type: 'token.created',
    status: null,
    duration_ms: expect.any(Number),
    failure: 'localhost refused the connection: nothing listens on that port.',
  })
})

test('listen removes the webhook of a killed listener, but not of a live one', {
  tags: 'thorough',
}, async () => {
  const { env, listWebhooks } = await startServing()
  const receiver = await startReceiver()
  const startListening = async () => {
    const listening = startCoffer(['webhooks', 'listen', '--forward', receiver.url], env)
    await listening.waitForLine(/^Forwarding/)
    return listening
  }
  const killed = await startListening()
  killed.signal('SIGKILL')
  await killed.ended
  expect(await listWebhooks()).toHaveLength(1)
  await startListening()
  expect(await listWebhooks()).toHaveLength(1)
  await startListening()
  expect(await listWebhooks()).toHaveLength(2)
})

test('Ctrl-C ends listen without an error if its webhook was already deleted', {
  tags: 'thorough',
}, async () => {
  const { env, listWebhooks, remove } = await startServing()
  const listening = startCoffer(['webhooks', 'listen', '--forward', nobody], env)
  await listening.waitForLine(/^Forwarding/)
  for (const { id } of await listWebhooks()) await remove(id)
  listening.signal('SIGINT')
  expect(await listening.ended).toBe(0)
  expect(listening.lines.join()).not.toContain('could not be removed')
})

test('listen --print-secret prints the public key, however long its creation takes', async () => {
  const { env } = await startServing()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort())
  onTestFinished(() => timeout.mockRestore())
  const { out } = await runCommandLine('webhooks', 'listen', '--print-secret', '--url', env.COFFER_BASE_URL)
  expect(createPublicKey(out).asymmetricKeyType).toBe('rsa')
})

test.each([
  [['--forward', 'ftp://localhost'], /^--forward must be an https URL, or an http URL on this machine\.$/],
  [['--forward', 'http://shop.example.com'], /^--forward must be/],
  [[], /^Set the URL to forward events to with --forward\.$/],
  [['--forward', 'http://localhost:3000', '--events', 'token.*,nothing.*'], /One of them matches no type/],
])('webhooks listen %j is a usage error', async (args, error) => {
  const at = ['--url', nobody, '--key', 'k']
  const refused = await runCommandLine('webhooks', 'listen', ...args, ...at)
  expect(refused.code).toBe(2)
  expect(refused.error).toMatch(error)
})

test('listen names the URL where Coffer does not respond', async () => {
  const at = ['--url', nobody, '--key', 'k', '--forward', 'http://localhost:3000']
  expect((await runCommandLine('webhooks', 'listen', ...at)).error).toMatch(/^Nothing answers at /)
})
