import https from 'node:https'
import net from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { listenOnFreePort, startDestination, startRawDestination } from '../outbound/destination.ts'
import { createSelfSignedCertificate } from '../outbound/self-signed.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { isSigned, startReceiver, startWebhooks } from './start-webhooks.ts'

afterEach(() => vi.useRealTimers())

const createIds = (count: number) => Array.from({ length: count }, (_, at) => `t-${at}`)
const HOUR = 60 * 60 * 1000

test('W-02 an event is delivered as exactly the JSON that was signed', async () => {
  const receiver = await startReceiver()
  const { vault, createWebhook, createToken, listener } = await startWebhooks()
  await createWebhook(`${receiver.url}/hooks?from=coffer`)
  await createToken('first', { metadata: { z: 'ü', a: '1' } })
  const [one] = await waitFor(() => {
    expect(receiver.arrived).toHaveLength(1)
    return receiver.arrived
  })
  expect(one?.path).toBe('/hooks?from=coffer')
  expect(one?.headers).toMatchObject({
    'content-type': 'application/json',
    'bt-signature-version': 'v1-test',
    'content-length': String(Buffer.byteLength(one?.text ?? '')),
  })
  expect(one?.body).toMatchObject({
    delivered_at: new Date(vault.clock.ms).toISOString(),
    event: { type: 'token.created', data: { token: { id: 'first', metadata: { a: '1', z: 'ü' } } } },
  })
  expect(one?.text).toMatch(/^\{"delivered_at":"[^"]+","event":\{"data":\{/)
  expect(one?.text.indexOf('"a":"1"')).toBeLessThan(one?.text.indexOf('"z":"ü"') as number)

  const page = await fetch(`${listener.url}/.well-known/webhooks.v1.key`)
  const pem = await page.text()
  const { text = '', headers = {} } = one ?? {}
  expect(isSigned({ text, headers }, pem)).toBe(true)
  expect(isSigned({ text: `${text} `, headers }, pem)).toBe(false)
})

test('W-02 each webhook gets its events in order, and different webhooks in parallel', async () => {
  const order = createIds(15)
  const inFlight = new Map<string, number>()
  let peak = 0
  const receiver = await startReceiver(async ({ path }) => {
    inFlight.set(path, (inFlight.get(path) ?? 0) + 1)
    peak = Math.max(peak, inFlight.get(path) ?? 0)
    await new Promise((resolve) => setTimeout(resolve, path === '/slow' ? 5 : 1))
    inFlight.set(path, (inFlight.get(path) ?? 0) - 1)
    return 200
  })
  const { createWebhook, createToken } = await startWebhooks()
  await createWebhook(`${receiver.url}/slow`)
  await createWebhook(`${receiver.url}/quick`)
  for (const id of order) await createToken(id)
  const listIdsAt = (path: string) =>
    receiver.arrived.filter((each) => each.path === path).map(({ body }) => body.event.data.token.id)
  await waitFor(() => {
    expect(listIdsAt('/slow')).toEqual(order)
    expect(listIdsAt('/quick')).toEqual(order)
  })
  expect(peak).toBe(1)
})

test('W-02 deliveries to one webhook use one connection', async () => {
  const sockets = new Set<net.Socket>()
  const receiver = await startDestination((request, response) => {
    sockets.add(request.socket)
    request.resume().on('end', () => response.end('ok'))
  })
  const { createWebhook, createToken, getHealth } = await startWebhooks()
  const { id } = await createWebhook(receiver.url)
  for (const each of createIds(20)) await createToken(each)
  await waitFor(async () => expect(await getHealth(id)).toMatchObject({ waiting: 0 }))
  expect(receiver.requests).toHaveLength(20)
  expect(sockets.size).toBe(1)
})

test.each(pickSome([201, 202, 204, 299], 1))(
  'W-02 a response with status %i acknowledges the event',
  async (status) => {
    const receiver = await startReceiver(() => status)
    const { createWebhook, createToken, getHealth } = await startWebhooks()
    const { id } = await createWebhook(receiver.url)
    await createToken('one')
    await waitFor(async () => expect(await getHealth(id)).toMatchObject({ waiting: 0, failures: 0 }))
  },
)

test('W-02 a rejected event is retried 6 times and then dropped', async () => {
  const receiver = await startReceiver(() => 500)
  const { vault, createWebhook, createToken, getHealth, advanceClock } = await startWebhooks()
  const { id } = await createWebhook(receiver.url)
  await createToken('one')
  const times = [0]
  const start = vault.clock.ms
  for (const wait of [5, 30, 120, 600, 3600, 6 * 3600]) {
    await waitFor(async () => expect((await getHealth(id)).failures).toBe(times.length))
    expect(receiver.arrived).toHaveLength(times.length)
    advanceClock(wait * 1000)
    times.push((vault.clock.ms - start) / 1000)
  }
  await waitFor(async () =>
    expect(await getHealth(id)).toMatchObject({
      failures: 7,
      waiting: 0,
      dropped: 1,
      last_failure: '127.0.0.1 responded with 500.',
    }),
  )
  expect(new Set(receiver.arrived.map(({ body }) => body.event.id)).size).toBe(1)
  // Each attempt has its own delivery time.
  expect(new Set(receiver.arrived.map(({ body }) => body.delivered_at)).size).toBe(7)
})

test('X-55 a target that was down for a day gets every event', {
  tags: 'thorough',
}, async () => {
  const order = createIds(30)
  const receiver = await startReceiver()
  const down = await startDestination()
  const { createWebhook, createToken, getHealth, owner, advanceClock } = await startWebhooks()
  const unused = net.createServer()
  const port = await listenOnFreePort(unused)
  await new Promise((resolve) => unused.close(resolve))
  const { id } = await createWebhook(`http://127.0.0.1:${port}`)
  for (const [at, each] of order.entries()) {
    await createToken(each)
    if (at % 3 === 0) advanceClock(3 * HOUR)
  }
  await waitFor(async () => {
    advanceClock(HOUR)
    const { failures, waiting, last_failure } = await getHealth(id)
    expect(failures).toBeGreaterThan(5)
    expect(waiting).toBe(order.length)
    expect(last_failure).toBe('127.0.0.1 refused the connection: nothing listens on that port.')
  })
  expect(down.requests).toEqual([])
  const { name, events } = await owner.webhooks.get({ id })
  await owner.webhooks.update({ id, name, events, url: receiver.url } as never)
  await waitFor(() => expect(receiver.listTokenIds()).toEqual(order))
  await waitFor(async () =>
    expect(await getHealth(id)).toMatchObject({ waiting: 0, failures: 0, dropped: 0 }),
  )
})

test('X-55 a silent target times out and blocks no other webhook', async () => {
  let resolveAsked = () => {}
  const wasAsked = new Promise<void>((resolve) => {
    resolveAsked = resolve
  })
  const silent = await startDestination(() => resolveAsked())
  const receiver = await startReceiver()
  const { createWebhook, createToken, getHealth } = await startWebhooks()
  const { id } = await createWebhook(silent.url)
  await createWebhook(receiver.url)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await createToken('one')
  await wasAsked
  await waitFor(() => expect(receiver.listTokenIds()).toEqual(['one']))
  expect((await getHealth(id)).failures).toBe(0)
  await vi.advanceTimersByTimeAsync(10_000)
  vi.useRealTimers()
  await waitFor(async () =>
    expect(await getHealth(id)).toMatchObject({
      failures: 1,
      waiting: 1,
      last_failure: '127.0.0.1 did not respond in time.',
    }),
  )
})

test('X-55 a slow response is cut off after 10 s and acknowledges the event', async () => {
  let resolveStarted = () => {}
  const responseStarted = new Promise<void>((resolve) => {
    resolveStarted = resolve
  })
  const dripping = await startDestination((_request, response) => {
    response.writeHead(200)
    let drops = 0
    const timer = setInterval(() => {
      response.write('.')
      if (++drops === 20) resolveStarted()
    }, 5)
    response.on('close', () => clearInterval(timer))
  })
  const { createWebhook, createToken, getHealth } = await startWebhooks()
  const { id } = await createWebhook(dripping.url)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await createToken('one')
  await responseStarted
  await vi.advanceTimersByTimeAsync(11_000)
  vi.useRealTimers()
  await waitFor(async () => expect(await getHealth(id)).toMatchObject({ failures: 0, waiting: 0 }))
})

test('X-55 a 10 GB response is cut off after 4 KiB and acknowledges the event', async () => {
  let sent = 0
  const endless = await startDestination((request, response) => {
    request.resume()
    response.writeHead(200, { 'Content-Length': 10_000_000_000 })
    const piece = Buffer.alloc(64 * 1024, 'x')
    const writeMore = () => {
      while (!response.destroyed) {
        sent += piece.length
        if (!response.write(piece)) return
      }
    }
    response.on('drain', writeMore)
    writeMore()
  })
  const { createWebhook, createToken, getHealth, owner } = await startWebhooks()
  const { id } = await createWebhook(endless.url)
  await createToken('one')
  await waitFor(async () => expect(await getHealth(id)).toMatchObject({ failures: 0, waiting: 0 }))
  expect(sent).toBeLessThan(100_000_000)
  const [first] = (await owner.deliveries.list({ webhook_id: id } as never)).data
  const { tried } = await owner.deliveries.get({ id: first?.id as string } as never)
  expect(tried[0]?.answer).toBe('x'.repeat(4096))
})

const lying = [
  ['a gzip bomb', `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxxx`, null],
  [
    'two responses',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    null,
  ],
  ['200 and an empty body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', null],
  ['204 and a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok', null],
  ['less than its Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort', null],
  [
    'a redirect',
    'HTTP/1.1 307 Go\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n',
    /responded with 307, a redirect\. Redirects are not followed\./,
  ],
  ['something other than HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', /did not respond with HTTP\./],
  ['an invalid HTTP status', 'HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n', /an invalid HTTP status\./],
  ['nothing', '', /closed the connection\./],
  ['endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}`, /sent headers that are too long\./],
] as const

test.each(pickSome(lying, 2))(
  'X-55 a response with %s is recorded as acknowledged or as a failure',
  async (_what, bytes, failure) => {
    const url = await startRawDestination(bytes)
    const { createWebhook, createToken, getHealth, reports } = await startWebhooks()
    const { id } = await createWebhook(url)
    await createToken('one')
    await waitFor(async () => {
      const { failures, waiting, last_failure } = await getHealth(id)
      if (failure === null) expect({ failures, waiting }).toEqual({ failures: 0, waiting: 0 })
      else expect(last_failure).toMatch(failure)
    })
    expect(reports).toEqual([])
  },
)

test('X-55 a connection that is reset during a request is recorded as a failure', async () => {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.resetAndDestroy())
  })
  const { createWebhook, createToken, getHealth } = await startWebhooks()
  const { id } = await createWebhook(`http://127.0.0.1:${await listenOnFreePort(server)}`)
  await createToken('one')
  await waitFor(async () =>
    expect(await getHealth(id)).toMatchObject({
      failures: 1,
      last_failure: '127.0.0.1 closed the connection.',
    }),
  )
})

