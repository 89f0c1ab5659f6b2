import { execFile } from 'node:child_process'
import { constants, createVerify } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Seed } from '../../electron/testing/index.mjs'
import { startCoffer } from '../../electron/testing/start-coffer.ts'
import { breakReads } from '../cli/run-coffer.ts'
import { startDestination } from '../outbound/destination.ts'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

const key = 'key_local_pvt_testingbackend00000000'
const seed: Seed = {
  applications: [
    {
      name: 'Backend',
      type: 'private',
      key,
      permissions: ['token:create', 'token:read', 'token:search'],
    },
  ],
  tokens: [{ id: 'first', type: 'card_number', data: '4242424242424242', expires_at: '2999-01-01' }],
}

describe.each([
  ['here', {}],
  ['beside', { beside: true }],
] as const)('startCoffer in the mode %s', (where, options) => {
  /** Options of tests that start another vault. Both modes share that code, so `npm test` tries only one of them. */
  const bothTags = where === 'beside' ? { tags: 'thorough' } : {}
  let coffer: Awaited<ReturnType<typeof startCoffer>>
  beforeAll(async () => {
    coffer = await startCoffer({ ...options, seed })
  })
  beforeEach(() => coffer.reset())
  afterAll(() => coffer.close())

  const sendRequest = (method: string, at: string, body?: unknown) =>
    fetch(coffer.url + at, {
      method,
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const createToken = async () =>
    (await (await sendRequest('POST', '/tokens', { type: 'token', data: 'x' })).json()) as { id: string }

  test('starts with its seed and fixed keys', async () => {
    expect(coffer.keys.private).toBe(key)
    expect(coffer.keys.management).toMatch(/^key_local_mgt_/)
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(200)
  })

  test('a reset restores the seed', async () => {
    const { id } = await createToken()
    await coffer.reset()
    expect((await sendRequest('GET', `/tokens/${id}`)).status).toBe(404)
  })

  test('W-01 W-02 events are available without a server until a reset', async () => {
    const { id } = await createToken()
    const [created, ...more] = await coffer.events({ type: 'token.created' })
    expect(created).toMatchObject({ type: 'token.created', data: { token: { id, type: 'token' } } })
    expect(more).toEqual([])
    await sendRequest('GET', `/tokens/${id}`)
    expect(await coffer.events({ type: 'token.read' })).toMatchObject([{ data: { token: { id } } }])
    await coffer.reset()
    expect(await coffer.events({ type: 'token.created', timeout_ms: 0 })).toEqual([])
    await createToken()
    expect(await coffer.events({ type: 'token.created' })).toHaveLength(1)
    await coffer.setNow(new Date('3000-01-01'))
    expect(await coffer.events({ type: 'token.expired' })).toMatchObject([
      { data: { token: { id: 'first' } } },
    ])
  })

  test('W-02 W-03 a test’s webhook delivers signed events and retries', async () => {
    const received: { text: string; signature: string }[] = []
    let status = 500
    const { port } = await startDestination(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      received.push({ text, signature: String(request.headers['bt-signature']) })
      response.writeHead(status).end()
    })
    const {
      key: pem,
      url,
      remove,
    } = await coffer.webhook(port, { path: '/hooks', events: ['token.created'] })
    expect(url).toBe(`http://localhost:${port}/hooks`)
    const { id } = await createToken()
    await waitFor(() => expect(received).toHaveLength(1))
    status = 200
    await waitFor(async () => {
      await coffer.advance(5)
      expect(received).toHaveLength(2)
    })
    for (const { text, signature } of received) {
      const key = { key: pem, padding: constants.RSA_PKCS1_PSS_PADDING }
      expect(createVerify('SHA256').update(text).verify(key, signature, 'base64')).toBe(true)
      expect(JSON.parse(text).event.data.token.id).toBe(id)
    }
    await remove()
    await createToken()
    await coffer.events({ type: 'token.created' })
    expect(received).toHaveLength(2)
  })

  test('W-02 restoring a snapshot does not repeat an event acknowledged before it', async () => {
    const received: string[] = []
    let stalled: (() => void) | null = null
    const { port } = await startDestination(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      received.push(JSON.parse(text).event.data.token.id)
      // The second delivery starts once the first is acknowledged.
      if (received.length === 2) stalled = () => response.end()
      else response.end()
    })
    const { remove } = await coffer.webhook(port, { events: ['token.created'] })
    const ids = [(await createToken()).id, (await createToken()).id]
    await waitFor(() => expect(stalled).not.toBeNull())
    const restore = await coffer.snapshot()
    await restore()
    const { id } = await createToken()
    await waitFor(() => expect(received).toContain(id))
    expect(received).toEqual([...ids, ids[1], id])
    await remove()
  })

  test(
    'G-03 destinations of seed and options still apply after a reset and a snapshot',
    bothTags,
    async () => {
      const { url } = await startDestination()
      const [real, other] = ['https://api.example.test', 'https://other.example.test']
      const own = await startCoffer({
        ...options,
        seed: { destinations: { map: { [real]: url } }, proxies: [{ name: 'P', destination_url: other }] },
        destinations: { allow: ['*.example.com'], map: { [other]: url } },
      })
      const fetchStatuses = async () => {
        const requested = [real, other, 'https://elsewhere.test'].map((to) =>
          fetch(`${own.url}/proxy`, { headers: { 'BT-API-KEY': own.keys.private, 'BT-PROXY-URL': to } }),
        )
        return (await Promise.all(requested)).map(({ status }) => status)
      }
      try {
        expect(await fetchStatuses()).toEqual([200, 200, 403])
        const restore = await own.snapshot()
        await own.reset()
        await restore()
        expect(await fetchStatuses()).toEqual([200, 200, 403])
      } finally {
        await own.close()
      }
      const wrong = startCoffer({ ...options, destinations: { allow: ['https://a.test'] } })
      await expect(wrong).rejects.toThrow(/host/)
    },
  )

  test('D-01 C-01 a seed in code reads files and returns public client keys', bothTags, async () => {
    const folder = createTempFolder()
    fs.writeFileSync(path.join(folder, 'scan.pdf'), 'content of a file')
    fs.writeFileSync(path.join(folder, 'charge.js'), 'module.exports = async () => ({})')
    // Files are named relative to the working directory.
    const toRelativePath = (name: string) => path.relative(process.cwd(), path.join(folder, name))
    const id = '0f6f1c1e-7a5b-4a51-9a44-0a8f4d4b7a10'
    const own = await startCoffer({
      ...options,
      seed: {
        documents: [{ id, file: toRelativePath('scan.pdf'), content_type: 'application/pdf' }],
        reactors: [{ name: 'Charge', file: toRelativePath('charge.js') }],
        client_keys: [{}],
        webhooks: [{ name: 'Orders', url: 'http://localhost:1/', events: ['token.created'] }],
      },
    })
    try {
      const fetchWithKey = (at: string, key: string) =>
        fetch(own.url + at, { headers: { 'BT-API-KEY': key } })
      const fetchContent = async () => (await fetchWithKey(`/documents/${id}/data`, own.keys.private)).text()
      expect(await fetchContent()).toBe('content of a file')
      const [clientKey] = own.client_keys
      expect(clientKey?.public_key_pem).toContain('BEGIN PUBLIC KEY')
      expect(await (await fetchWithKey('/keys', own.keys.management)).json()).toMatchObject([
        { key_id: clientKey?.key_id },
      ])
      const restore = await own.snapshot()
      const headers = { 'BT-API-KEY': own.keys.private }
      await fetch(`${own.url}/documents/${id}`, { method: 'DELETE', headers })
      expect((await fetchWithKey(`/documents/${id}`, own.keys.private)).status).toBe(404)
      await restore()
      expect(await fetchContent()).toBe('content of a file')
      await own.reset()
      expect(await fetchContent()).toBe('content of a file')
      for (const at of ['/reactors', '/webhooks'])
        expect(
          ((await (await fetchWithKey(at, own.keys.management)).json()) as { data: [] }).data,
        ).toHaveLength(1)
    } finally {
      await own.close()
    }
  })

  test('a snapshot can be restored more than once', async () => {
    const { id } = await createToken()
    const restore = await coffer.snapshot()
    const { id: later } = await createToken()
    await restore()
    expect((await sendRequest('GET', `/tokens/${later}`)).status).toBe(404)
    await coffer.reset()
    await restore()
    expect((await sendRequest('GET', `/tokens/${id}`)).status).toBe(200)
  })

  test('T-14 a token expires when the clock is moved, and a reset restores it', async () => {
    const before = await coffer.now()
    await coffer.advance(3600)
    expect((await coffer.now()).getTime() - before.getTime()).toBeGreaterThanOrEqual(3_600_000)
    await coffer.setNow(new Date('2999-01-02T00:00:00Z'))
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(404)
    await coffer.reset()
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(200)
  })

  test('each fault applies until it is removed', async () => {
    const less = await coffer.fault({ name: 'one', status: 503, operations: ['tokens.get'] })
    const more = await coffer.fault({
      name: 'two',
      status: 429,
      operations: ['tokens.create'],
      retry_after: 1,
    })
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(503)
    await less()
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(200)
    expect((await sendRequest('POST', '/tokens', {})).headers.get('retry-after')).toBe('1')
    await more()
    expect((await sendRequest('POST', '/tokens', {})).status).toBe(400)
    await expect(coffer.fault({ name: 'three' })).rejects.toThrow('rules[0]')
  })

  test('adding or removing a fault leaves the others unchanged', async () => {
    await coffer.fault({ name: 'once', status: 503, count: 1, operations: ['tokens.get'] })
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(503)
    const ends = await Promise.all([
      coffer.fault({ name: 'one', status: 429, operations: ['tokens.create'] }),
      coffer.fault({ name: 'two', status: 502, operations: ['tokens.remove'] }),
    ])
    expect((await sendRequest('POST', '/tokens', {})).status).toBe(429)
    expect((await sendRequest('DELETE', '/tokens/first')).status).toBe(502)
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(200)
    await coffer.reset()
    await Promise.all(ends.map((end) => end()))
  })

  test('T-14 the clock rejects times outside 1970 to 9999', async () => {
    await expect(coffer.advance(Number.NaN)).rejects.toThrow('between 1970 and 9999')
    await expect(coffer.setNow(new Date('+010000-01-01T00:00:00Z'))).rejects.toThrow('between 1970 and 9999')
    expect((await sendRequest('GET', '/tokens/first')).status).toBe(200)
  })
})

