import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { openApi } from '../../electron/http/openapi.ts'
import { publicRoutes } from '../../electron/http/public-routes.ts'
import { testControlRoutes } from '../../electron/http/test-control-routes.ts'
import { errorCodes } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import { inMemoryVault, startHost } from '../host/start-host.ts'
import { startListener } from '../listener.ts'
import { createContract } from './contract.ts'

type DescribedApi = {
  openapi: string
  paths: Record<string, Record<string, ApiOperation>>
  servers: { url: string }[]
  components: Record<'schemas' | 'responses' | 'securitySchemes', Record<string, unknown>>
  security: object[]
}
type JsonSchema = { [keyword: string]: unknown; properties?: Record<string, JsonSchema>; required?: string[] }
type ApiResponse = {
  content?: object
  headers?: Record<string, object>
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>
  $ref?: string
}
type ApiOperation = {
  operationId: string
  'x-operation-name': string
  summary: string
  description: string
  deprecated?: boolean
  tags: string[]
  security?: object[]
  parameters: { name: string; in: string; required?: boolean; schema: JsonSchema }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, ApiResponse>
}

async function loadDocument(): Promise<{ document: DescribedApi; operations: Map<string, ApiOperation> }> {
  const { request } = await startListener()
  const { status, body } = await request('GET', '/openapi.json')
  expect(status).toBe(200)
  const document = body as DescribedApi
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => [`${method.toUpperCase()} ${path}`, each] as const),
  )
  return { document, operations: new Map(operations) }
}

test('A-04 the OpenAPI document is valid and every reference resolves', async () => {
  const { document } = await loadDocument()
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  expect(references.length).toBeGreaterThan(10)
  for (const reference of new Set(references)) {
    const [, kind, name] = /^#\/components\/(schemas|responses|headers)\/([\w-]+)$/.exec(reference) ?? []
    expect(document.components[kind as 'schemas'], reference).toHaveProperty(name as string)
  }
  const unused = Object.keys(document.components.responses).filter(
    (name) => !references.includes(`#/components/responses/${name}`),
  )
  expect(unused).toEqual([])
  expect(JSON.stringify(document)).not.toMatch(/\$defs|"\$id"|\$schema/)
})

test('A-04 the OpenAPI document has every operation with a route once', async () => {
  const { operations } = await loadDocument()
  const expected = [...catalogue].flatMap(([name, { route }]) =>
    route === null ? [] : [[route, name] as const],
  )
  const ofInterface = [...operations].filter(
    ([route]) =>
      !route.includes(' /_coffer/') &&
      !publicRoutes.some(({ path }) => route === `GET ${path}`) &&
      (route === 'POST /proxy' || !route.endsWith(' /proxy')),
  )
  expect(new Map(ofInterface.map(([route, each]) => [route, each['x-operation-name']]))).toEqual(
    new Map(expected),
  )
  for (const [route, operation] of ofInterface) {
    const { parameters, responses, summary, description } = operation
    const known = catalogue.get(operation['x-operation-name'])
    const inPath = parameters.filter((each) => each.in === 'path').map((each) => `{${each.name}}`)
    expect([route, inPath]).toEqual([route, route.match(/\{\w+\}/g) ?? []])
    const successes = Object.keys(responses).filter((status) => status.startsWith('2'))
    // The destination of a proxied call determines the statuses.
    if (known?.passedOn) expect(responses).toHaveProperty('default')
    const expected = known?.always ? [] : [String(known?.status), ...(known?.accepted ? ['202'] : [])]
    expect([route, successes]).toEqual([route, expected])
    if (!known?.always)
      expect('content' in (responses[String(known?.status)] ?? {})).toBe(known?.status !== 204)
    expect([summary, description].every((text) => text.length > 0)).toBe(true)
  }
})

