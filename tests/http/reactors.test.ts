import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openReadOnly } from '../../electron/engine/db/open.ts'
import { type Json, readJson } from '../../shared/json.ts'
import { waitFor } from '../wait-for.ts'
import { number, startReactors } from './start-reactors.ts'

test('F-03 a reactor gets args with token values and returns a result', async () => {
  const { runReactor, card, listRecords, app_id } = await startReactors()
  const code = `module.exports = async ({ args, configuration, bt, applicationOptions }) =>
    ({ raw: { ...args, length: args.number.length, shop: configuration.shop, bt, applicationOptions } })`
  const args = {
    number: `{{ ${card} | json: '$.number' }}`,
    month: `{{ ${card} | json: '$.expiration_month' }}`,
    text: `ends {{ ${card} | json: '$.number' | last4 }}`,
    token: `{{ token: ${card} | json: '$.type' }}`,
    config: '{{ config: shop }}',
  }
  const response = await runReactor(code, args, { configuration: { shop: 'ada' } })
  expect(response).toMatchObject({
    status: 200,
    body: {
      raw: {
        number,
        month: 12,
        text: 'ends 4242',
        token: 'card',
        config: 'ada',
        length: 16,
        shop: 'ada',
        bt: null,
      },
    },
  })
  const all = await listRecords()
  const runs = all.filter(({ action }) => action === 'reactors.react')
  expect(runs).toHaveLength(2)
  expect(runs.map(({ entity_id }) => entity_id)).toContain(card)
  expect(new Set(runs.map(({ actor_id }) => actor_id))).toEqual(new Set([app_id]))
  expect(JSON.stringify(all)).not.toContain(number)
})

test('F-03 args have at most 100 expressions and 1 MiB', async () => {
  const { runReactor, card } = await startReactors()
  const code = 'module.exports = (req) => ({ raw: Object.keys(req.args).length })'
  const createArgs = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`a${at}`, `{{ ${card} | json: '$.number' }}`]),
    )
  expect(await runReactor(code, createArgs(100))).toMatchObject({ status: 200, body: { raw: 100 } })
  expect(await runReactor(code, createArgs(101))).toMatchObject({ status: 400, body: { code: 'invalid' } })
  const fits = { text: 'x'.repeat(1024 * 1024 - '{"text":""}'.length) }
  expect(await runReactor(code, fits)).toMatchObject({ status: 200 })
  expect(await runReactor(code, { text: `${fits.text}x` })).toMatchObject({
    status: 413,
    body: { code: 'too_large' },
  })
  expect(await runReactor(code, { text: '{{ 8f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10 }}' })).toMatchObject({
    status: 400,
    body: { detail: 'Failed to detokenize some tokens: 8f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10' },
  })
})

test('A-14 F-03 code gets exact numbers, and a call with an inexact number is rejected', async () => {
  const { runReactor, request, storeReactor, vault } = await startReactors()
  const code = 'module.exports = ({ args }) => ({ raw: args })'
  const kept =
    '{"all":[0.1,19.90,-0,1.0,1e21,9007199254740992,5e-324,-2.50e3,0.10000000000000001,1.1000000000000001]}'
  const response = await runReactor(code, readJson(kept))
  expect([response.status, response.body.raw]).toEqual([
    200,
    { all: [0.1, 19.9, 0, 1, 1e21, 2 ** 53, 5e-324, -2500, 0.1, 1.1] },
  ])

  const problem = 'is a number that JavaScript cannot represent exactly: send it as a string'
  for (const changed of [
    '12345678901234567890',
    '9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.10000000000000000001',
    '12345678901234567',
    '36028797018963968',
    '18446744073709551616',
  ]) {
    const { status, body, text } = await runReactor(code, readJson(`{"a":1,"list":[{"n":${changed}}]}`))
    expect([changed, status, body.code, body.errors]).toEqual([
      changed,
      400,
      'invalid',
      { 'args.list[0].n': [problem] },
    ])
    expect(text).not.toContain(changed)
  }
  const body = { args: readJson('{"b":1e400}') }
  const later = await request('POST', `/reactors/${await storeReactor(code)}/react-async`, { body })
  expect(later).toMatchObject({ status: 400, body: { errors: { 'args.b': [problem] } } })

  const data = readJson('{"n":12345678901234567890,"m":19.90}')
  const { id } = await vault.owner.tokens.create({ type: 'token', data })
  for (const taken of [`{{ ${id} }}`, `{{ ${id} | json: '$.n' }}`]) {
    const refused = await runReactor(code, { price: taken })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid' } })
    expect(Object.keys(refused.body.errors)).toEqual(['args.price'])
    expect(refused.text).not.toContain('1234567')
  }
  const texts = {
    n: `{{ ${id} | json: '$.n' | to_string }}`,
    m: `{{ ${id} | json: '$.m' }}`,
    o: `no. {{ ${id} | json: '$.n' }}`,
  }
  expect((await runReactor(code, texts)).body.raw).toEqual({
    n: '12345678901234567890',
    m: 19.9,
    o: 'no. 12345678901234567890',
  })
})

