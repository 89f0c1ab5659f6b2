import { expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { startReactors } from './start-reactors.ts'

const endless = `module.exports = async (req) => {
  console.log('began')
  await fetch(req.args.url + '/began')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
}`

/** Starts a server that reports when code calls it. */
async function startObserver() {
  const { createServer } = await import('node:http')
  const calls: (() => void)[] = []
  let called = 0
  const server = createServer((_request, response) => {
    called++
    response.end('{}')
    for (const resolve of calls.splice(0)) resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => called,
    next: () => new Promise<void>((resolve) => calls.push(resolve)),
    [Symbol.dispose]: () => void server.close(),
  }
}

test('F-02 locking during a run gives 423 and stores nothing', async () => {
  const { storeReactor, request, reactors, state, vault } = await startReactors()
  using observer = await startObserver()
  const id = await storeReactor(endless)
  const began = observer.next()
  const response = request('POST', `/reactors/${id}/react`, { body: { args: { url: observer.url } } })
  await began
  state.engine = () => null
  await reactors.stop()
  expect(await response).toMatchObject({ status: 423, body: { code: 'locked' } })
  state.engine = () => vault.engine
  expect((await vault.owner.reactorRuns.list({})).data).toEqual([])
})

test('F-02 disabling code ends active and queued runs', async () => {
  const { storeReactor, request, reactors, state, waitForResult } = await startReactors()
  using observer = await startObserver()
  const id = await storeReactor(endless)
  const began = observer.next()
  const body = { args: { url: observer.url } }
  const postArgs = (path: string) => request('POST', `/reactors/${id}/${path}`, { body })
  const requests = await Promise.all(Array.from({ length: 6 }, () => postArgs('react-async')))
  const waiting = postArgs('react')
  await began
  state.isOn = false
  await reactors.turnOff()
  for (const { body } of requests)
    expect(await waitForResult(id, body.asyncReactorRequestId)).toMatchObject({ status: 403 })
  expect(await waiting).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('Running code is disabled') },
  })
})

test('F-02 asynchronous runs do not use up the slots of synchronous ones', {
  tags: 'thorough',
}, async () => {
  const { storeReactor, request } = await startReactors()
  using observer = await startObserver()
  for (let at = 0; at < 6; at++) {
    const id = await storeReactor(endless)
    await request('POST', `/reactors/${id}/react-async`, { body: { args: { url: observer.url } } })
  }
  while (observer.count() < 4) await observer.next()
  const id = await storeReactor('module.exports = () => ({ raw: 1 })')
  expect(await request('POST', `/reactors/${id}/react`, { body: {} })).toMatchObject({ status: 200 })
})

test('F-02 a run ends when its caller disconnects', async () => {
  const { storeReactor, request, vault } = await startReactors()
  using observer = await startObserver()
  const id = await storeReactor(endless)
  const gone = new AbortController()
  const began = observer.next()
  const response = request('POST', `/reactors/${id}/react`, {
    body: { args: { url: observer.url } },
    signal: gone.signal,
  })
  await began
  gone.abort()
  await expect(response).rejects.toThrow()
  await waitFor(async () => {
    const [run] = (await vault.owner.reactorRuns.list({})).data
    expect(run).toMatchObject({ status: 409, reactor_id: id })
  })
})

test('F-05 a run during which Coffer was killed is reported as failed', async () => {
  const { storeReactor, request, reactors, vault, state } = await startReactors()
  using observer = await startObserver()
  const id = await storeReactor(endless)
  const began = observer.next()
  const { body } = await request('POST', `/reactors/${id}/react-async`, {
    body: { args: { url: observer.url } },
  })
  await began
  const path = `/reactors/${id}/results/${body.asyncReactorRequestId}`
  expect(await request('GET', path)).toMatchObject({ status: 404 })
  state.engine = () => null
  await reactors.stop()
  vault.reopen()
  state.engine = () => vault.engine
  expect(await request('GET', path)).toMatchObject({
    status: 500,
    body: { detail: 'Reactor Runtime Error', errors: { error: [expect.stringMatching(/closed or locked/)] } },
  })
})

test('F-05 results can be fetched after a restart', async () => {
  const { storeReactor, request, waitForResult, vault } = await startReactors()
  const id = await storeReactor('module.exports = (req) => ({ raw: req.args })')
  const { body } = await request('POST', `/reactors/${id}/react-async`, { body: { args: { a: 1 } } })
  await waitForResult(id, body.asyncReactorRequestId)
  vault.reopen()
  expect(await waitForResult(id, body.asyncReactorRequestId)).toMatchObject({
    status: 200,
    body: { raw: { a: 1 } },
  })
})

test('F-05 an internal error of an asynchronous run is recorded as an incident', async () => {
  const failing = {
    run: () => Promise.reject(new TypeError('ours')),
    close: async () => {},
    startSpares: async () => {},
  }
  const { storeReactor, request, waitForResult, incidents } = await startReactors({ pool: failing })
  const id = await storeReactor('module.exports = () => ({})')
  const { body } = await request('POST', `/reactors/${id}/react-async`, { body: { args: {} } })
  const result = await waitForResult(id, body.asyncReactorRequestId)
  expect(result).toMatchObject({ status: 500, body: { code: 'internal' } })
  expect(result.text).not.toContain('ours')
  expect(incidents).toEqual([{ error: new TypeError('ours'), where: 'reactors.reactAsync' }])
})

test('F-04 an internal error after the response is recorded as an incident', async () => {
  const result = { ended: { kind: 'returned', value: '{"raw":1}' }, console: null, duration_ms: 1 }
  const lying = { run: async () => result as never, close: async () => {}, startSpares: async () => {} }
  const { runReactor, incidents } = await startReactors({ pool: lying })
  expect(await runReactor('module.exports = () => ({})')).toMatchObject({ status: 200, body: { raw: 1 } })
  await waitFor(() => expect(incidents.map(({ where }) => where)).toEqual(['reactors.react']))
})