test('A-16 the ids of operations are unique, and those of the service where its own document has the operation', async () => {
  const { operations } = await loadDocument()
  const ids = [...operations.values()].map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[A-Z][A-Za-z]+_[A-Z][A-Za-z0-9]+$/.test(id))).toEqual([])
  const official = {
    'GET /tokens': 'Tokens_Get',
    'GET /v2/tokens': 'Tokens_GetV2',
    'GET /tokens/{id}': 'Tokens_GetById',
    'DELETE /tokens/{id}': 'Tokens_Delete',
    'POST /tokens/search': 'Tokens_Search',
    'POST /v2/tokens/search': 'Tokens_SearchV2',
    'POST /tokenize': 'Tokenize_Tokenize',
    'GET /applications': 'Applications_Get',
    'GET /applications/key': 'Applications_GetByKey',
    'GET /applications/{id}/keys/{keyId}': 'ApplicationKeys_GetById',
    'GET /reactors/{id}/results/{request_id}': 'Reactors_ResultGetById',
    'GET /tenants/self': 'Tenants_Get',
    'PUT /tenants/self/members/{id}': 'Tenants_UpdateMember',
    'GET /3ds/sessions/{id}': 'ThreeDS_ThreeDSGetSessionById',
    'GET /logs/entity-types': 'Logs_GetEntityTypes',
  }
  for (const [route, id] of Object.entries(official)) expect(operations.get(route)?.operationId).toBe(id)
})

test('T-12 L-01 A-08 the OpenAPI document has the body members and parameters that the API accepts', async () => {
  const { document, operations } = await loadDocument()
  const listBodies = (route: string) => Object.entries(operations.get(route)?.requestBody?.content ?? {})
  const [[type, { schema }] = ['', { schema: {} }]] = listBodies('POST /tokens')
  expect(type).toBe('application/json')
  expect(Object.keys(schema.properties ?? {})).toEqual([
    'id',
    'type',
    'data',
    'encrypted',
    'token_intent_id',
    'mask',
    'containers',
    'metadata',
    'search_indexes',
    'fingerprint_expression',
    'deduplicate_token',
    'expires_at',
    'privacy',
  ])
  expect(listBodies('PATCH /tokens/{id}').map(([each]) => each)).toEqual(['application/merge-patch+json'])
  expect(operations.get('POST /applications/{id}/keys')?.requestBody).toBeUndefined()
  expect(listBodies('POST /applications')[0]?.[1].schema.required).toEqual(['name', 'type'])
  // Values that are no longer supported are rejected, and not documented.
  for (const route of ['POST /proxies', 'PATCH /proxies/{id}', 'POST /reactors', 'POST /reactors/{id}/react'])
    expect(Object.keys(listBodies(route)[0]?.[1].schema.properties ?? {}).join(' ')).not.toMatch(
      /reactor_id|formula|callback_url/,
    )
  expect(operations.get('POST /keys')?.requestBody).toMatchObject({
    required: false,
    content: { 'application/json': { schema: { properties: { expires_at: expect.anything() } } } },
  })
  // Clients in typed languages parse times as dates.
  const { Token, ClientKey } = document.components.schemas as Record<string, JsonSchema>
  expect(Token?.properties?.created_at).toMatchObject({ type: 'string', format: 'date-time' })
  expect(ClientKey?.properties?.expires_at).toMatchObject({ type: 'string', format: 'date-time' })
  const query = operations.get('GET /v2/tokens')?.parameters.map((each) => each.name)
  expect(query).toEqual(['container', 'type', 'fingerprint', 'metadata', 'start', 'size'])
  expect(operations.get('GET /tokens')?.deprecated).toBe(true)
})

test('A-16 A-08 the OpenAPI document forbids unknown members only where they are rejected', async () => {
  const listClosed = (strict: boolean) => {
    const { paths, components } = openApi('http://127.0.0.1', { strict }) as unknown as DescribedApi
    const bodies = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        requestBody ? [[`${method.toUpperCase()} ${path}`, JSON.stringify(requestBody)] as const] : [],
      ),
    )
    const { NewAccessRule, NewProxyTransform } = components.schemas as Record<string, JsonSchema>
    return {
      routes: bodies.filter(([, body]) => body.includes('"additionalProperties":false')).map(([at]) => at),
      rule: NewAccessRule?.additionalProperties,
      transform: NewProxyTransform?.additionalProperties,
    }
  }
  const open = listClosed(false)
  expect(open).toMatchObject({ rule: false, transform: undefined })
  expect(open.routes.filter((route) => !route.includes('/_coffer/'))).toEqual(['POST /documents'])
  expect(open.routes).toContain('PUT /_coffer/faults')
  const closed = listClosed(true)
  expect(closed).toMatchObject({ rule: false, transform: false })
  expect(closed.routes).toContain('POST /tokens')
  const served = await loadDocument()
  expect(served.document.components).toEqual(openApi('http://127.0.0.1').components)
})