test('X-55 health explains why a target cannot be reached', async () => {
  const server = https.createServer(createSelfSignedCertificate('localhost'), (_, response) => response.end())
  const port = await listenOnFreePort(server)
  const { createWebhook, createToken, getHealth, listener } = await startWebhooks({
    allow: ['nobody.invalid'],
  })
  const made = {
    certificate: await createWebhook(`https://localhost:${port}`),
    name: await createWebhook('https://nobody.invalid/hooks'),
    destination: await createWebhook('https://api.example.com/hooks'),
    own: await createWebhook(`http://127.0.0.1:${listener.port}/tokens`),
  }
  await createToken('one')
  const sentences = {
    certificate: 'localhost has no certificate that this computer trusts.',
    name: /^nobody\.invalid cannot be resolved/,
    destination: /^api\.example\.com is not an allowed destination\. Nothing was sent\./,
    own: /belongs to Coffer itself\. Nothing was sent\.$/,
  }
  for (const [which, { id }] of Object.entries(made)) {
    await waitFor(async () =>
      expect((await getHealth(id)).last_failure).toMatch(sentences[which as keyof typeof sentences]),
    )
  }
})

test('W-02 webhooks can be changed, disabled and deleted during a delivery', async () => {
  let releaseDeliveries = () => {}
  const held = new Promise<void>((resolve) => {
    releaseDeliveries = resolve
  })
  const slow = await startReceiver(async () => {
    await held
    return 200
  })
  const quick = await startReceiver()
  const { createWebhook, createToken, getHealth, owner, reports } = await startWebhooks()
  const deleted = await createWebhook(`${slow.url}/deleted`)
  const disabled = await createWebhook(`${slow.url}/disabled`)
  const changed = await createWebhook(`${slow.url}/changed`)
  await createToken('one')
  await waitFor(() => expect(slow.arrived).toHaveLength(3))
  await createToken('two')
  await owner.webhooks.remove({ id: deleted.id })
  const events = ['token.created']
  await owner.webhooks.update({
    id: disabled.id,
    name: 'x',
    url: `${slow.url}/disabled`,
    events,
    status: 'disabled',
  } as never)
  await owner.webhooks.update({ id: changed.id, name: 'x', url: quick.url, events } as never)
  releaseDeliveries()
  await waitFor(() => expect(quick.listTokenIds()).toEqual(['two']))
  await waitFor(async () => expect(await getHealth(changed.id)).toMatchObject({ waiting: 0, failures: 0 }))
  expect(slow.arrived).toHaveLength(3)
  expect(reports).toEqual([])
})