test('F-04 an error that code throws gives a problem document with its status', async () => {
  const { runReactor, listRecords } = await startReactors()
  const secret = 'nobody else reads this'
  const thrown = await runReactor(`class BadRequestError extends Error {
    constructor(data) { super('x'); this.name = 'BadRequestError'; this.status = 400; this.data = data }
  }
  module.exports = () => { throw new BadRequestError('${secret}') }`)
  expect(thrown.status).toBe(400)
  expect(thrown.headers.get('content-type')).toContain('application/json')
  expect(thrown.body).toMatchObject({
    title: 'One or more validation errors occurred.',
    status: 400,
    detail: 'Bad Request',
  })
  const sdk = `module.exports = () => {
    throw Object.assign(new Error('no'), { name: 'InvalidPaymentMethodError', status: 402 })
  }`
  expect(await runReactor(sdk)).toMatchObject({ status: 402, body: { detail: 'Invalid Payment Method' } })
  expect(await runReactor(`module.exports = () => { throw new Error('${secret}') }`)).toMatchObject({
    status: 500,
    body: { title: 'One or more validation errors occurred.', detail: 'Reactor Runtime Error' },
  })
  expect(await runReactor('module.exports = { no: "function" }')).toMatchObject({
    status: 422,
    body: { detail: 'Invalid Reactor Formula' },
  })
  expect(await runReactor('module.exports = () => 5')).toMatchObject({ status: 422 })
  expect(await runReactor('module.exports = () => {}')).toMatchObject({ status: 200, body: {} })
  expect(JSON.stringify(await listRecords())).not.toContain(secret)
})

test('F-04 a problem from code is pretty-printed for curl', async () => {
  const { request, storeReactor } = await startReactors()
  const id = await storeReactor("module.exports = () => { throw new Error('no') }")
  const headers = { 'User-Agent': 'curl/8.5.0' }
  const { text, body } = await request('POST', `/reactors/${id}/react`, { body: { args: {} }, headers })
  expect(text).toBe(`${JSON.stringify(body, null, 2)}\n`)
})

test('F-04 CustomHttpResponseError is sent without reserved headers', async () => {
  const { runReactor } = await startReactors()
  const code = `class CustomHttpResponseError extends Error {
    constructor(data) { super('answer'); this.name = 'CustomHttpResponseError'; Object.assign(this, data, { data }) }
  }
  module.exports = () => { throw new CustomHttpResponseError({
    status: 418, headers: { 'X-Tea': 'pot', 'Access-Control-Allow-Origin': '*', 'Transfer-Encoding': 'chunked', 'X-Bad': 'a\\r\\nX-More: b' },
    body: { short: true } }) }`
  const { status, headers, body } = await runReactor(code)
  expect(status).toBe(418)
  expect(body).toEqual({ short: true })
  expect(headers.get('x-tea')).toBe('pot')
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(headers.get('x-more')).toBeNull()
})

