import { expect, test } from 'vitest'
import { readJson } from '../../shared/json.ts'
import { waitFor } from '../wait-for.ts'
import { withoutIds } from '../without-ids.ts'
import { number, startReactors } from './start-reactors.ts'

async function startProxyCode(options: Parameters<typeof startReactors>[0] = {}) {
  const started = await startReactors({ ephemeral: true, permissions: ['proxy:invoke'], ...options })
  const { vault, request, card } = started
  const callProxy = async (
    proxy: object,
    body: object = { n: `{{ ${card} | json: '$.number' }}` },
    path = '/sub?p=v',
  ) => {
    const { key } = await vault.owner.proxies.create({
      name: 'p',
      destination_url: 'https://echo.coffer.test/v1',
      ...proxy,
    } as never)
    return request('POST', `/proxy${path}`, {
      body: body as never,
      headers: { 'BT-PROXY-KEY': key, 'X-One': '1' },
    })
  }
  const fetchExchange = async () => {
    const { id } = await waitFor(async () => {
      const [summary] = (await vault.owner.exchanges.list({})).data
      expect(summary).toBeDefined()
      return summary as { id: string }
    })
    return vault.owner.exchanges.get({ id })
  }
  return { ...started, callProxy, fetchExchange }
}

test('F-03 request code gets the message, and its result is forwarded', async () => {
  const { callProxy, fetchExchange } = await startProxyCode()
  const code = `module.exports = async ({ args, configuration }) => {
    const { body, headers, method, path, query } = args
    const reversed = body.n.split('').reverse().join('')
    return { body: { reversed, method, path, query, shop: configuration.shop }, headers: { ...headers, 'X-Two': reversed } }
  }`
  const response = await callProxy({ request_transform: { code }, configuration: { shop: 'ada' } })
  expect(response.status).toBe(200)
  expect(response.headers.get('bt-proxy-destination-status')).toBe('200')
  const reversed = number.split('').reverse().join('')
  expect(response.body).toMatchObject({
    path: '/v1/sub',
    body: { reversed, method: 'POST', path: '/sub', query: '?p=v', shop: 'ada' },
  })
  expect(response.body.headers).toMatchObject({ 'X-Two': reversed })
  const stored = await fetchExchange()
  // Only long parts are searched, because a random id may contain short ones by chance.
  expect(JSON.stringify(stored)).not.toMatch(/42424242|24242424/)
  expect(stored.went_out?.body).toMatchObject({ text: null, omitted: 'code' })
  expect(stored.came_back?.body).toMatchObject({ text: null, omitted: 'code' })
})

test('F-03 response code replaces the response, and later transforms apply to its result', async () => {
  const { callProxy } = await startProxyCode()
  const code = `module.exports = (req) => ({ body: 'got ' + req.args.body.path + req.args.body.headers['X-A'], headers: { 'X-New': 'yes' } })`
  const response = await callProxy({
    request_transforms: [{ type: 'append_header', options: { location: 'X-A', value: 'a' } }],
    response_transforms: [{ code }, { type: 'append_text', options: { value: '!' } }],
  })
  expect(response.text).toBe('got /v1/suba!')
  expect(response.headers.get('x-new')).toBe('yes')
})

test('A-14 F-03 proxy code gets exact numbers, and a request with an inexact one is rejected', async () => {
  const { callProxy, vault } = await startProxyCode()
  const code = 'module.exports = ({ args: { body } }) => ({ body })'
  const echoed = await callProxy({}, readJson('{"n":[19.90,1e400]}') as object)
  expect(JSON.stringify(readJson(echoed.text))).toContain('"body":{"n":[19.90,1e400]}')
  const exact = await callProxy({ request_transform: { code } }, readJson('{"n":19.90}') as object)
  expect([exact.status, exact.body.body]).toEqual([200, { n: 19.9 }])
  const inexact = readJson('{"list":[{"n":12345678901234567890}]}') as object
  const sent = await callProxy({ request_transform: { code } }, inexact)
  expect([sent.status, Object.keys(sent.body.proxy_error.errors)]).toEqual([400, ['body.list[0].n']])
  const { id } = await vault.owner.tokens.create({ type: 'token', data: inexact as never })
  const put = await callProxy({ request_transform: { code } }, { card: `{{ ${id} }}` })
  expect([put.status, Object.keys(put.body.proxy_error.errors)]).toEqual([400, ['body']])
  for (const { text } of [sent, put]) expect(text).not.toContain('1234567')
  // The destination has already acted, so its response is forwarded despite the inexact number.
  const came = await callProxy({ response_transform: { code } }, inexact)
  expect([came.status, came.body.body.list]).toEqual([200, [{ n: Number('12345678901234567890') }]])
})