test('W-02 pending events are delivered in order after a restart', async () => {
  const receiver = await startReceiver()
  const { vault, createWebhook, createToken, deliveries } = await startWebhooks()
  await createWebhook(receiver.url)
  deliveries.stop()
  vault.reopen()
  for (const id of createIds(10)) await createToken(id)
  await waitFor(() => expect(receiver.listTokenIds()).toEqual(createIds(10)))
})

test('W-02 a delivery interrupted by a lock is repeated after the unlock', async () => {
  let respond = () => {}
  const receiver = await startReceiver(
    () =>
      new Promise((resolve) => {
        respond = () => resolve(200)
      }),
  )
  const { vault, createWebhook, createToken, deliveries, getHealth, reports } = await startWebhooks()
  const { id } = await createWebhook(receiver.url)
  await createToken('one')
  await waitFor(() => expect(receiver.arrived).toHaveLength(1))
  deliveries.stop()
  vault.reopen()
  deliveries.schedulePoll()
  await waitFor(() => expect(receiver.listTokenIds()).toEqual(['one', 'one']))
  respond()
  await waitFor(async () => expect(await getHealth(id)).toMatchObject({ waiting: 0, failures: 0 }))
  expect(reports).toEqual([])
})

test('W-02 closing waits only for active deliveries', async () => {
  let respond = () => {}
  const receiver = await startReceiver(
    () =>
      new Promise((resolve) => {
        respond = () => resolve(200)
      }),
  )
  const { createWebhook, createToken, deliveries, getHealth } = await startWebhooks()
  const { id } = await createWebhook(receiver.url)
  await createToken('one')
  await createToken('two')
  await waitFor(() => expect(receiver.arrived).toHaveLength(1))
  const closed = deliveries.close()
  respond()
  await closed
  await waitFor(async () => expect(await getHealth(id)).toMatchObject({ waiting: 1, failures: 0 }))
  expect(receiver.listTokenIds()).toEqual(['one'])
})

