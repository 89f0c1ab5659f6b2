import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import type { Operation } from '../../electron/engine/pipeline/operation.ts'
import { hostCommands } from '../../electron/host/commands/catalogue.ts'
import { seed } from '../../electron/host/initial-data/seed/seed.ts'
import { confirmationPath, threeDsPaths } from '../../electron/http/cardholder-pages/paths.ts'
import { type HttpRoute, routes } from '../../electron/http/routes.ts'
import type { Json } from '../../shared/json.ts'
import { parseJson } from '../../shared/safe-json.ts'
import type { z } from '../../shared/zod.ts'
import { fuzzTimeout, getFuzzParameters } from '../fuzz.ts'
import { getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { isThorough } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { fullInputs, getKeyFor } from './full-inputs.ts'
import {
  createHostileValues,
  findInputPaths,
  type HostileValue,
  type InputPath,
  longTexts,
  MAX_BODY_BYTES,
  SHORT_TEXT_BYTES,
  withValue,
} from './hostile-values.ts'
import { type ExampleRequest, requests, startTestServer, toPath } from './test-server.ts'

/** The maximum processor time of the main thread per turn of the event loop, in ms (X-65). */
const MAX_BLOCK_MS = 50

type SentRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
}
type SentResult = { readonly status: number; readonly id: string | undefined }