test('F-03 a message without tokens is stored in the form that code returned', async () => {
  const { callProxy, fetchExchange } = await startProxyCode()
  await callProxy({ request_transform: { code: 'module.exports = () => ({ body: "made" })' } }, { a: 1 })
  expect((await fetchExchange()).went_out?.body).toMatchObject({ text: 'made' })
})

test('F-04 an error of proxy code becomes a proxy error, and a custom response is unchanged', async () => {
  const { callProxy, fetchExchange } = await startProxyCode()
  const thrown = `module.exports = () => { throw Object.assign(new Error('no'), { name: 'AuthorizationError', status: 403 }) }`
  expect(await callProxy({ request_transform: { code: thrown } })).toMatchObject({
    status: 403,
    body: {
      proxy_error: { title: 'One or more validation errors occurred.', status: 403, detail: 'Forbidden' },
    },
  })
  const custom = `module.exports = () => {
    throw Object.assign(new Error('x'), { name: 'CustomHttpResponseError', status: 418, headers: { 'X-Tea': 'pot' }, body: { tea: true } })
  }`
  const response = await callProxy({ response_transform: { code: custom } })
  expect(response).toMatchObject({ status: 418, body: { tea: true } })
  expect(response.headers.get('x-tea')).toBe('pot')
  expect(response.headers.get('bt-proxy-destination-status')).toBeNull()
  expect(withoutIds(await fetchExchange())).not.toContain('4242')
})

test('F-03 X-52 code cannot set connection headers or line breaks', async () => {
  const { callProxy } = await startProxyCode()
  const createTransform = (headers: string) => ({
    request_transform: { code: `module.exports = () => ({ headers: ${headers} })` },
  })
  for (const headers of [
    `{ Host: 'x' }`,
    `{ 'content-length': '1' }`,
    `{ A: 'b\\r\\nC: d' }`,
    `{ 'a b': 'c' }`,
    '5',
  ]) {
    expect(await callProxy(createTransform(headers))).toMatchObject({
      status: 400,
      body: { proxy_error: { status: 400 } },
    })
  }
})

test('F-01 proxy code that does not compile is stored, and calls get 422', async () => {
  const { callProxy } = await startProxyCode()
  const { status, body } = await callProxy({ request_transform: { code: 'return )' } })
  expect(status).toBe(422)
  expect(body.proxy_error).toMatchObject({
    status: 422,
    errors: { error: [expect.stringMatching(/^Reactor code is not a valid function: line 1, column 8/)] },
  })
  const { listRecords, request, vault } = await startReactors()
  const { key } = await vault.application({ type: 'management', permissions: ['proxy:create'] } as never)
  const code = { type: 'code', code: 'a(\n)) ' }
  const proxy = { name: 'p', destination_url: 'https://echo.coffer.test', request_transforms: [code] }
  const created = await request('POST', '/proxies', { body: proxy, key })
  expect(created.status).toBe(201)
  await waitFor(async () =>
    expect(await listRecords()).toContainEqual(
      expect.objectContaining({
        action: 'proxies.create',
        entity_id: created.body.id,
        note: 'request_transforms[0].code cannot be compiled: line 2, column 2',
      }),
    ),
  )
})

test('F-02 a call to a proxy with code is rejected while running code is disabled', async () => {
  const { callProxy } = await startProxyCode({ isOn: false })
  const code = 'module.exports = () => ({})'
  expect(await callProxy({ request_transform: { code } })).toMatchObject({
    status: 403,
    body: { proxy_error: { detail: expect.stringMatching(/--reactors/) } },
  })
})

/** A proxy whose request or response transform is code for node22. */
const createNode22 = (side: 'request' | 'response', code: string, runtime: object = {}) => ({
  [`${side}_transforms`]: [{ type: 'code', code, options: { runtime: { image: 'node22', ...runtime } } }],
})

test('F-03 in node22, a request transform gets event.req and forwards a message', async () => {
  const { callProxy } = await startProxyCode()
  const code = `module.exports = async ({ req, configuration, logger }) => {
    logger.info('called')
    const { body, headers, method, path, query } = req
    return { req: { body: { was: body.n, method, path, query, shop: configuration.shop }, headers } }
  }`
  const proxy = { ...createNode22('request', code), configuration: { shop: 'ada' } }
  expect(await callProxy(proxy, { n: 1 })).toMatchObject({
    status: 200,
    body: { body: { was: 1, method: 'POST', path: '/sub', query: '?p=v', shop: 'ada' } },
  })
})