test('F-04 a custom response is always a valid HTTP message', async () => {
  const { runReactor } = await startReactors()
  const reactWith = (status: number) =>
    runReactor(
      `module.exports = ({ args }) => { throw { name: 'CustomHttpResponseError', status: args.status, body: 'text',
      headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip', 'X-Tea': 'pot' } } }`,
      { status },
    )
  for (const status of [204, 205, 304]) {
    const { headers, text } = await reactWith(status)
    expect(text).toBe('')
    expect(headers.get('content-length') ?? '0').toBe('0')
  }
  const { headers, text } = await reactWith(200)
  expect(text).toBe('text')
  expect(headers.get('x-tea')).toBe('pot')

  const refused = 'A CustomHttpResponseError needs a status, an integer from 200 to 599.'
  for (const each of [100, 101, 103, 199, 600, 999]) {
    const { status, body } = await reactWith(each)
    expect([each, status, body.errors]).toEqual([each, 500, { error: [refused] }])
  }
})

test('F-02 code runs only after the owner enables it', async () => {
  const { storeReactor, request, state, listRecords } = await startReactors({ isOn: false })
  const id = await storeReactor('module.exports = (req) => ({ raw: req.args })')
  const off = await request('POST', `/reactors/${id}/react`, { body: { args: {} } })
  expect(off).toMatchObject({ status: 403 })
  for (const setting of ['Settings → Reactors', 'coffer serve --reactors', 'startCoffer({ reactors: true })'])
    expect(off.body.detail).toContain(setting)
  expect(await request('POST', `/reactors/${id}/react-async`, { body: { args: {} } })).toMatchObject({
    status: 403,
  })
  expect((await listRecords())[0]).toMatchObject({ action: 'reactors.reactAsync', status: 403 })
  state.isOn = true
  expect(await request('POST', `/reactors/${id}/react`, { body: { args: { a: 1 } } })).toMatchObject({
    status: 200,
    body: { raw: { a: 1 } },
  })
})

test('F-03 bt uses a key of the application, which is revoked after the run', async () => {
  const { runReactor, vault, card, url, listRecords } = await startReactors()
  const reader = await vault.application({
    rules: [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', 'token:create'] },
    ],
  })
  const code = `module.exports = async ({ args, bt, applicationOptions }) => {
    const token = await bt.tokens.retrieve(args.id)
    console.log('read', token.data.number, token.data.number.split('').join('-'))
    return { raw: { last4: token.data.number.slice(-4), applicationOptions } }
  }`
  const { status, body } = await runReactor(code, { id: card }, { application: { id: reader.id } })
  expect({ status, body }).toMatchObject({ status: 200, body: { raw: { last4: '4242' } } })
  const { apiKey, environment } = body.raw.applicationOptions
  expect(environment).toBe(url.replace('127.0.0.1', 'localhost'))
  const again = await fetch(`${url}/tokens/${card}`, { headers: { 'SVC-API-KEY': apiKey } })
  expect(again.status).toBe(401)
  const all = await listRecords()
  const read = all.find(({ action, status }) => action === 'tokens.get' && status === 200)
  expect(read).toMatchObject({ actor_id: reader.id, note: expect.stringMatching(/^by reactor /) })
  expect(JSON.stringify(all)).not.toContain(apiKey)
  expect(JSON.stringify(all)).not.toContain(apiKey.slice(-4))
  expect(JSON.stringify(await vault.owner.keys.list({ id: reader.id }))).not.toContain('run-')
  const runs = await waitForValue(async () => (await vault.owner.reactorRuns.list({})).data[0])
  const kept = await vault.owner.reactorRuns.get({ id: runs.id })
  expect(kept.console).toBe('read ••••••••\n')
})

test('F-04 console output is stored without token values', async () => {
  const { runReactor, card, vault } = await startReactors()
  const code = `module.exports = ({ args }) => {
    console.log('hello', args.number)
    console.error({ encoded: Buffer.from(args.number).toString('base64') })
    throw new Error('failed with ' + args.number)
  }`
  const { status, headers } = await runReactor(code, { number: `{{ ${card} | json: '$.number' }}` })
  expect(status).toBe(500)
  const trace_id = headers.get('svc-trace-id') as string
  const run = await waitForValue(async () => (await vault.owner.reactorRuns.list({ trace_id })).data[0])
  expect(run).toMatchObject({ kind: 'react', status: 500, trace_id })
  const kept = await vault.owner.reactorRuns.get({ id: run.id })
  expect(kept.console).toContain('hello ••••••••')
  const detail = 'Reactor Runtime Error: failed with ••••••••'
  expect(kept).toMatchObject({ problem: { status: 500, detail, place: { line: 4 } }, token_ids: [card] })
  expect(JSON.stringify(kept)).not.toMatch(/42424242|NDI0Mj/)
  await vault.owner.tenants.update({ name: 'x', settings: { keep_exchanges: 'never' } })
  await runReactor(code, { number: 'x' })
  const last = await waitForValue(async () =>
    (await vault.owner.reactorRuns.list({})).data.find(({ id }) => id !== run.id),
  )
  expect(await vault.owner.reactorRuns.get({ id: last.id })).toMatchObject({ console: null, problem: null })
})