/** Returns a function that sends requests from another thread, so that only the listener's time is measured. */
function startSender(): (order: SentRequest) => Promise<SentResult> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     parentPort.on('message', async ({ url, ...init }) => {
       try {
         const response = await fetch(url, init)
         const text = await response.text()
         let id
         try { id = JSON.parse(text).id } catch {}
         parentPort.postMessage({ status: response.status, id: typeof id === 'string' ? id : undefined })
       } catch (error) { parentPort.postMessage({ status: 0, id: undefined }) }
     })`,
    { eval: true },
  )
  onTestFinished(async () => void (await worker.terminate()))
  return (order) =>
    new Promise((resolve, reject) => {
      worker.once('error', reject).once('message', (answered: SentResult) => {
        worker.off('error', reject)
        resolve(answered)
      })
      worker.postMessage(order)
    })
}

/** Operations that a request or the window may call. All others get input only from Coffer itself. */
const callable = [...catalogue].filter(
  ([, { route, permission, runs, passedOn, streamed }]) =>
    !runs && !passedOn && !streamed && (route !== null || permission === 'owner'),
)

/** A member of an operation's input, and the hostile value for it. */
type Fill = { readonly place: InputPath; readonly hostile: HostileValue }
type HostileCase = { readonly name: string; readonly fills: readonly Fill[] }

const createFills = (place: InputPath): Fill[] =>
  createHostileValues(place).map((hostile) => ({ place, hostile }))
/** Every operation with the members of its input. */
const places = callable.map(([name, { input }]) => ({ name, places: findInputPaths(input) }))

/** Every hostile value for every member of every operation. */
function listCases(): HostileCase[] {
  return places.flatMap(({ name, places }) =>
    places.flatMap((place) => createFills(place).map((fill) => ({ name, fills: [fill] }))),
  )
}

/** Cases that once exceeded the limit or come close to it. */
const worst = [
  'proxies.create response_transforms.0.expression: a mask that never ends',
  'proxies.create response_transforms.0.expression: a mask of nested groups',
  'reactors.create code: nested blocks of code',
  'tokens.create data: long numbers',
  'tokens.detokenize payload: expressions',
  'tokens.detokenize payload: many expressions',
  'tokens.detokenize payload: many zeros',
  'tokens.search query: a quoted term',
  'tokens.search query: escapes',
  'tokens.tokenize payload: many zeros',
]

/** Returns the worst cases, and one more for every eighth member of each operation. The kinds of hostile value vary. */
function pickCases(): HostileCase[] {
  const named = listCases().filter((each) => worst.includes(formatLabel(each)))
  expect(named.map(formatLabel).sort()).toEqual(worst.sort())
  const others = places.flatMap(({ name, places }, operation) =>
    places.flatMap((place, at) => {
      if (at % 8 !== 0) return []
      const fills = createFills(place)
      const fill = fills[(operation * 5 + at * 7) % fills.length]
      return fill ? { name, fills: [fill] } : []
    }),
  )
  return [...named, ...others]
}

const formatLabel = ({ name, fills }: HostileCase) =>
  `${name} ${fills.map(({ place, hostile }) => `${place.path.join('.')}: ${hostile.kind}`).join(', ')}`

/**
 * Starts a server, and returns functions that send cases and measure how long the main thread is busy. What a case
 * creates is deleted, unless `keeps` is set.
 */
async function startMeasuring({ keeps = false } = {}) {
  const world = await startTestServer()
  const send = startSender()
  const goods = new Map<string, ExampleRequest>()
  let count = 0
  let prepared = 0
  const byName = new Map(routes.map((route) => [route.name, route]))

  /**
   * Returns the longest turn, in ms, of the best of ten runs, because processor time varies on a busy machine, and a
   * collection of garbage or a first compilation may fall into a turn. The limit of the loop does not grow with the
   * machine's slowness, which changes from one moment to the next: the caller may measure another one. The input of
   * each run is prepared before it, and differs because compiled expressions are cached.
   */
  async function measureLeast<T>(
    make: (less: number) => T,
    run: (made: T) => Promise<unknown>,
  ): Promise<number> {
    const measureOnce = async (time: number) => {
      const created = make(time * 60)
      await new Promise(setImmediate)
      return (await measureLongestBlock(() => run(created))).block
    }
    let block = await measureOnce(0)
    for (let time = 1; time < 10 && block >= MAX_BLOCK_MS; time++) {
      block = Math.min(block, await measureOnce(time))
    }
    return block
  }

  /**
   * Returns a valid request. For a POST it is a new one each time, because a POST may consume the resource that it
   * uses.
   */
  async function createValidRequest(name: string, method: string): Promise<ExampleRequest> {
    const known = goods.get(name)
    if (known && method !== 'POST') return known
    if (++prepared % 100 === 0) await removeAgents()
    const good = (await requests[name]?.createRequest(world)) ?? {}
    goods.set(name, good)
    return good
  }

  /** Removes the agents that requests needed, because a tenant can have at most 1,000. */
  async function removeAgents(): Promise<void> {
    const { agents } = world.vault.owner
    for (const { id } of (await agents.getOverview()).agents) await agents.remove({ id })
    goods.clear()
  }

  async function measureRoute(route: HttpRoute, fills: readonly Fill[]): Promise<number> {
    const { name, method, path, params } = route
    const good = await createValidRequest(name, method)
    const createRequest = (less: number): SentRequest => {
      const sent = createHostileRequest(route, good, fills, less)
      const { body } = sent
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      return {
        method,
        url: world.url + toPath(path, sent),
        headers: {
          'SVC-API-KEY': getKeyFor(world, name),
          ...(body !== undefined && { 'Content-Type': type }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
    }
    const created: string[] = []
    const block = await measureLeast(createRequest, async (order) => {
      const { status, id } = await send(order)
      if (status >= 500) throw new Error(`${name} was answered with ${status}`)
      if (status !== 201) return
      count++
      if (id !== undefined) created.push(id)
    })
    const [id] = created
    if (id === undefined || params.length > 0) return block
    const createLaterRequest = (operation: string, id: string): SentRequest | undefined => {
      const other = byName.get(`${name.split('.')[0]}.${operation}`)
      if (!other) return undefined
      const headers = { 'SVC-API-KEY': getKeyFor(world, other.name) }
      return { method: other.method, url: world.url + toPath(other.path, { params: { id } }), headers }
    }
    const get = createLaterRequest('get', id)
    const shown = get ? await measureLeast(() => get, send) : 0
    for (const each of keeps ? [] : created) {
      const remove = createLaterRequest('remove', each)
      if (remove) await send(remove)
    }
    return Math.max(block, shown)
  }

  function measureOwners(name: string, { input }: Operation, fills: readonly Fill[]) {
    const createText = (less: number) =>
      JSON.stringify(
        fills.reduce<unknown>(
          (whole, { place, hostile }) =>
            withValue(input, whole, place.path, hostile.make(MAX_BODY_BYTES / fills.length, less)),
          undefined,
        ),
      )
    const callOperation = async (text: string) =>
      world.vault.engine.call(name, parseJson(text), { kind: 'owner' })
    return measureLeast(createText, (text) => callOperation(text).catch(() => {}))
  }

  return {
    world,
    send,
    measureLeast,
    /** Returns how many cases created something. */
    countStored: () => count,
    /** Returns the longest turn, in ms, during this case. */
    measureCase({ name, fills }: HostileCase): Promise<number> {
      const route = byName.get(name)
      return route ? measureRoute(route, fills) : measureOwners(name, catalogue.get(name) as Operation, fills)
    },
  }
}

/** Returns a valid request with hostile values inserted into its path, query or body. */
function createHostileRequest(
  { name, method, operation, params }: HttpRoute,
  good: ExampleRequest,
  fills: readonly Fill[],
  less: number,
): ExampleRequest {
  const isShort = method === 'GET' || method === 'DELETE'
  // The id is omitted, because a repeated one would be rejected before the hostile value is read.
  const { id: _, ...better } = (fullInputs[name] ?? good.body ?? {}) as { [member: string]: Json }
  let sent: ExampleRequest = isShort || operation.bodyless ? good : { ...good, body: better }
  const queries: string[] = []
  for (const { place, hostile } of fills) {
    const [first = ''] = place.path
    const isParam = params.includes(`${first}`)
    const value = hostile.make((isShort || isParam ? SHORT_TEXT_BYTES : MAX_BODY_BYTES) / fills.length, less)
    if (isParam) sent = { ...sent, params: { ...sent.params, [first]: String(value).toWellFormed() } }
    else if (isShort) queries.push(createQuery(place.path, value))
    else sent = { ...sent, body: createHostileBody(operation, sent.body, place, value) }
  }
  return queries.length === 0 ? sent : { ...sent, query: queries.join('&').slice(0, SHORT_TEXT_BYTES) }
}

function createHostileBody(
  { input, wholeBody }: Operation,
  before: Json | undefined,
  { path }: InputPath,
  value: unknown,
) {
  if (!wholeBody) return withValue(input, before, path, value) as Json
  return (withValue(input, { payload: before ?? null }, path, value) as { payload: Json }).payload
}

function createQuery([name = '', ...inside]: InputPath['path'], value: unknown): string {
  const all = (Array.isArray(value) ? value : [value]).slice(0, 1_000)
  const param = [name, ...inside.filter((each) => typeof each === 'string')].join('.')
  return all
    .map(
      (each) =>
        `${param}=${encodeURIComponent((typeof each === 'string' ? each : JSON.stringify(each)).toWellFormed())}`,
    )
    .join('&')
    .slice(0, SHORT_TEXT_BYTES)
    .replace(/%[\dA-F]?$/, '')
}

test('X-65 R-03 no hostile input member keeps the main thread busy', async () => {
  const { measureCase } = await startMeasuring()
  const slow: string[] = []
  for (const each of isThorough ? listCases() : pickCases()) {
    const block = await measureCase(each)
    if (block >= getMaxBlock(block, MAX_BLOCK_MS)) slow.push(`${formatLabel(each)}: ${block.toFixed(0)} ms`)
  }
  expect(slow).toEqual([])
}, 3_600_000)

const together = fc
  .constantFrom(...places.filter(({ places }) => places.length > 0))
  .chain(({ name, places }) =>
    fc
      .array(
        fc.constantFrom(...places).chain((place) => fc.constantFrom(...createFills(place))),
        {
          minLength: 1,
          maxLength: 6,
        },
      )
      .map((fills): HostileCase => ({ name, fills })),
  )

test(
  'X-65 R-03 combined hostile members do not keep the main thread busy',
  async () => {
    const { measureCase } = await startMeasuring()
    await fc.assert(
      fc.asyncProperty(together, async (each) => {
        const block = await measureCase(each)
        expect(block, formatLabel(each)).toBeLessThan(getMaxBlock(block, MAX_BLOCK_MS))
      }),
      { ...getFuzzParameters(500, 40), endOnFailure: true },
    )
  },
  10 * fuzzTimeout,
)

const forms = [threeDsPaths.method, threeDsPaths.challenge, threeDsPaths.answer, confirmationPath]

test('X-65 R-03 files and forms without a key do not keep the main thread busy', async () => {
  const { world, send, measureLeast } = await startMeasuring()
  const { accountUpdaterJobs } = world.vault.owner
  const rows = isThorough ? 500 : 25
  let processed = 0
  /** Uploads a file, and waits until all its rows are processed. */
  const uploadFile = async (body: string) => {
    const { id, upload_url } = await world.createAccountUpdaterJob()
    const { pathname } = new URL(upload_url)
    await send({ method: 'PUT', url: world.url + pathname, headers: { 'Content-Type': 'text/csv' }, body })
    const job = await waitFor(async () => {
      const current = await accountUpdaterJobs.get({ id })
      expect(current.status).not.toBe('processing')
      return current
    })
    processed += job.requests ?? 0
  }
  const sendForms = async (text: string) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.url }
    for (const path of forms) {
      const url = world.url + path.replace(/:\w+/, 'x')
      expect((await send({ method: 'POST', url, headers, body: text })).status).not.toBe(408)
    }
  }
  const slow: string[] = []
  for (const [at, { kind, make }] of longTexts.entries()) {
    if (!isThorough && at % 16 !== 0) continue
    const createFile = (length: number, count: number) =>
      `token,expiration_year\n${`${make(length)}\n`.repeat(count)}`
    const blocks = {
      'long lines': await measureLeast(() => createFile(1900, rows), uploadFile),
      'short lines': await measureLeast(() => createFile(20, 20 * rows), uploadFile),
      'one line': await measureLeast((less) => make(MAX_BODY_BYTES - less), uploadFile),
      forms: await measureLeast((less) => `choice=${make(16_000 - less)}`, sendForms),
    }
    for (const [name, block] of Object.entries(blocks))
      if (block >= getMaxBlock(block, MAX_BLOCK_MS)) slow.push(`${name} of ${kind}: ${block.toFixed(0)} ms`)
  }
  expect(slow).toEqual([])
  expect(processed).toBeGreaterThan(0)
}, 3_600_000)

test('X-65 R-03 listing the largest items does not keep the main thread busy', async () => {
  const { world, send, measureLeast, measureCase, countStored } = await startMeasuring({ keeps: true })
  const slow: string[] = []
  const storeCopies = async (name: string, fill: Fill) => {
    const before = countStored()
    const isLong = JSON.stringify(fill.hostile.make(MAX_BODY_BYTES)).length > 100_000
    await measureCase({ name, fills: [fill] })
    // Up to 16 copies are stored, so that a page has several large items.
    for (let more = 15; more > 0 && isLong && countStored() > before; more--)
      await measureCase({ name, fills: [fill] })
  }
  for (const { name, method, path, operation, params } of routes) {
    const create = places.find((each) => each.name === `${name.split('.')[0]}.create`)
    if (!create || method !== 'GET' || params.length > 0) continue
    for (const place of create.places.filter((_, at) => isThorough || at % 4 === 0)) {
      const fill = createFills(place).find(({ hostile }) => /^(members of )?quotes$/.test(hostile.kind))
      if (fill) await storeCopies(create.name, fill)
    }
    const sized = findInputPaths(operation.input).length > 0 ? '?size=100' : ''
    const order = {
      method,
      url: world.url + path + sized,
      headers: { 'SVC-API-KEY': getKeyFor(world, name) },
    }
    const block = await measureLeast(() => order, send)
    if (block >= getMaxBlock(block, MAX_BLOCK_MS)) slow.push(`${name}: ${block.toFixed(0)} ms`)
  }
  expect(slow).toEqual([])
}, 3_600_000)

const checked: readonly (readonly [string, z.ZodType])[] = [
  ['a seed', seed],
  ...Object.entries(hostCommands).flatMap(([channel, commands]) =>
    Object.entries(commands as Record<string, { input: z.ZodType }>).map(
      ([name, { input }]) => [`${channel}.${name}`, input] as const,
    ),
  ),
]

/** Cases that once exceeded the limit. */
const worstChecked = [
  'a seed proxies: items of many members',
  'a seed proxies.0.request_transforms: items of many members',
  'a seed reactors: items of many members',
  'host.updateSettings grids: members of many members',
  'host.updateSettings grids: members of too many members',
]

/** Returns all fills of a member in a thorough run; otherwise the worst ones, and one of every eighth member. */
function pickFills(name: string, place: InputPath, at: number): readonly Fill[] {
  const fills = createFills(place)
  if (isThorough) return fills
  const picked = at % 8 === 0 ? fills[(at * 7) % fills.length] : undefined
  return fills.filter(
    (fill) => fill === picked || worstChecked.includes(formatLabel({ name, fills: [fill] })),
  )
}

/** Returns the longest turn, in ms, of the best of twenty validations: the slowest take up to 49 ms of the 50 ms. */
async function measureValidation(schema: z.ZodType, { place, hostile }: Fill): Promise<number> {
  const input = withValue(schema, undefined, place.path, hostile.make(MAX_BODY_BYTES))
  const validateInput = () => void schema.safeParse(input)
  let { block } = await measureLongestBlock(validateInput)
  for (let left = 19; left > 0 && block >= MAX_BLOCK_MS; left--) {
    block = Math.min(block, (await measureLongestBlock(validateInput)).block)
  }
  return block
}

test('X-65 R-03 hostile seeds and window commands are validated quickly', async () => {
  const slow: string[] = []
  for (const [name, schema] of checked) {
    for (const fill of findInputPaths(schema).flatMap((place, at) => pickFills(name, place, at))) {
      const block = await measureValidation(schema, fill)
      if (block >= getMaxBlock(block, MAX_BLOCK_MS))
        slow.push(`${formatLabel({ name, fills: [fill] })}: ${block.toFixed(0)} ms`)
    }
  }
  expect(slow).toEqual([])
}, 3_600_000)

/** The content types of proxied bodies, with and without parsing for expressions. */
const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', undefined]

/** The most expensive transforms; a list of twenty is made of each. */
const lists: Readonly<Record<string, readonly Json[]>> = {
  none: [],
  'card numbers': [{ type: 'mask', matcher: 'chase_stratus_pan', replacement: '*' }],
  ...Object.fromEntries(
    [
      '(x?|){40}\\b',
      '(.)',
      '()',
      '([^]*)',
      '(a)[^]*',
      '(a)(b)?(c)?(d)?[^]*',
      '(a+)+$',
      '(\\w+)!',
      '(.)(?=[^]*z)',
      `${'('.repeat(9)}a${')?'.repeat(9)}!`,
      '(a?)'.repeat(100),
    ].map((expression) => [
      `masks of ${expression}`,
      [{ type: 'mask', matcher: 'regex', expression, replacement: '*' }],
    ]),
  ),
  texts: [{ type: 'append_text', options: { value: 'a'.repeat(65_536) } }],
  headers: [{ type: 'append_header', options: { value: '{{ res }}', location: 'X-A' } }],
  members: [{ type: 'append_json', options: { value: '{{ res }}', location: 'a.b' } }],
}

/** Whether a call once exceeded the limit. */
const isWorstCall = (kind: string, type: string | undefined, transforms: string) =>
  kind === 'forms of a URL' && type === 'application/x-www-form-urlencoded' && transforms === 'none'

test('X-65 R-03 a call through a proxy does not keep the main thread busy', async () => {
  const { world, send, measureLeast } = await startMeasuring()
  const { id } = await world.createToken()
  const secrets = await world.createToken({
    type: 'token',
    data: Array.from({ length: 40_000 }, (_, at) => `secret ${at}`),
  })
  const slow: string[] = []
  const calls = Object.entries(lists).flatMap(([name, transforms], list) =>
    longTexts.flatMap(({ kind, make }, body) =>
      types.flatMap((type, each) =>
        isThorough || isWorstCall(kind, type, name) || (body + list * 5 + each * 3) % 80 === 0
          ? { name, transforms, kind, make, type }
          : [],
      ),
    ),
  )
  for (const [at, { name, transforms, kind, make, type }] of calls.entries()) {
    const { key } = await world.createProxy({
      response_transforms: transforms.flatMap((each) => Array(20).fill(each)),
    })
    const token = at % 4 === 3 ? `{{ ${secrets.id} | json: '$[0]' }}` : `{{ ${id} }}`
    const createRequest = (less: number) => {
      const text = make(900_000 - less)
      return {
        method: 'POST',
        url: `${world.url}/proxy`,
        headers: {
          'SVC-API-KEY': world.keys.private,
          'BT-PROXY-KEY': key,
          ...(type !== undefined && { 'Content-Type': type }),
        },
        body: type === 'application/json' ? JSON.stringify([token, text]) : `${token}${text}`,
      }
    }
    let status = 0
    const block = await measureLeast(createRequest, async (order) => {
      status = (await send(order)).status
    })
    expect(status).toBeLessThan(500)
    const label = `${kind} as ${type}, transforms: ${name}${at % 4 === 3 ? ', of 40,000 secrets' : ''}`
    if (block >= getMaxBlock(block, MAX_BLOCK_MS)) slow.push(`${label}: ${block.toFixed(0)} ms`)
  }
  expect(slow).toEqual([])
}, 3_600_000)