test('F-03 a request transform that returns res responds, and nothing is sent', async () => {
  const { callProxy, fetchExchange } = await startProxyCode()
  const body =
    "async ({ req, args = req }) => ({ res: { body: { skipped: true, m: args.method }, headers: { 'X-Own': '1' }, statusCode: 201 } })"
  const older = { request_transform: { code: `module.exports = ${body}` } }
  for (const proxy of [createNode22('request', `module.exports = ${body}`), older]) {
    const response = await callProxy(proxy, { a: 1 })
    expect(response).toMatchObject({ status: 201, body: { skipped: true, m: 'POST' } })
    expect(response.headers.get('x-own')).toBe('1')
    expect(response.headers.get('bt-proxy-destination-status')).toBeNull()
  }
  expect(await fetchExchange()).toMatchObject({ went_out: null })
})

test('F-03 in node22, a response transform gets and replaces body, headers and status', async () => {
  const { callProxy } = await startProxyCode()
  const code = `module.exports = ({ req: { body, headers, statusCode } }) => ({
    res: { body: { was: body.body, statusCode, type: headers['Content-Type'] }, headers: { 'X-Own': '1' }, statusCode: 202 },
  })`
  const response = await callProxy(createNode22('response', code), { a: 1 })
  expect(response).toMatchObject({ status: 202, body: { was: { a: 1 }, statusCode: 200 } })
  expect(response.headers.get('x-own')).toBe('1')
  expect(response.headers.get('bt-proxy-destination-status')).toBe('200')
  const kept = createNode22('response', 'module.exports = () => ({ res: { body: { b: 1 } } })')
  expect(await callProxy(kept, { a: 1 })).toMatchObject({ status: 200, body: { b: 1 } })
  const invalid = createNode22('response', 'module.exports = () => ({ res: { statusCode: 99 } })')
  expect(await callProxy(invalid, { a: 1 })).toMatchObject({ status: 400, body: { proxy_error: {} } })
})

test('F-03 a proxy without the packages of a transform is not called, and the error names the command', async () => {
  const { callProxy, vault } = await startProxyCode()
  const runtime = { image: 'node22', dependencies: { 'left-pad': '1.3.0' } }
  const code = 'module.exports = ({ req }) => ({ res: { body: req.body } })'
  expect(await callProxy({ response_transform: { code, options: { runtime } } })).toMatchObject({
    status: 400,
    body: { proxy_error: { detail: expect.stringContaining('coffer reactor add-package left-pad@1.3.0') } },
  })
  expect((await vault.owner.exchanges.list({})).data).toEqual([])
})

test('F-03 an error of a node22 transform is a 502 in proxy_error', async () => {
  const { callProxy } = await startProxyCode()
  const thrown = createNode22('request', 'module.exports = () => { throw new Error("why") }')
  expect(await callProxy(thrown, { a: 1 })).toMatchObject({
    status: 502,
    body: { proxy_error: { title: 'Bad Gateway', status: 502, errors: { error: ['why'] } } },
  })
  const uncompiled = createNode22('response', 'let a = foo bar')
  expect(await callProxy(uncompiled, { a: 1 })).toMatchObject({
    status: 422,
    body: {
      proxy_error: { errors: { error: [expect.stringMatching(/^Reactor code is not a valid function/)] } },
    },
  })
})

test('F-03 a node22 transform has a key with the permissions of its runtime', async () => {
  const { callProxy, url, card, fetchExchange } = await startProxyCode()
  const code = `module.exports = async ({ req, applicationOptions: { apiKey, baseUrl } }) => {
    const headers = { 'BT-API-KEY': apiKey }
    const statuses = await Promise.all(['/tokens/${card}', '/applications'].map(async (path) =>
      (await fetch(baseUrl + path, { headers })).status))
    return { req: { body: { statuses, baseUrl } } }
  }`
  const proxy = createNode22('request', code, { permissions: ['token:read'] })
  expect(await callProxy(proxy, { a: 1 })).toMatchObject({
    status: 200,
    body: { body: { statuses: [200, 403], baseUrl: url.replace('127.0.0.1', 'localhost') } },
  })
  // The code could have read tokens, so its message is not stored.
  expect((await fetchExchange()).went_out?.body).toMatchObject({ text: null, omitted: 'code' })
})
