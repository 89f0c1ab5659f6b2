import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { type HttpRoute, routes } from '../../electron/http/routes.ts'
import { isObject, type Json } from '../../shared/json.ts'
import { digestRows } from '../rows.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { createContract, fetchDocument } from './contract.ts'
import { fullInputs, getKeyFor } from './full-inputs.ts'
import { canaries, createMutations } from './mutations.ts'
import {
  type ExampleRequest,
  requireRequest,
  startTestServer,
  type TestServer,
  toPath,
} from './test-server.ts'

type Parameter = { name: string; in: string; required?: boolean; style?: string; schema: { type?: string } }
type DescribedInput = {
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: object }> }
}

// The OpenAPI document itself is validated in conformance.test.ts.
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })

const bodied = routes.filter(
  ({ method, operation }) => method !== 'GET' && method !== 'DELETE' && !operation.bodyless,
)
/** The timeout in ms, which is long because a thorough run tries all mutations of all bodies. */
const timeout = 600_000

/** Runs a check for many operations on one vault, and expects that the vault does not change. */
async function checkEach(
  each: readonly HttpRoute[],
  check: (prepared: PreparedRequests, route: HttpRoute) => Promise<void>,
): Promise<void> {
  const world = await startTestServer()
  const prepared = []
  for (const route of each) prepared.push([await prepareRequests(world, route), route] as const)
  const before = digestRows(world.vault)
  for (const [one, route] of prepared) await check(one, route)
  expect(digestRows(world.vault)).toEqual(before)
}

/** Returns a valid request for an operation, and functions that send invalid ones. */
async function prepareRequests(world: TestServer, route: HttpRoute) {
  const { name, method, path } = route
  const document = await fetchDocument(world)
  const checkResponse = createContract(document)
  const key = getKeyFor(world, name)
  const good: ExampleRequest = await requireRequest(name).createRequest(world)
  /** Sends an invalid request, and checks that the problem conforms to the document and repeats no input. */
  async function expectRejection(
    sent: ExampleRequest & { raw?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
    ...statuses: number[]
  ) {
    const { raw, headers = {}, body } = sent
    const response = await world.request(method, toPath(path, sent), {
      key,
      headers,
      ...(raw !== undefined ? { raw } : body !== undefined && { body }),
    })
    const about = `${name} ${JSON.stringify(sent).slice(0, 300)} → ${response.text.slice(0, 500)}`
    expect(statuses, about).toContain(response.status)
    checkResponse(method, path, response)
    for (const canary of canaries) expect(response.text, about).not.toContain(canary)
    const { errors = {}, detail } = response.body as { errors?: Record<string, string[]>; detail: string }
    expect(detail.length, about).toBeGreaterThan(0)
    if (response.status === 400) expect(Object.values(errors).flat().every(Boolean), about).toBe(true)
    return { names: Object.keys(errors), errors, about }
  }
  const described = document.paths[path]?.[method.toLowerCase()] as unknown as DescribedInput
  const components = document.components as object
  return { good, expectRejection, described, components }
}

type PreparedRequests = Awaited<ReturnType<typeof prepareRequests>>

/** Expects a problem with a member, or one that tells to send it; without a member, exactly one of any name. */
function expectNamed(errors: Readonly<Record<string, string[]>>, member: string, about: string) {
  const names = Object.keys(errors)
  if (member === '') expect(names, about).toHaveLength(1)
  else {
    const isNamed = names.some((each) => each.startsWith(member))
    const isMentioned = Object.values(errors).flat().join(' ').split(/\W+/).includes(member)
    expect(isNamed || isMentioned, about).toBe(true)
  }
}

/** Checks that an operation rejects wrong bodies and names their members. */
async function checkMembers(
  { good, expectRejection, described, components }: PreparedRequests,
  route: HttpRoute,
): Promise<void> {
  const [media] = Object.values(described.requestBody?.content ?? {})
  const allows = ajv.compile({
    ...media?.schema,
    components,
  })
  const body = fullInputs[route.name] ?? good.body
  if (!isObject(body) || !allows(body)) throw new Error(`expected a good body for ${route.name}`)
  const wrong = createMutations(body).filter((mutation) => !allows(mutation.body))
  // Operations that run code accept any arguments, so fewer mutations are wrong.
  expect(wrong.length, route.name).toBeGreaterThanOrEqual(route.operation.runs ? 2 : 10)
  await Promise.all(
    pickSome(wrong, 5).map(async ({ member, body }) => {
      const { errors, about } = await expectRejection({ ...good, body }, 400)
      expectNamed(errors, member, about)
    }),
  )
  for (const other of pickSome([[], [body], 'canary-plaintext', 1, true, null] as Json[], 1)) {
    expect((await expectRejection({ ...good, body: other }, 400)).names).toEqual(['body'])
  }
}

type RawBody = readonly [raw: string | Uint8Array<ArrayBuffer>, status: number]

/** Lists malformed bodies with the status of their rejection. */
function listMalformedBodies(sent: string): RawBody[] {
  return [
    ['', 400],
    ['{', 400],
    ['canary-plaintext', 400],
    [`${sent}x`, 400],
    [`\u{feff}\u{feff}${sent}`, 400],
    [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400],
    ['{"__proto__":{"name":"canary-plaintext"}}', 400],
    ['{"a":{"__proto__":1}}', 400],
    [`{"constructor":{"prototype":{"a":1}},"data":1e${'9'.repeat(1000)}}`, 400],
    [`{"data":4929000000006510510510510510${'0'.repeat(1000)}}`, 400],
    [`${'['.repeat(1000)}1${']'.repeat(1000)}`, 400],
  ]
}

function createLargeBodies(): RawBody[] {
  return [
    ['['.repeat(1_000_000), 400],
    [`${'[{"a":'.repeat(300_000)}`, 400],
    [JSON.stringify('x'.repeat(2 * 1024 * 1024)), 413],
  ]
}

/** Checks that an operation rejects malformed and oversized bodies, and other content types. */
async function checkRawBodies({ good, expectRejection }: PreparedRequests, route: HttpRoute): Promise<void> {
  const sent = JSON.stringify(good.body)
  // All operations read large bodies with the same code, so few of them are tested.
  const large = isThorough || route === bodied[0] ? createLargeBodies() : []
  const raws = [...listMalformedBodies(sent), ...large]
  for (const [raw, status] of raws) await expectRejection({ ...good, raw }, status)
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json;x',
    'application/jsonx',
    'application/xml',
    'text/json',
    route.method === 'PATCH' ? 'application/json' : 'application/merge-patch+json',
  ]
  const accepted: readonly string[] = route.operation.alsoAccepts ?? []
  for (const type of types.filter((each) => !accepted.includes(each)))
    await expectRejection({ ...good, raw: sent, headers: { 'Content-Type': type } }, 415)
  for (const encoding of ['gzip', 'br', 'x']) {
    await expectRejection({ ...good, raw: sent, headers: { 'Content-Encoding': encoding } }, 415)
  }
}