test('the error for an invalid seed names the invalid member', async () => {
  const starting = startCoffer({ seed: { tokens: [{ type: 'card', data: { number: '1' } }] } })
  await expect(starting).rejects.toThrow(/^seed:\d+ tokens\[0\]\.data\.number must /)
  const separate = startCoffer({ beside: true, seed: { tokens: [{ type: 'card', data: { number: '1' } }] } })
  await expect(separate).rejects.toThrow(/tokens\[0\]\.data\.number must /)
})

/** Invalid faults are reported like an invalid seed, so `npm test` tries only `here`. */
const places: readonly [string, { beside?: boolean }][] = [
  ['here', {}],
  ['beside', { beside: true }],
]

test.each(pickSome(places, 1))(
  'startCoffer rejects an invalid fault or origin with an error that describes it: %s',
  async (_where, options) => {
    await expect(startCoffer({ ...options, faults: [{ name: 'idle' }] })).rejects.toThrow(
      /faults:\d+ rules\[0\] needs delay_ms, status or cut$/,
    )
    await expect(startCoffer({ ...options, origins: ['nonsense'] })).rejects.toThrow(/^An origin is scheme/)
  },
)

test.each(pickSome(places, 1))('A-08 startCoffer takes strict: %s', async (_where, options) => {
  await using lenient = await startCoffer(options)
  await using strict = await startCoffer({ ...options, strict: true })
  const listUnknown = async ({ url, keys }: { url: string; keys: { private: string } }) => {
    const response = await fetch(`${url}/v2/tokens?colour=1`, { headers: { 'SVC-API-KEY': keys.private } })
    return [response.status, response.headers.get('Coffer-Ignored')]
  }
  expect(await listUnknown(lenient)).toEqual([200, 'colour'])
  expect(await listUnknown(strict)).toEqual([400, null])
})