test('F-05 react-async results are for authorized callers only', async () => {
  const { storeReactor, request, waitForResult, vault, app_id } = await startReactors()
  const id = await storeReactor('module.exports = async (req) => ({ raw: req.args, tokenize: { a: "b" } })')
  const { status, body } = await request('POST', `/reactors/${id}/react-async`, { body: { args: { a: 1 } } })
  expect(status).toBe(202)
  expect(body).toEqual({ asyncReactorRequestId: expect.stringMatching(/^[\da-f-]{36}$/) })
  const path = `/reactors/${id}/results/${body.asyncReactorRequestId}`
  const result = await waitForResult(id, body.asyncReactorRequestId)
  expect(result).toMatchObject({ status: 200, body: { raw: { a: 1 }, tokens: { a: expect.any(String) } } })
  expect(await request('GET', `/reactors/${id}/results/${app_id}`)).toMatchObject({ status: 404 })
  const other = await vault.application({
    rules: [{ priority: 1, container: '/x/', transform: 'reveal', permissions: ['reactor:invoke'] }],
  } as never)
  expect(await request('GET', path, { key: other.key })).toMatchObject({ status: 404 })
  const anywhere = await vault.application({ permissions: ['token:use'] } as never)
  expect(await request('GET', path, { key: anywhere.key })).toMatchObject({ status: 200 })
  vault.clock.advance(24 * 60 * 60 * 1000 + 1)
  expect(await request('GET', path)).toMatchObject({ status: 404 })
})

test('F-05 a react-async error is stored as result, and an idempotency key prevents a rerun', async () => {
  const { storeReactor, request, waitForResult, vault } = await startReactors()
  const id = await storeReactor(
    `module.exports = () => { throw Object.assign(new Error('x'), { name: 'RateLimitError', status: 429 }) }`,
  )
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'once' }
  const first = await request('POST', `/reactors/${id}/react-async`, { body: { args: {} }, headers })
  const result = await waitForResult(id, first.body.asyncReactorRequestId)
  expect(result).toMatchObject({ status: 429, body: { detail: 'Rate Limit Exceeded' } })
  const again = await request('POST', `/reactors/${id}/react-async`, { body: { args: {} }, headers })
  expect(again).toMatchObject({ status: 202, body: first.body })
  await waitForValue(async () => (await vault.owner.reactorRuns.list({})).data[0])
  expect((await vault.owner.reactorRuns.list({})).data).toHaveLength(1)
})

test('A-12 with an idempotency key, react runs once and its first success is returned again', async () => {
  const { storeReactor, request, vault, card } = await startReactors()
  const id = await storeReactor(
    'module.exports = ({ args }) => ({ raw: { at: process.hrtime.bigint().toString(), args }, tokenize: { a: "x" } })',
  )
  const reactOnce = (args: Json, header = 'SVC-IDEMPOTENCY-KEY', key = 'once') =>
    request('POST', `/reactors/${id}/react`, { body: { args }, headers: { [header]: key } })
  const first = await reactOnce({ a: 1 })
  expect(first).toMatchObject({ status: 200, body: { raw: { args: { a: 1 } } } })
  // A repeated request may have another body.
  const again = await reactOnce({ a: 2 }, 'BT-IDEMPOTENCY-KEY')
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
  const runs = await waitForValue(async () => {
    const { data } = await vault.owner.reactorRuns.list({})
    return data[0] && data
  })
  expect(runs).toHaveLength(1)
  const made = first.body.tokens.a
  expect((await vault.owner.tokens.list({})).data.map(({ id }) => id)).toEqual([card, made])
  expect((await reactOnce({ a: 1 }, undefined, 'another')).text).not.toBe(first.text)
  await vault.owner.tokens.remove({ id: made })
  expect(await reactOnce({ a: 1 })).toMatchObject({ status: 409, body: { code: 'conflict' } })
  vault.clock.advance(24 * 60 * 60 * 1000 + 1)
  expect((await reactOnce({ a: 3 })).body.raw.args).toEqual({ a: 3 })
})

