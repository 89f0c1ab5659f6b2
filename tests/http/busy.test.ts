import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { Operation } from '../../electron/engine/door/operation.ts'
import { catalogue } from '../../electron/engine/operations.ts'
import { type Route, routes } from '../../electron/http/routes.ts'
import { isObject, type Json, readJson } from '../../shared/json.ts'
import { longestBlock, mostBlock } from '../longest-block.ts'
import { isThorough } from '../thorough.ts'
import { fuller, keyFor } from './fuller.ts'
import {
  type Hostile,
  hostilesOf,
  longTexts,
  type Place,
  placesOf,
  ROOM,
  SHORT_ROOM,
  withValue,
} from './hostile.ts'
import { pathOf, requests, type Sent, startWorld } from './world.ts'

/** What any request may take of the main thread in one turn, in ms of processor time (case X-65). */
const MOST_MS = 50

type Order = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
}
type Answered = { readonly status: number; readonly id: string | undefined }

/** Sends requests from another thread, so that only the listener's time is counted. */
function startSender(): (order: Order) => Promise<Answered> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     parentPort.on('message', async ({ url, ...init }) => {
       try {
         const answer = await fetch(url, init)
         const text = await answer.text()
         let id
         try { id = JSON.parse(text).id } catch {}
         parentPort.postMessage({ status: answer.status, id: typeof id === 'string' ? id : undefined })
       } catch (error) { parentPort.postMessage({ status: 0, id: undefined }) }
     })`,
    { eval: true },
  )
  onTestFinished(async () => void (await worker.terminate()))
  return (order) =>
    new Promise((resolve, reject) => {
      worker.once('error', reject).once('message', (answered: Answered) => {
        worker.off('error', reject)
        resolve(answered)
      })
      worker.postMessage(order)
    })
}

/** Operations that a request or the window may call; the others take what the program itself has made. */
const callable = [...catalogue].filter(
  ([, { route, permission, runs, passedOn, streamed }]) =>
    !runs && !passedOn && !streamed && (route !== null || permission === 'owner'),
)

type Case = { readonly name: string; readonly place: Place; readonly hostile: Hostile }

/** Every hostile value at every place of every operation. */
const cases: readonly Case[] = callable.flatMap(([name, { input }]) =>
  placesOf(input).flatMap((place) => hostilesOf(place).map((hostile) => ({ name, place, hostile }))),
)

const labelOf = ({ name, place, hostile }: Case) => `${name} ${place.path.join('.')}: ${hostile.kind}`

/** What sends a case and says how long the main thread was busy. */
async function startMeasuring() {
  const world = await startWorld()
  const send = startSender()
  const goods = new Map<string, Sent>()
  const byName = new Map(routes.map((route) => [route.name, route]))

  /** The longest turn of the best of three runs: on a busy machine, processor time itself varies. */
  async function least(run: () => Promise<unknown>): Promise<number> {
    let block = Number.POSITIVE_INFINITY
    for (let left = 3; left > 0 && block >= mostBlock(block, MOST_MS); left--) {
      await new Promise(setImmediate)
      block = Math.min(block, (await longestBlock(run)).block)
    }
    return block
  }

  /** What a POST is about may be used up by it. */
  async function goodOf(name: string, method: string): Promise<Sent> {
    const known = goods.get(name)
    if (known && method !== 'POST') return known
    const good = (await requests[name]?.send(world)) ?? {}
    goods.set(name, good)
    return good
  }

  async function measureRoute(route: Route, place: Place, hostile: Hostile): Promise<number> {
    const { name, method, path, operation, params } = route
    const [first = ''] = place.path
    const good = await goodOf(name, method)
    const isShort = method === 'GET' || method === 'DELETE' || params.includes(`${first}`)
    const value = hostile.make(isShort ? SHORT_ROOM : ROOM)
    const given = params.includes(`${first}`)
      ? { params: { ...good.params, [first]: String(value).toWellFormed() } }
      : isShort
        ? { query: queryOf(place.path, value) }
        : { body: bodyWith(operation, fuller[name] ?? good.body, place, value) }
    const body = given.body === undefined ? good.body : given.body
    const order = {
      method,
      url: world.url + pathOf(path, { ...good, ...given }),
      headers: {
        'SVC-API-KEY': keyFor(world, name),
        ...(body !== undefined && {
          'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const made: string[] = []
    const block = await least(async () => {
      const { status, id } = await send(order)
      if (status >= 500) throw new Error(`${name} was answered with ${status}`)
      if (status === 201 && id !== undefined) made.push(id)
    })
    const get = byName.get(`${name.split('.')[0]}.get`)
    const [id] = made
    if (!get || id === undefined) return block
    const url = world.url + pathOf(get.path, { params: { id } })
    const headers = { 'SVC-API-KEY': keyFor(world, get.name) }
    return Math.max(block, await least(() => send({ method: 'GET', url, headers })))
  }

  async function measureOwners(name: string, { input }: Operation, place: Place, hostile: Hostile) {
    const whole = JSON.stringify(withValue(input, undefined, place.path, hostile.make(ROOM)))
    const call = async () => world.vault.engine.call(name, readJson(whole), { kind: 'owner' })
    return least(() => call().catch(() => {}))
  }

  return {
    world,
    send,
    least,
    /** The longest turn, in ms, that this case takes. */
    measure({ name, place, hostile }: Case): Promise<number> {
      const route = byName.get(name)
      const operation = catalogue.get(name) as Operation
      return route ? measureRoute(route, place, hostile) : measureOwners(name, operation, place, hostile)
    },
  }
}

function bodyWith({ input, wholeBody }: Operation, good: Json | undefined, place: Place, value: unknown) {
  if (wholeBody)
    return (withValue(input, { payload: good ?? null }, place.path, value) as { payload: Json }).payload
  const { id: _, ...rest } = isObject(good) ? good : {}
  const { id: __, ...body } = withValue(input, rest, place.path, value) as Record<string, unknown>
  return (place.path[0] === 'id' ? { ...body, id: value } : body) as Json
}

function queryOf([name = '', ...inside]: Place['path'], value: unknown): string {
  const all = (Array.isArray(value) ? value : [value]).slice(0, 1_000)
  const given = [name, ...inside.filter((each) => typeof each === 'string')].join('.')
  return all
    .map(
      (each) =>
        `${given}=${encodeURIComponent((typeof each === 'string' ? each : JSON.stringify(each)).toWellFormed())}`,
    )
    .join('&')
    .slice(0, SHORT_ROOM)
    .replace(/%[\dA-F]?$/, '')
}

/** A part of the cases: every place, with kinds that differ from place to place. */
function part(each: readonly Case[], ofPlace: number): Case[] {
  const byPlace = Map.groupBy(each, ({ place }) => place)
  return [...byPlace.values()].flatMap((kinds, at) =>
    kinds.filter((_, kind) => (kind + at * 7) % Math.ceil(kinds.length / ofPlace) === 0),
  )
}

test('X-65 R-03 no member of any input keeps the main thread busy, however long and hostile it is', async () => {
  const { measure } = await startMeasuring()
  const slow: string[] = []
  for (const each of isThorough ? cases : part(cases, Number(process.env.PART ?? 1))) {
    const t = process.env.TRACE ? performance.now() : 0
    const block = await measure(each)
    if (process.env.TRACE) console.log(labelOf(each), block.toFixed(0), (performance.now() - t).toFixed(0))
    if (block >= mostBlock(block, MOST_MS)) slow.push(`${labelOf(each)}: ${block.toFixed(0)} ms`)
  }
  expect(slow).toEqual([])
}, 3_600_000)

/** Bodies of a proxied call: with an expression in them they are read, without they go through as they are. */
const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', undefined]

/** The lists of transforms that cost most: twenty of a kind. */
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

test('X-65 R-03 no call through a proxy keeps the main thread busy, whatever its body, its transforms and its tokens', async () => {
  const { world, send, least } = await startMeasuring()
  const { id } = await world.token()
  const secrets = await world.token({
    type: 'token',
    data: Array.from({ length: 40_000 }, (_, at) => `secret ${at}`),
  })
  const slow: string[] = []
  const bodies = longTexts.map(({ kind, make }) => ({ kind, text: make(1_000_000) }))
  const calls = Object.entries(lists).flatMap(([name, transforms], list) =>
    bodies.flatMap(({ kind, text }, body) =>
      types.flatMap((type, each) =>
        isThorough || (body + list * 5 + each * 3) % 40 === 0 ? { name, transforms, kind, text, type } : [],
      ),
    ),
  )
  for (const [at, { name, transforms, kind, text, type }] of calls.entries()) {
    const { key } = await world.proxy({
      response_transforms: transforms.flatMap((each) => Array(20).fill(each)),
    })
    const token = at % 4 === 3 ? `{{ ${secrets.id} | json: '$[0]' }}` : `{{ ${id} }}`
    const order = {
      method: 'POST',
      url: `${world.url}/proxy`,
      headers: {
        'SVC-API-KEY': world.keys.private,
        'BT-PROXY-KEY': key,
        ...(type !== undefined && { 'Content-Type': type }),
      },
      body: type === 'application/json' ? JSON.stringify([token, text]) : `${token}${text}`,
    }
    const t = process.env.TRACE ? performance.now() : 0
    let status = 0
    const block = await least(async () => {
      status = (await send(order)).status
    })
    expect(status).toBeLessThan(500)
    const label = `${kind} as ${type}, transforms: ${name}${at % 4 === 3 ? ', of 40,000 secrets' : ''}`
    if (process.env.TRACE) console.log(label, status, block.toFixed(0), (performance.now() - t).toFixed(0))
    if (block >= mostBlock(block, MOST_MS)) slow.push(`${label}: ${block.toFixed(0)} ms`)
  }
  expect(slow).toEqual([])
}, 3_600_000)