test.each(places)(
  'H-03 startCoffer gives a program the names of the hosted service: %s',
  async (_where, options) => {
    await using coffer = await startCoffer({ ...options, asHosted: true })
    const script = `
    const headers = { 'BT-API-KEY': '${coffer.keys.private}', 'Content-Type': 'application/json' }
    const body = JSON.stringify({ type: 'token', data: 'x' })
    fetch('https://api.basistheory.com/tokens', { method: 'POST', headers, body }).then(({ status }) => console.log(status))`
    const env = { ...process.env, ...coffer.environment }
    // The program runs beside this process, which answers it.
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env })
    expect(stdout).toBe('201\n')
    await coffer.close()
    expect(fs.existsSync(coffer.environment.SSL_CERT_FILE ?? '')).toBe(false)
  },
)

test('many vaults run in parallel and leave no files or sockets', async () => {
  const countFolders = () =>
    fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('coffer-testing-')).length
  const before = countFolders()
  const many = await Promise.all(Array.from({ length: 3 }, () => startCoffer()))
  expect(new Set(many.map(({ url }) => url)).size).toBe(3)
  for (const coffer of many) await coffer.close()
  for (const { url } of many) await expect(fetch(url)).rejects.toThrow()
  await many[0]?.close()
  expect(countFolders()).toBe(before)
})

// The example for node:test also imports the package, without a test transform.
test('the package exports the library as coffer/testing', { tags: 'thorough' }, async () => {
  const { startCoffer: published } = await import('coffer/testing')
  await using coffer = await published()
  expect((await fetch(`${coffer.url}/_coffer/health`)).status).toBe(200)
})

test('internal errors are printed with the option verbose, and written to no file', async () => {
  vi.stubEnv('NODE_OPTIONS', breakReads().NODE_OPTIONS)
  vi.stubEnv('COFFER_DATA_DIR', createTempFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  const printed: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  onTestFinished(() => write.mockRestore())
  await using coffer = await startCoffer({ seed, beside: true, verbose: true })
  const response = await fetch(`${coffer.url}/tokens/break`, { headers: { 'SVC-API-KEY': key } })
  expect(response.status).toBe(500)
  await waitFor(() => expect(printed.join('')).toContain('internal error: TypeError in tokens.get'))
  // This is the socket through which commands find the running Coffer.
  expect(fs.readdirSync(process.env.COFFER_DATA_DIR ?? '')).toEqual(['.control'])
})