test('A-16 A-01 the OpenAPI document has both key headers, and either is enough', async () => {
  const { document, operations } = await loadDocument()
  expect(Object.values(document.components.securitySchemes)).toEqual([
    { type: 'apiKey', in: 'header', name: 'SVC-API-KEY' },
    { type: 'apiKey', in: 'header', name: 'BT-API-KEY' },
  ])
  const names = Object.keys(document.components.securitySchemes)
  expect(document.security).toEqual(names.map((name) => ({ [name]: [] })))
  expect(operations.get('POST /proxy')?.security).toEqual([...document.security, {}])
})

test('A-16 O-04 the OpenAPI document has the headers that name ignored members and missing rights', async () => {
  const { operations } = await loadDocument()
  const listHeaders = (route: string, status: number) =>
    Object.keys(operations.get(route)?.responses[status]?.headers ?? {})
  expect(listHeaders('POST /tokens', 201)).toEqual(['Location', 'Coffer-Ignored'])
  expect(listHeaders('GET /v2/tokens', 200)).toEqual(['Coffer-Ignored'])
  expect(listHeaders('POST /sessions/authorize', 200)).toEqual(['Coffer-Notice', 'Coffer-Ignored'])
  expect(JSON.stringify(openApi('http://127.0.0.1', { strict: true }))).not.toContain('Coffer-Ignored')
})

test('A-16 links lead from a creation to what was made, and from a page to the next', async () => {
  const { operations } = await loadDocument()
  const byId = new Map([...operations.values()].map((each) => [each.operationId, each]))
  const listLinks = (route: string, status: number) => operations.get(route)?.responses[status]?.links ?? {}
  for (const { responses } of operations.values()) {
    for (const { links } of Object.values(responses)) {
      for (const { operationId, parameters } of Object.values(links ?? {})) {
        const target = byId.get(operationId)
        const inPath = target?.parameters.filter((each) => each.in === 'path').map(({ name }) => name)
        const names = Object.keys(parameters)
        expect([operationId, names]).toEqual([operationId, names[0] === 'start' ? ['start'] : inPath])
      }
    }
  }
  const id = '$response.body#/id'
  expect(listLinks('POST /tokens', 201)).toEqual({
    Tokens_GetById: { operationId: 'Tokens_GetById', parameters: { id } },
    Tokens_Delete: { operationId: 'Tokens_Delete', parameters: { id } },
    Tokens_Update: { operationId: 'Tokens_Update', parameters: { id } },
  })
  expect(listLinks('POST /applications/{id}/keys', 201).ApplicationKeys_GetById?.parameters).toEqual({
    id: '$request.path.id',
    keyId: id,
  })
  expect(listLinks('POST /documents', 202).Documents_Reveal?.parameters).toEqual({ id })
  expect(listLinks('POST /keys', 201).ClientKeys_GetById?.parameters).toEqual({
    id: '$response.body#/key_id',
  })
  expect(listLinks('POST /reactors/{id}/react-async', 202).Reactors_ResultGetById?.parameters).toEqual({
    id: '$request.path.id',
    request_id: '$response.body#/asyncReactorRequestId',
  })
  const start = '$response.body#/pagination/next'
  expect(listLinks('GET /v2/tokens', 200).Tokens_GetV2?.parameters).toEqual({ start })
})

test('A-16 the OpenAPI document gives the URL of its request as its server', async () => {
  const { request, port } = await startListener()
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    const response = await fetch(`http://${host}/openapi.json`).catch((error: unknown) => {
      // Not every machine has IPv6.
      if (!host.startsWith('[')) throw error
    })
    if (response) expect((await response.json()).servers).toEqual([{ url: `http://${host}` }])
  }
  expect((await request('GET', '/openapi.json')).body.servers).toHaveLength(1)
})

test('A-16 no object of the API has two members that generators give the same name', async () => {
  const { document } = await loadDocument()
  const twice: string[] = []
  const findAlike = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    const names = Object.keys((value as JsonSchema).properties ?? {})
    // Go and Python generate the same name for bin_range and binRange.
    const alike = names.map((name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()))
    if (new Set(alike).size < names.length) twice.push(`${at}: ${names}`)
    for (const [key, each] of Object.entries(value)) findAlike(each, `${at}/${key}`)
  }
  findAlike(document, '')
  expect(twice).toEqual([])
})