test('X-45 a clock jump of years drops no delivery', { tags: 'thorough' }, async () => {
  let status = 500
  const receiver = await startReceiver(() => status)
  const { vault, createWebhook, createToken, getHealth, advanceClock } = await startWebhooks()
  const { id } = await createWebhook(receiver.url)
  await createToken('one')
  await waitFor(async () => expect((await getHealth(id)).failures).toBe(1))
  const years = 3 * 365 * 24 * HOUR
  advanceClock(years)
  await waitFor(async () => expect((await getHealth(id)).failures).toBe(2))
  expect(await getHealth(id)).toMatchObject({ waiting: 1, dropped: 0 })
  status = 200
  vault.clock.advance(-years)
  advanceClock(7 * HOUR)
  await waitFor(async () => expect(await getHealth(id)).toMatchObject({ waiting: 0, dropped: 0 }))
})

test('X-55 sending many events does not block other requests', async () => {
  const receiver = await startReceiver()
  const { createWebhook, owner, createToken, getHealth } = await startWebhooks()
  const { id } = await createWebhook(receiver.url)
  const count = isThorough ? 400 : 30
  await Promise.all(createIds(count).map((each) => createToken(each)))
  let answered = 0
  while ((await getHealth(id)).waiting > 0) {
    await owner.tokens.get({ id: 't-1' } as never)
    answered++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(answered).toBeGreaterThan(count)
  expect(receiver.listTokenIds()).toHaveLength(count)
})