describe('bodies', () => {
  // Operations with `wholeBody` accept any JSON, so they are left out.
  const members = bodied.filter(({ operation }) => !operation.wholeBody)
  test('A-05 A-08 every operation names each wrong, missing or unknown member', { timeout }, () =>
    checkEach(members, checkMembers),
  )

  test(
    'X-08 A-09 operations reject malformed and oversized bodies, and other content types',
    { timeout },
    () => checkEach(pickSome(bodied, 4), checkRawBodies),
  )

  const bodyless = routes.filter(({ operation }) => operation.bodyless)
  test('A-08 A-09 operations without a body accept only an empty one', { timeout }, () =>
    checkEach(pickSome(bodyless, 4), async ({ good, expectRejection }, { name }) => {
      if (name !== 'applications.regenerate') {
        const { names } = await expectRejection({ ...good, body: { unheard_of: 'canary-plaintext' } }, 400)
        expect(names).toEqual(['unheard_of'])
      }
      await expectRejection(
        { ...good, raw: 'a=canary-plaintext', headers: { 'Content-Type': 'text/plain' } },
        415,
      )
      await expectRejection({ ...good, raw: '[' }, 400)
    }),
  )

  const writing = routes.filter(({ method }) => method !== 'GET')
  test('A-08 operations that write reject query parameters', { timeout }, () =>
    checkEach(pickSome(writing, 4), async ({ good, expectRejection }) => {
      for (const [query, name] of [
        ['page=1', 'page'],
        ['id=canary-plaintext', 'id'],
        ['metadata.canary-plaintext=1', 'metadata'],
      ] as const) {
        expect((await expectRejection({ ...good, query }, 400)).names).toEqual([name])
      }
      expect((await expectRejection({ ...good, query: '5105105105105100=1' }, 400)).names).toHaveLength(1)
    }),
  )
})