test('A-16 the OpenAPI document states the enforced bounds', async () => {
  const { operations } = await loadDocument()
  const findQuery = (route: string, name: string) =>
    operations.get(route)?.parameters.find((each) => each.name === name)?.schema
  const page = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }
  for (const route of ['GET /applications', 'GET /tokens', 'GET /applications/{id}/keys', 'GET /logs']) {
    expect([route, findQuery(route, 'page')]).toEqual([route, page])
  }
  const size = { type: 'integer', minimum: 1, maximum: 100, default: 20 }
  for (const route of ['GET /applications', 'GET /tokens', 'GET /v2/tokens', 'GET /applications/{id}/keys']) {
    expect([route, findQuery(route, 'size')]).toEqual([route, size])
  }
  const findBody = (route: string) =>
    Object.values(operations.get(route)?.requestBody?.content ?? {})[0]?.schema
  const getInput = (schema: JsonSchema | undefined) =>
    (schema?.anyOf as JsonSchema[] | undefined)?.[0] ?? schema
  const token = findBody('POST /tokens')?.properties ?? {}
  expect(getInput(token.id)).toMatchObject({ minLength: 3, maxLength: 400 })
  expect(getInput(token.type)?.enum).toContain('social_security_number')
  expect(getInput(token.metadata)).toMatchObject({
    maxProperties: 50,
    propertyNames: { maxLength: 200 },
    additionalProperties: { maxLength: 2000 },
  })
  const items = getInput(token.containers)?.items as JsonSchema | undefined
  const container = new RegExp(items?.pattern as string)
  expect(['/', '/a/', '/A-b/c_1/'].every((each) => container.test(each))).toBe(true)
  expect(['', 'a', '/a', '//', '/a b/'].some((each) => container.test(each))).toBe(false)
  const moment = new RegExp(getInput(token.expires_at)?.pattern as string)
  const moments = ['2031-01-02', '1/2/2031', '2031-01-02T03:04:05.678Z', '1/2/2031 3:04:05 PM +02:00']
  expect(moments.every((each) => moment.test(each))).toBe(true)
  expect(['', 'tomorrow', '2031', '2031-1-2'].some((each) => moment.test(each))).toBe(false)
  expect(findBody('PATCH /tokens/{id}')?.properties?.data).toMatchObject({ not: { type: 'null' } })
  expect(operations.get('GET /applications/{id}')?.parameters[0]?.schema).toEqual({
    type: 'string',
    format: 'uuid',
  })
})