test('A-12 a custom response is repeated only if it succeeded', async () => {
  const { storeReactor, request } = await startReactors()
  const id = await storeReactor(`module.exports = ({ args }) => {
    const now = process.hrtime.bigint().toString()
    throw Object.assign(new Error('x'), { name: 'CustomHttpResponseError', status: args.status, headers: { 'x-at': now }, body: { now } })
  }`)
  const reactWith = (status: number) =>
    request('POST', `/reactors/${id}/react`, {
      body: { args: { status } },
      headers: { 'SVC-IDEMPOTENCY-KEY': 'once' },
    })
  const [one, two] = [await reactWith(402), await reactWith(402)]
  expect([one.status, two.status]).toEqual([402, 402])
  expect(one.text).not.toBe(two.text)
  const first = await reactWith(201)
  const again = await reactWith(402)
  expect([again.status, again.text, again.headers.get('x-at')]).toEqual([
    201,
    first.text,
    first.headers.get('x-at'),
  ])
})

test('A-12 an idempotency key is rejected while a react with that key is running', async () => {
  const { storeReactor, request } = await startReactors()
  const started = Promise.withResolvers<() => void>()
  const server = createServer((_request, response) => started.resolve(() => response.end('done')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const id = await storeReactor(`module.exports = ({ args }) => new Promise((resolve) =>
    require('http').get(args.url, (response) => response.on('end', () => resolve({ raw: 1 })).resume()))`)
  const reactOnce = () =>
    request('POST', `/reactors/${id}/react`, {
      body: { args: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
      headers: { 'SVC-IDEMPOTENCY-KEY': 'once' },
    })
  const first = reactOnce()
  const end = await started.promise
  expect(await reactOnce()).toMatchObject({ status: 409, body: { code: 'in_flight' } })
  end()
  expect(await first).toMatchObject({ status: 200, body: { raw: 1 } })
  expect(await reactOnce()).toMatchObject({ status: 200, body: { raw: 1 } })
})

test('A-12 X-49 a repeated react checks access again', async () => {
  const createRules = (transform: string) => [
    { priority: 1, container: '/', transform, permissions: ['reactor:invoke'] },
  ]
  const { storeReactor, request, card, vault, app_id } = await startReactors({ rules: createRules('reveal') })
  const id = await storeReactor('module.exports = ({ args }) => ({ raw: args })')
  const reactOnce = () =>
    request('POST', `/reactors/${id}/react`, {
      body: { args: { number: `{{ ${card} | json: '$.number' }}` } },
      headers: { 'SVC-IDEMPOTENCY-KEY': 'once' },
    })
  const first = await reactOnce()
  expect(first).toMatchObject({ status: 200, body: { raw: { number } } })
  expect((await reactOnce()).text).toBe(first.text)
  const db = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
  const kept = db.prepare('SELECT kept FROM idempotency').pluck().all() as Buffer[]
  db.close()
  expect(kept.map((each) => each.includes(number))).toEqual([false])
  await vault.owner.applications.update({ id: app_id, name: 'a', rules: createRules('mask') } as never)
  expect(await reactOnce()).toMatchObject({ status: 403 })
  await vault.owner.applications.update({ id: app_id, name: 'a', rules: createRules('reveal') } as never)
  expect((await reactOnce()).text).toBe(first.text)
  await vault.owner.tokens.remove({ id: card })
  expect(await reactOnce()).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

/** Waits until `find` returns a value. */
function waitForValue<T>(find: () => Promise<T | undefined>): Promise<T> {
  return waitFor(async () => {
    const value = await find()
    expect(value).toBeDefined()
    return value as T
  })
}
