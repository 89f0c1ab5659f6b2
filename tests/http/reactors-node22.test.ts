import { expect, test } from 'vitest'
import type { Pool } from '../../electron/host/reactors/tasks.ts'
import { startDestination } from '../outbound/destination.ts'
import { waitFor } from '../wait-for.ts'
import { createContract, fetchDocument } from './contract.ts'
import { number, startReactors } from './start-reactors.ts'

const runtime = { image: 'node22' }
const echoing =
  "module.exports = async (event) => ({ res: { body: { got: event.req }, headers: { 'X-H': '1' }, statusCode: 201 } })"

test('F-03 in node22, the body of react is event.req, and res is the response', async () => {
  const { storeReactor, request } = await startReactors()
  const id = await storeReactor(echoing, { runtime })
  for (const body of [{ card: 'x' }, { args: { card: 'x' }, callback_url: 1 }, [1, 'a'], 'text', 5, null]) {
    const response = await request('POST', `/reactors/${id}/react`, { body })
    expect(response).toMatchObject({ status: 201, body: { got: body } })
    expect(response.headers.get('x-h')).toBe('1')
    expect(response.headers.get('coffer-ignored')).toBeNull()
  }
})

test('F-03 react and react-async take any JSON body, and none', async () => {
  const { storeReactor, request, waitForResult } = await startReactors()
  const code = 'module.exports = (req) => ({ raw: req.args })'
  const id = await storeReactor(code)
  const newer = await storeReactor(echoing, { runtime })
  const empty = [{}, { 'Content-Type': 'application/json' }, { 'Content-Type': 'text/plain' }]
  for (const headers of empty) {
    expect(await request('POST', `/reactors/${id}/react`, { headers })).toMatchObject({
      status: 200,
      body: { raw: {} },
    })
    expect(await request('POST', `/reactors/${newer}/react`, { headers })).toMatchObject({
      status: 201,
      body: { got: {} },
    })
    const later = await request('POST', `/reactors/${id}/react-async`, { headers })
    expect(later.status).toBe(202)
    expect(await waitForResult(id, later.body.asyncReactorRequestId)).toMatchObject({ body: { raw: {} } })
  }
  // In node-bt, everything but args is ignored and named (rule A-08).
  const body = { args: { a: 1 }, card: 'x' }
  const ignoring = await request('POST', `/reactors/${id}/react`, { body })
  expect(ignoring).toMatchObject({ status: 200, body: { raw: { a: 1 } } })
  expect(ignoring.headers.get('coffer-ignored')).toBe('card')
  const list = await request('POST', `/reactors/${id}/react`, { body: [1] })
  expect(list).toMatchObject({ status: 200, body: { raw: {} } })
  expect(list.headers.get('coffer-ignored')).toBe('body')
  const removed = await request('POST', `/reactors/${id}/react`, { body: { callback_url: 'x' } })
  expect(removed).toMatchObject({ status: 400, body: { errors: { callback_url: [expect.any(String)] } } })
})

test('F-03 in node22, expressions in the whole body are replaced', async () => {
  const { storeReactor, request, card, vault } = await startReactors()
  const code = 'module.exports = ({ req, logger }) => { logger.info(req); return { res: { body: req } } }'
  const id = await storeReactor(code, { runtime })
  const callReactor = (body: never) => request('POST', `/reactors/${id}/react`, { body })
  const body = [{ number: `{{ ${card} | json: '$.number' }}` }, `{{ ${card} | json: '$.expiration_month' }}`]
  expect(await callReactor(body as never)).toMatchObject({ status: 200, body: [{ number }, 12] })
  const [run] = await waitFor(async () => {
    const { data } = await vault.owner.reactorRuns.list({})
    expect(data).toHaveLength(1)
    return data
  })
  const kept = await vault.owner.reactorRuns.get({ id: run?.id ?? '' })
  expect(kept).toMatchObject({ token_ids: [card], console: "INFO [ { number: '••••••••' }, •••••••• ]\n" })
  for (const [invalid, path] of [
    [{ a: ['{{ 1'] }, 'body.a[0]'],
    ['{{ 1', 'body'],
  ] as const) {
    const { status, body } = await callReactor(invalid as never)
    expect([status, Object.keys(body.errors)]).toEqual([400, [path]])
  }
})