const numbers = ['0', '-1', '1.5', 'canary-plaintext', '', '1e3', '4929000000006000000', '٣']
const wrongValues: Readonly<Record<string, readonly string[]>> = {
  page: numbers,
  size: numbers,
  start: ['canary-plaintext', 'AAAA', '5105105105105100', '%00', 'x'.repeat(501)],
  metadata: ['canary-plaintext', '[1]', '{"a":4929000000006}', '{'].map(encodeURIComponent),
}
const unknownNames = ['unheard_of', '__proto__', 'constructor', 'toString', 'SVC-API-KEY']

/** A list with numbered pages ignores `start`, unless it is too long. The log has both kinds of pages. */
function listWrongValues(name: string, known: readonly string[], route: HttpRoute): readonly string[] {
  const isIgnored = name === 'start' && known.includes('page') && route.name !== 'logs.list'
  return isIgnored ? ['x'.repeat(501)] : (wrongValues[name] ?? [])
}

/** Checks that an operation rejects wrong query parameters and names them. */
async function checkQueries(
  { good, expectRejection, described }: PreparedRequests,
  route: HttpRoute,
): Promise<void> {
  const parameters = described.parameters.filter((each) => each.in === 'query')
  const sendQuery = (query: string) => expectRejection({ ...good, query }, 400)
  for (const { name, style, schema } of parameters) {
    if (style === 'deepObject' || schema.type === 'array') continue
    const { errors } = await sendQuery(`${name}=canary-plaintext&${name}=1`)
    expect(errors).toMatchObject({ [name]: ['must be given only once'] })
  }
  const known = parameters.map(({ name }) => name)
  for (const name of known) {
    for (const value of pickSome(listWrongValues(name, known, route), 2))
      expect((await sendQuery(`${name}=${value}`)).names).toEqual([name])
  }
  const max = route.name === 'logs.list' ? 5000 : 100
  if (known.includes('size')) expect((await sendQuery(`size=${max + 1}`)).names).toEqual(['size'])
  const needed = parameters.some(({ required }) => required) ? `${good.query}&` : ''
  for (const name of pickSome(unknownNames, 2))
    expect((await sendQuery(`${needed}${name}=canary-plaintext`)).names).toEqual([name])
  expect((await sendQuery(`${needed}5105105105105100=1`)).names).toHaveLength(1)
}

describe('query parameters', () => {
  const reading = routes.filter(({ method }) => method === 'GET')
  test(
    'A-08 L-05 every operation names each wrong, unknown or repeated parameter',
    {
      timeout,
    },
    () => checkEach(reading, checkQueries),
  )
})

describe('ids in paths', () => {
  const ids = [
    'a b',
    'ä',
    '💳',
    "a'b",
    'a"b',
    'a;b',
    'a,b',
    'a:b',
    '$',
    '@',
    '~',
    '..',
    '.',
    '../x',
    '%2e%2e',
    'a/b',
  ]
  const hostile = [
    ...ids,
    ...['\0', 'a\0b', '\n', '\u202e', '__proto__', 'constructor', "' OR 1=1 --", '{{ data }}', '%', '*'],
    ...canaries,
    'x'.repeat(5000),
  ]

  const withIds = routes.filter(({ params }) => params.length > 0)
  test('X-09 A-10 operations treat malformed ids like ids that do not exist', { timeout }, () =>
    checkEach(pickSome(withIds, 5), async ({ good, expectRejection }, route) => {
      const status = route.name === 'applications.regenerate' ? 410 : 404
      // A client resolves unencoded dot segments before it sends a request.
      const sent = pickSome(hostile, 8).filter((id) => id !== '..' && id !== '.')
      for (const param of route.params) {
        for (const id of sent) {
          await expectRejection({ ...good, params: { ...good.params, [param]: id } }, status)
        }
      }
    }),
  )

  test('X-09 A-10 an id that needs encoding is decoded once and finds its token', async () => {
    const world = await startTestServer()
    for (const id of ['a b', 'ä💳é', 'a\'b"c', 'a:b;c,d@e$f', '~!*()', 'a.b..c']) {
      await world.createToken({ id })
      const path = `/tokens/${encodeURIComponent(id)}`
      const response = await world.request('GET', path, { key: world.keys.private })
      expect([response.status, response.body.id]).toEqual([200, id])
    }
    for (const path of ['/tokens/%', '/tokens/%ff', '/tokens/%c0%ae', '/tokens/%zz']) {
      const response = await world.request('GET', path, { key: world.keys.private })
      expect([path, response.status]).toEqual([path, 400])
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })
})