/** Returns a function that checks bodies against the schema of a route's body. */
async function compileBodies() {
  const { document } = await loadDocument()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  return (route: string, body: unknown): boolean => {
    const [method = '', path = ''] = route.split(' ')
    const { requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {}
    const [type = ''] = Object.keys(requestBody?.content ?? {})
    const place = ['paths', path, method.toLowerCase(), 'requestBody', 'content', type, 'schema']
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    return ajv.getSchema(`document#/${pointer.join('/')}`)?.(body) === true
  }
}

test('A-16 the OpenAPI document admits no value that is always rejected', async () => {
  const isValid = await compileBodies()
  const token = { type: 'token', data: 'x' }
  for (const [expires_at, expected] of [
    ['2031-12-31T23:59:59.999+14:00', true],
    ['12/31/2031 12:59 PM -13:59', true],
    ['2031-99-01', false],
    ['2031-01-32', false],
    ['0000-01-01', false],
    ['2031-01-01T24:00', false],
    ['2031-01-01T00:00:00+14:01', false],
    ['13/1/2031', false],
    ['1/1/2031 13:00 PM', false],
  ] as const)
    expect([expires_at, isValid('POST /tokens', { ...token, expires_at })]).toEqual([expires_at, expected])
  const rule = { priority: 1, container: '/', transform: 'mask' }
  const checkSession = (...permissions: string[]) => [
    isValid('POST /sessions/authorize', { nonce: 'n', permissions }),
    isValid('POST /sessions/authorize', { nonce: 'n', rules: [{ ...rule, permissions }] }),
  ]
  expect(checkSession('token:read')).toEqual([true, true])
  expect(checkSession('application:create')).toEqual([false, false])
  const hook = { name: 'Shop', url: 'https://example.com', events: ['token.created'] }
  expect(isValid('POST /webhooks', { ...hook, notify_email: '' })).toBe(true)
  expect(isValid('POST /webhooks', { ...hook, notify_email: 'ada' })).toBe(false)
  expect(isValid('POST /webhooks', { ...hook, events: ['token.eaten'] })).toBe(false)
  const isSetting = (name: string, value: string) =>
    isValid('PUT /tenants/self', { name: 'Shop', settings: { [name]: value } })
  const bounds = { cvc_retention_seconds: [1, 86_400], log_retention_records: [1000, 100_000_000] }
  for (const [name, [min = 0, max = 0]] of Object.entries(bounds)) {
    for (const inside of [min, min + 1, max - 1, max]) expect(isSetting(name, String(inside))).toBe(true)
    for (const outside of [0, min - 1, max + 1, max * 9]) expect(isSetting(name, String(outside))).toBe(false)
  }
  expect(isSetting('tokens_per_tokenize', '007')).toBe(true)
  expect(isValid('POST /tokens', { type: 'token', encrypted: 'a.b' })).toBe(false)
  expect(isValid('POST /tokens', { type: 'token', encrypted: 'a..b.c.d' })).toBe(true)
})

test('A-16 the OpenAPI document admits no combination of members that is always rejected', async () => {
  const isValid = await compileBodies()
  const isTransform = (request_transform: object) =>
    isValid('POST /proxies', { name: 'Pay', destination_url: 'https://example.com', request_transform })
  const header = { type: 'append_header', options: { location: 'X-A', value: 'b' } }
  expect([isTransform(header), isTransform({ code: 'x' }), isTransform({ type: 'code', code: 'x' })]).toEqual(
    [...[true, true, true]],
  )
  expect(isTransform({ ...header, code: 'x' })).toBe(false)
  expect(isTransform({ ...header, options: { value: 'b' } })).toBe(false)
  expect(isTransform({ type: 'append_header' })).toBe(false)
  expect(isTransform({ type: 'code' })).toBe(false)
  expect(isTransform({})).toBe(false)
  expect(isTransform({ code: 'x', options: { value: 'b' } })).toBe(false)
  const twice = { request_transform: header, request_transforms: [header] }
  expect(isValid('PATCH /proxies/{id}', twice)).toBe(false)
  expect(isValid('PATCH /proxies/{id}', { ...twice, request_transform: null })).toBe(true)
  const isReactor = (runtime: object) => isValid('POST /reactors', { name: 'One', code: 'x', runtime })
  expect([isReactor({ timeout: 0, image: '' }), isReactor({ timeout: 900, async: true })]).toEqual([
    true,
    true,
  ])
  expect([isReactor({ timeout: 9 }), isReactor({ timeout: 31 })]).toEqual([false, false])
  const isRule = (rule: object) => {
    const rules = [{ priority: 1, transform: 'mask', permissions: ['token:read'], ...rule }]
    return isValid('POST /sessions/authorize', { nonce: 'n', rules })
  }
  const conditions = [{ attribute: 'id', operator: 'equals', value: 'a' }]
  expect([isRule({ container: '/', conditions: [] }), isRule({ conditions })]).toEqual([true, true])
  expect(isRule({ container: '/', conditions })).toBe(false)
  const isFault = (fault: object) => isValid('POST /_coffer/faults', { name: 'one', ...fault })
  expect([
    isFault({ delay_ms: 1 }),
    isFault({ cut: true }),
    isFault({ status: 500, retry_after: 1 }),
  ]).toEqual([...[true, true, true]])
  expect([isFault({}), isFault({ cut: false }), isFault({ cut: true, status: 500 })]).toEqual([
    ...[false, false, false],
  ])
  expect(isFault({ delay_ms: 1, retry_after: 1 })).toBe(false)
  const isSession = (input: object) => isValid('POST /3ds/sessions', { device: 'browser', ...input })
  expect([isSession({ token_id: 'a' }), isSession({ pan: 'a', token_id: null })]).toEqual([true, true])
  expect([isSession({}), isSession({ token_id: 'a', pan: 'b' })]).toEqual([false, false])
})

test('A-16 L-01 the OpenAPI document gives the pattern of names, and none to a fingerprint', async () => {
  const { operations } = await loadDocument()
  const findParameter = (route: string, name: string) =>
    operations.get(route)?.parameters.find((each) => each.name === name)?.schema
  expect(findParameter('GET /v2/tokens', 'fingerprint')).toEqual({ type: 'string', maxLength: 100 })
  const pattern = '^[A-Za-z0-9_-]{1,50}$'
  expect(findParameter('PUT /_coffer/snapshots/{name}', 'name')).toEqual({ type: 'string', pattern })
})

test('A-16 the OpenAPI document lists every status of an operation', async () => {
  const { document, operations } = await loadDocument()
  const listStatuses = (route: string) => Object.keys(operations.get(route)?.responses ?? {}).join(' ')
  expect(listStatuses('POST /applications/{id}/regenerate')).not.toMatch(/20|404/)
  expect(listStatuses('POST /applications/{id}/regenerate')).toContain('410')
  expect(listStatuses('GET /tokens')).toBe('200 400 401 403 410 423 429 500 503 507')
  expect(listStatuses('GET /tokens/{id}')).toBe('200 400 401 403 404 423 429 500 503 507')
  expect(listStatuses('POST /tokens')).toBe('201 400 401 403 409 413 415 423 429 500 503 507')
  expect(listStatuses('POST /applications/{id}/keys')).toContain('422')
  expect(listStatuses('POST /3ds/sessions/{id}/authenticate')).toContain('424')
  expect(listStatuses('POST /enrichments/bank-account-verify')).toContain('404')
  const responses = Object.entries(document.components.responses) as [string, { content: object }][]
  for (const [name, response] of responses) {
    const schema = name.startsWith('Proxy')
      ? 'ProxyError'
      : name === 'ThreeDsFailed'
        ? 'ThreeDsError'
        : 'Problem'
    expect(response.content).toEqual({
      'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
    })
  }
  const { properties, required } = document.components.schemas.Problem as JsonSchema
  expect(required).toContain('code')
  expect(properties?.code?.enum).toEqual(errorCodes)
})

test('A-16 the OpenAPI document tags every route under /_coffer/', async () => {
  const { window } = startHost()
  const { keys } = await window.host.createVault(inMemoryVault)
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const sendRequest = async (method: string, path: string, body?: Json) => {
    const response = await fetch(listener.url + path.replace('{name}', 'one'), {
      method,
      headers: { 'SVC-API-KEY': keys.management, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) }
  }
  const document = (await sendRequest('GET', '/openapi.json')).body
  const checkResponse = createContract(document)
  for (const { method, path, name, example, output } of [
    ...publicRoutes.filter(({ isCheck }) => isCheck),
    ...testControlRoutes,
  ]) {
    // Sets a fault, so that the document's example of removing one succeeds.
    await sendRequest('PUT', '/_coffer/faults', { rules: [{ name: 'one', delay_ms: 1, count: 1 }] })
    const response = await sendRequest(method, path, example)
    expect([name, response.status]).toEqual([name, output ? 200 : 204])
    checkResponse(method, path, response)
  }
  const { get: health } = document.paths['/_coffer/health']
  expect(health.security).toEqual([])
  expect(document.paths['/_coffer/ready'].get.security).toEqual([])
  expect(document.tags).toEqual([{ name: 'coffer', description: expect.any(String) }])
  for (const [path, byMethod] of Object.entries(document.paths)) {
    for (const { tags } of Object.values(byMethod as Record<string, { tags: string[] }>)) {
      expect([path, tags.includes('coffer')]).toEqual([path, path.startsWith('/_coffer/')])
    }
  }
  for (const path of Object.keys(document.paths).filter((each) => each.startsWith('/_coffer/'))) {
    const { headers } = await sendRequest('PATCH', path)
    const methods = Object.keys(document.paths[path]).map((method) => method.toUpperCase())
    const all = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])]
    expect([path, headers.get('allow')]).toEqual([path, all.sort().join(', ')])
  }
})

test('A-16 G-04 the OpenAPI document describes proxy calls for each method', async () => {
  const { operations } = await loadDocument()
  const ids = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => {
    const operation = operations.get(`${method} /proxy`)
    expect(operation?.parameters.map(({ in: place, name }) => `${place} ${name}`)).toEqual([
      'header BT-PROXY-URL',
      'header BT-PROXY-KEY',
      'header SVC-PROXY-URL',
      'header SVC-PROXY-KEY',
      'query bt-proxy-key',
    ])
    expect(Object.keys(operation?.requestBody?.content ?? { '*/*': {} })).toContain('*/*')
    expect(Object.keys(operation?.responses ?? {}).join(' ')).toBe(
      '200 400 401 403 404 408 413 422 423 429 500 502 503 507 default',
    )
    return operation?.operationId
  })
  expect(ids[1]).toBe('Proxies_Invoke')
  expect(new Set(ids).size).toBe(5)
})