test('F-03 an error in node22 is a problem with status 502', async () => {
  const { runReactor } = await startReactors()
  const thrown = await runReactor('module.exports = () => { throw new Error("why") }', {}, { runtime })
  expect(thrown).toMatchObject({
    status: 502,
    body: { title: 'Bad Gateway', code: 'bad_gateway', status: 502, errors: { error: ['why'] } },
  })
  expect(await runReactor('module.exports = () => ({ raw: 1 })', {}, { runtime })).toMatchObject({
    status: 502,
    body: { errors: { error: [expect.stringContaining('{ res: { body, headers, statusCode } }')] } },
  })
  expect(await runReactor('let a = foo bar', {}, { runtime })).toMatchObject({
    status: 422,
    body: {
      errors: { error: [expect.stringMatching(/^Reactor code is not a valid function: line 1, column/)] },
    },
  })
})

test('F-02 processes start when code is stored, if running code is enabled', async () => {
  let prepared = 0
  const pool: Pool = {
    run: async () => ({ ended: { kind: 'returned', value: 'null' }, console: '', duration_ms: 0 }),
    startSpares: async () => void prepared++,
    close: async () => {},
  }
  const { vault, url, state } = await startReactors({ pool, isOn: false })
  const { key } = await vault.application({ type: 'management', permissions: ['reactor:create'] })
  const storeOverHttp = async () => {
    const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'r', code: echoing })
    expect((await fetch(`${url}/reactors`, { method: 'POST', headers, body })).status).toBe(201)
  }
  await storeOverHttp()
  expect(prepared).toBe(0)
  state.isOn = true
  await storeOverHttp()
  expect(prepared).toBe(1)
})

test('F-03 runtime.timeout limits a run in node22, to 10 s by default, and leaves node-bt at 30 s', async () => {
  const limits: number[] = []
  const pool: Pool = {
    run: async ({ limit_ms }) => {
      limits.push(limit_ms)
      return { ended: { kind: 'returned', value: 'null' }, console: '', duration_ms: 0 }
    },
    startSpares: async () => {},
    close: async () => {},
  }
  const { request, storeReactor } = await startReactors({ pool })
  const runtimes = [
    {},
    { timeout: 0 },
    { timeout: 25 },
    { async: true, timeout: 900 },
    { image: 'node-bt', timeout: 25 },
  ]
  for (const more of runtimes) {
    const id = await storeReactor('x', { runtime: { ...runtime, ...more } })
    await request('POST', `/reactors/${id}/react`)
  }
  await waitFor(() =>
    expect(limits.toSorted((a, b) => a - b)).toEqual([10_000, 10_000, 25_000, 30_000, 900_000]),
  )
})

test('F-03 a reactor without its packages is not invoked, and the error names the command', async () => {
  const { runReactor } = await startReactors()
  const dependencies = { 'left-pad': '1.3.0' }
  expect(await runReactor(echoing, {}, { runtime: { ...runtime, dependencies } })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('coffer reactor add-package left-pad@1.3.0') },
  })
})

test('F-03 runtime.permissions are the rights of the key in applicationOptions, during the run', async () => {
  const { storeReactor, request, card, url, listRecords, vault, app_id } = await startReactors()
  const code = `module.exports = async ({ req, applicationOptions = null }) => {
    if (!applicationOptions) return { res: { body: { applicationOptions } } }
    const { apiKey, baseUrl } = applicationOptions
    const { BasisTheoryClient } = require('@basis-theory/node-sdk')
    const client = new BasisTheoryClient({ apiKey, environment: baseUrl })
    const created = await client.tokens.create({ type: 'token', data: 'secret words' })
    const read = await client.tokens.get(req.id).catch(({ statusCode }) => statusCode)
    return { res: { body: { applicationOptions, created: created.id, read } } }
  }`
  const without = await storeReactor(code, { runtime, application: { id: app_id } })
  expect(await request('POST', `/reactors/${without}/react`, { body: {} })).toMatchObject({
    body: { applicationOptions: null },
  })
  const permissions = ['token:create']
  const id = await storeReactor(code, { runtime: { ...runtime, permissions } })
  const { body } = await request('POST', `/reactors/${id}/react`, { body: { id: card } })
  const { apiKey, ...urls } = body.applicationOptions
  const base = url.replace('127.0.0.1', 'localhost')
  expect(urls).toEqual({ baseUrl: base, environment: base })
  expect(body.read).toBe(403)
  expect(await vault.owner.tokens.get({ id: body.created })).toMatchObject({ created_by: id })
  const again = await fetch(`${url}/tokens/${card}`, { headers: { 'SVC-API-KEY': apiKey } })
  expect(again.status).toBe(401)
  const all = await listRecords()
  expect(all.find(({ action }) => action === 'tokens.create')).toMatchObject({
    actor_id: id,
    note: expect.stringContaining(`by reactor ${id}`),
  })
  expect(JSON.stringify(all)).not.toContain(apiKey)
})

test('F-03 F-05 react of an asynchronous node22 reactor answers 202, and results are pending', async () => {
  const { storeReactor, request, waitForResult } = await startReactors()
  let checked = Promise.withResolvers<void>()
  const { url } = await startDestination((_request, response) => {
    void checked.promise.then(() => response.end())
  })
  const code = `module.exports = async ({ req }) => {
    await fetch('${url}')
    return { res: { body: req, statusCode: 201 } }
  }`
  const id = await storeReactor(code, { runtime: { ...runtime, async: true } })
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'once' }
  const checkResponse = createContract(await fetchDocument({ request }))
  for (const path of ['react', 'react-async']) {
    checked = Promise.withResolvers()
    const started = await request('POST', `/reactors/${id}/${path}`, { body: { path }, headers })
    expect(started).toMatchObject({ status: 202, body: { asyncReactorRequestId: expect.any(String) } })
    checkResponse('POST', `/reactors/{id}/${path}`, started)
    const request_id = started.body.asyncReactorRequestId
    const results = `/reactors/${id}/results/${request_id}`
    const pending = await request('GET', results)
    expect(pending).toMatchObject({ status: 202, body: { status: 'pending' } })
    checkResponse('GET', '/reactors/{id}/results/{request_id}', pending)
    expect(await request('POST', `/reactors/${id}/${path}`, { body: { path }, headers })).toMatchObject({
      status: 202,
      body: { asyncReactorRequestId: request_id },
    })
    checked.resolve()
    const ended = await waitFor(async () => {
      const result = await request('GET', results)
      expect(result.status).not.toBe(202)
      return result
    })
    expect(ended).toMatchObject({ status: 201, body: { path } })
  }
  for (const failing of ['module.exports = () => { throw 1 }', 'let a = foo bar']) {
    const failingId = await storeReactor(failing, { runtime: { ...runtime, async: true } })
    const started = await request('POST', `/reactors/${failingId}/react`)
    const failed = await waitForResult(failingId, started.body.asyncReactorRequestId)
    checkResponse('GET', '/reactors/{id}/results/{request_id}', failed)
  }
  const older = await storeReactor('module.exports = () => ({ raw: 1 })', { runtime: { async: true } })
  expect(await request('POST', `/reactors/${older}/react`, { body: {} })).toMatchObject({
    status: 200,
    body: { raw: 1 },
  })
  const later = await request('POST', `/reactors/${older}/react-async`, { body: {} })
  expect((await waitForResult(older, later.body.asyncReactorRequestId)).body).toEqual({ raw: 1 })
})
