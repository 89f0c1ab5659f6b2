import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { MAX_REQUEST_WORK, WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import { Gate } from '../../electron/http/gate.ts'
import type { EntityChange } from '../../shared/entity-changes.ts'
import type { Json } from '../../shared/json.ts'
import { startListener } from '../listener.ts'
import { expectShortTurns, getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { countRows } from '../rows.ts'
import { pickSome } from '../thorough.ts'
import { createThreeDsClient, payment } from '../three-ds.ts'
import { catchProblem, openVault } from '../vault.ts'

const BODY = 2 * 1024 * 1024

function createMembers(count: number): Record<string, Json> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]))
}

/**
 * Sends the same request several times in parallel from another thread, so that only the listener's time is measured.
 */
function sendAll(order: { url: string; key: string; body: string; times: number }): Promise<number[]> {
  const worker = new Worker(
    `const { parentPort, workerData: { url, key, body, times } } = require('node:worker_threads')
     const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
     const one = () => fetch(url, { method: 'POST', headers, body }).then(async (answer) => {
       await answer.arrayBuffer()
       return answer.status
     })
     Promise.all(Array.from({ length: times }, one)).then((statuses) => parentPort.postMessage(statuses))`,
    { eval: true, workerData: order },
  )
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
}

const text = 'aB3'.repeat(21_000)
const alias = `{{ data ${'| alias_preserve_format '.repeat(3)}}}`

test('X-48 R-03 all expressions of a request share one budget', async () => {
  const { application } = openVault()
  const { client } = await application({ type: 'public', permissions: ['token:create'] })
  const heavy = {
    type: 'token',
    data: text,
    fingerprint_expression: alias,
    search_indexes: Array(10).fill(alias),
  }
  const payload = Array(5).fill(heavy)
  const result = await expectShortTurns(() => catchProblem(client.tokens.tokenize({ payload })))
  expect(result).toMatchObject({ status: 400, code: 'invalid' })
  expect(result.detail).toContain(
    'needs too much computation; use fewer or simpler expressions in one request',
  )
  expect(Object.keys(result.errors ?? {}).length).toBeLessThanOrEqual(50)
  expect(
    await client.tokens.create({ type: 'token', data: text, fingerprint_expression: alias }),
  ).toBeDefined()
})

test('R-03 a work budget that is used up rejects any further consumption', () => {
  const work = new WorkBudget()
  work.consume(MAX_REQUEST_WORK)
  expect(work.remaining).toBe(0)
  expect(() => work.consume(1)).toThrow('needs too much computation')
  expect(() => work.consume(0)).toThrow('needs too much computation')
  expect(() => new WorkBudget().consume(Number.NaN)).toThrow('needs too much computation')
})

const costly: [string, object][] = [
  [
    'paths that count a large text',
    { data: '😀'.repeat(400_000), mask: Array(1_000).fill('{{ data.size }} ') },
  ],
  [
    'search indexes over a large object',
    { data: createMembers(100_000), search_indexes: Array(10).fill('{{ data }}') },
  ],
  ['a mask of very many values', { data: 'x', mask: Array(690_000).fill([]) }],
  ['a mask of very many numbers', { data: 'x', mask: Array(1_000_000).fill(0) }],
  [
    '1,000 long expressions',
    {
      data: 'x',
      mask: Array.from({ length: 1_000 }, (_, at) => `{{ data ${'| append: "a" '.repeat(140)}}}${at}`),
    },
  ],
  ['metadata of very many pairs', { data: 'x', metadata: createMembers(100_000) }],
  ['very many unknown members', { data: 'x', ...createMembers(100_000) }],
  [
    'a card with very many members',
    { type: 'card', data: { number: '4242424242424242', ...createMembers(99_000) } },
  ],
]

test.each(pickSome(costly, 2))(
  'X-48 R-03 a create with %s does not delay other requests, and its error is short',
  async (_what, input) => {
    const { owner } = openVault()
    const createToken = () =>
      owner.tokens.create({ type: 'token', ...input } as never).then(
        () => '',
        (error) => JSON.stringify(error.errors) + error.message,
      )
    await createToken()
    const result = await expectShortTurns(createToken)
    expect(result.length).toBeLessThan(20_000)
  },
)

test('X-48 R-03 simultaneous creates of 2 MiB are handled one by one', async () => {
  const { vault, url } = await startListener()
  const { key } = await vault.application({ permissions: ['token:create'] })
  const body = JSON.stringify({ type: 'token', data: 'x'.repeat(BODY - 100) })
  const result = await expectShortTurns(() => sendAll({ url: `${url}/tokens`, key, body, times: 8 }))
  expect(result).toEqual(Array(8).fill(201))
})

test('X-48 R-03 a body of over 30,000 members is rejected before parsing', async () => {
  const { vault, url, request } = await startListener({ strict: true })
  const { key } = await vault.application({ permissions: ['token:create'] })
  const createBody = (count: number) =>
    JSON.stringify({ type: 'token', data: 'x', metadata: createMembers(count) })
  const large = createBody(170_000)
  const result = await expectShortTurns(() => sendAll({ url: `${url}/tokens`, key, body: large, times: 1 }))
  expect(result).toEqual([400])
  const rejected = await request('POST', '/tokens', { key, raw: large })
  expect(rejected.body.errors).toEqual({
    body: ['must not have more than 30,000 members, lists and objects'],
  })
  const bad = await request('POST', '/tokens', { key, raw: createBody(51) })
  expect(bad.body.errors).toEqual({ metadata: ['must have at most 50 pairs'] })
  const unknown = await request('POST', '/tokens', { key, raw: JSON.stringify(createMembers(29_000)) })
  expect(Object.keys(unknown.body.errors)).toHaveLength(50)
  // A colon inside a string is not counted as a member.
  const colons = await request('POST', '/tokens', {
    key,
    body: { type: 'token', data: ':"'.repeat(200_000) },
  })
  expect(colons.status).toBe(201)
})

test('X-48 R-03 queued writes are committed in order, in batches of limited time', async () => {
  const { owner } = openVault()
  const data = 'x'.repeat(BODY - 100)
  const ids = Array.from({ length: 12 }, (_, at) => `token-${at}`)
  const answered: string[] = []
  const { block } = await measureLongestBlock(() =>
    Promise.all(
      ids.map((id) => owner.tokens.create({ id, type: 'token', data }).then(() => answered.push(id))),
    ),
  )
  expect(answered).toEqual(ids)
  expect(block).toBeLessThan(getMaxBlock(block))
})

test('X-48 R-03 a data key rotation rewrites large tokens in batches of limited size', {
  tags: 'thorough',
}, async () => {
  const { owner, engine, master } = openVault()
  for (let at = 0; at < 12; at++) {
    await owner.tokens.create({ id: `token-${at}`, type: 'token', data: 'x'.repeat(BODY - 100) })
  }
  const steps: number[] = []
  const rotateKey = () => engine.lifecycle.rotateDataKey(master, { onProgress: (done) => steps.push(done) })
  const { block } = await measureLongestBlock(rotateKey)
  expect(steps.filter((done) => done <= 12).slice(0, 3)).toEqual([1, 2, 3])
  expect(engine.lifecycle.isRotating).toBe(false)
  expect(block).toBeLessThan(getMaxBlock(block))
  const { data } = await owner.tokens.reveal({ id: 'token-11' })
  expect(data).toHaveLength(BODY - 100)
})

test('X-48 R-03 expired large tokens are deleted in batches of limited time', {
  tags: 'thorough',
}, async () => {
  const { owner, engine, clock } = openVault()
  const expires_at = new Date(clock.ms + 60_000).toISOString()
  for (let at = 0; at < 20; at++) {
    await owner.tokens.create({ type: 'token', data: 'x'.repeat(BODY - 100), expires_at })
  }
  clock.advance(120_000)
  const { block } = await measureLongestBlock(() => engine.sweeper.sweep())
  expect(block).toBeLessThan(getMaxBlock(block))
  expect((await owner.tokens.list({})).data).toEqual([])
})

test('X-48 R-03 expired large 3D Secure sessions are deleted in batches of limited time', {
  tags: 'thorough',
}, async () => {
  const vault = openVault()
  for (let at = 0; at < 20; at++) {
    const id = await createThreeDsClient(vault.owner, { pan: '4242424242424242' })
    const message_extensions = [{ data: { text: 'x'.repeat(BODY - 2000) } }]
    await vault.owner.threeDs.authenticate({ id, ...payment, message_extensions })
  }
  vault.clock.advance(2 * 24 * 3_600_000)
  const { block } = await measureLongestBlock(() => vault.engine.sweeper.sweep())
  expect(block).toBeLessThan(getMaxBlock(block))
  expect(countRows(vault).three_ds_session).toBe(0)
})

test('X-48 R-03 expired large intents and sessions are deleted in batches of limited time', {
  tags: 'thorough',
}, async () => {
  const changes: EntityChange[] = []
  const vault = openVault({ onChanges: (newChanges) => changes.push(...newChanges) })
  const { client } = await vault.application({ permissions: ['token:create', 'token-intent:create'] })
  const page = await vault.application({ type: 'public', permissions: ['token:create'] })
  const rules = Array.from({ length: 100 }, (_, at) => ({
    priority: at + 1,
    conditions: Array(20).fill({ attribute: 'id', operator: 'starts_with', value: 'v'.repeat(150) }),
    transform: 'mask' as const,
    permissions: ['token:create' as const],
  }))
  for (let at = 0; at < 20; at++) {
    await client.tokenIntents.create({ type: 'token', data: 'x'.repeat(BODY - 100) })
    const { nonce } = await page.client.sessions.create({})
    await client.sessions.authorize({ nonce, rules })
  }
  vault.reopen()
  vault.clock.advance(3 * 24 * 3_600_000)
  const { block } = await measureLongestBlock(() => vault.engine.sweeper.sweep())
  expect(block).toBeLessThan(getMaxBlock(block))
  for (const entity of ['token_intent', 'session']) {
    const gone = changes.filter((each) => each.entity === entity && each.kind === 'deleted')
    expect(gone.flatMap(({ ids }) => ids)).toHaveLength(20)
  }
})

test('X-48 R-03 listing the log with 10,000 queued records does not block the thread', async () => {
  const { engine, owner, application } = openVault()
  const { key } = await application({ permissions: ['token:read'] })
  const recordRejection = (id: string) =>
    engine.outcomes.recordOutcome(
      'tokens.get',
      { kind: 'key', key },
      { status: 404, note: 'gone' },
      {},
      { id },
    )
  engine.lifecycle.pauseWrites()
  for (let at = 0; at < 10_000; at++) recordRejection(`token-${at}`)
  engine.lifecycle.resumeWrites()
  const { block } = await measureLongestBlock(() => owner.logs.list({ size: 1 }))
  expect(block).toBeLessThan(getMaxBlock(block))
  await expect.poll(async () => (await owner.logs.list({ size: 1 })).data[0]?.entity_id).toBe('token-9999')
})

test('R-03 a full gate admits waiting callers one at a time, in order of arrival', async () => {
  const gate = new Gate(1)
  const leave = await gate.acquire()
  const order: number[] = []
  const others = [1, 2].map((each) =>
    gate.acquire().then((go) => {
      order.push(each)
      return go
    }),
  )
  leave()
  leave()
  const second = await (others[0] as Promise<() => void>)
  expect(order).toEqual([1])
  second()
  await others[1]
  expect(order).toEqual([1, 2])
})

test('X-48 R-03 an application is deleted immediately, and its large sessions later', {
  tags: 'thorough',
}, async () => {
  const vault = openVault()
  const page = await vault.application({ type: 'public', permissions: ['token:create'] })
  const shop = await vault.application({ permissions: ['token:create'] })
  const rules = Array.from({ length: 100 }, (_, at) => ({
    priority: at + 1,
    transform: 'mask' as const,
    permissions: ['token:create' as const],
    conditions: Array.from({ length: 20 }, () => ({
      attribute: 'id' as const,
      operator: 'equals' as const,
      value: 'x'.repeat(150),
    })),
  }))
  let session_key = ''
  for (let created = 0; created < 40; created++) {
    const { nonce, session_key: key } = await page.client.sessions.create({})
    await shop.client.sessions.authorize({ nonce, rules })
    session_key = key
  }
  const { block } = await measureLongestBlock(() => vault.owner.applications.remove({ id: page.id }))
  expect(block).toBeLessThan(getMaxBlock(block))
  const again = vault.owner.applications.get({ id: page.id })
  expect(await catchProblem(again)).toMatchObject({ status: 404 })
  expect(() => vault.engine.identification.identifyKey(session_key)).toThrow(
    'The key is missing, unknown, deleted or expired',
  )
  await vault.engine.sweeper.sweep()
  expect(countRows(vault)).toMatchObject({ session: 0, application: 1 })
  const { data } = await vault.owner.logs.list({ size: 100 })
  expect(data.filter(({ action }) => action === 'applications.expire')).toEqual([])
})

test('X-48 R-03 a patch cannot make a token larger than a create could', async () => {
  const { owner, application } = openVault()
  const { client } = await application({ permissions: ['token:create', 'token:update'] })
  const { id } = await client.tokens.create({ type: 'token', data: createMembers(29_000) })
  await expectShortTurns(() => client.tokens.update({ id, data: { k1: 2 } } as never))
  const more = Object.fromEntries(Object.keys(createMembers(2_000)).map((name) => [`more-${name}`, 1]))
  const grown = await catchProblem(client.tokens.update({ id, data: more } as never))
  expect(grown.errors).toEqual({ data: ['must not have more than 30,000 members, lists and objects'] })
  const text = await client.tokens.create({ type: 'token', data: { a: 'x'.repeat(BODY - 200) } })
  const longer = await catchProblem(
    client.tokens.update({ id: text.id, data: { b: 'x'.repeat(1000) } } as never),
  )
  expect(longer.errors).toEqual({ data: ['must not be longer than 2 MiB as JSON'] })
  expect(Object.keys((await owner.tokens.reveal({ id })).data as object)).toHaveLength(29_000)
})

const createNumbers = (count: number, digits: number) => Array(count).fill(`1${'7'.repeat(digits - 1)}`)

/** Requests with so many items that even counting them takes time. */
const counted: [what: string, path: string, body: string][] = [
  [
    'a detokenization of 220,000 expressions in one text',
    '/detokenize',
    JSON.stringify({ x: '{{ a }} '.repeat(220_000) }),
  ],
  [
    'a detokenization of 220,000 expressions with filters',
    '/detokenize',
    JSON.stringify({ x: '{{a|b}}'.repeat(290_000) }),
  ],
  ['a detokenization of 250,000 texts', '/detokenize', JSON.stringify(Array(250_000).fill('{{a}}'))],
  [
    'a detokenization of 1,000,000 opening braces',
    '/detokenize',
    JSON.stringify({ x: '{{'.repeat(1_000_000) }),
  ],
  ['a tokenization of 500,000 texts', '/tokenize', JSON.stringify(Array(500_000).fill('a'))],
  [
    'a search of 500,000 escapes',
    '/tokens/search',
    JSON.stringify({ query: `data:"${'\\a'.repeat(500_000)}"` }),
  ],
  [
    'a search of 500,000 escapes without an end',
    '/v2/tokens/search',
    JSON.stringify({ query: `data:"${'\\a'.repeat(500_000)}` }),
  ],
  ['a search of 500,000 terms', '/v2/tokens/search', JSON.stringify({ query: 'id:a '.repeat(400_000) })],
  [
    'a token of 6,000 numbers of 300 digits',
    '/tokens',
    `{"type":"token","data":[${createNumbers(6_000, 300)}]}`,
  ],
  [
    'a token of 2,000 numbers of 999 digits',
    '/tokens',
    `{"type":"token","data":[${createNumbers(2_000, 999)}]}`,
  ],
  [
    'a token of 90,000 numbers of 20 digits',
    '/tokens',
    `{"type":"token","data":[${createNumbers(90_000, 20)}]}`,
  ],
  ['a number of 1,900,000 digits', '/tokens', `{"type":"token","data":${createNumbers(1, 1_900_000)}}`],
  [
    'a number of 1,900,000 digits after a point',
    '/tokens',
    `{"type":"token","data":0.${createNumbers(1, 1_900_000)}}`,
  ],
]

test.each(pickSome(counted, 4))(
  'X-65 R-03 %s takes at most 50 ms of processor time',
  async (_what, path, body) => {
    const { vault, url } = await startListener()
    const { key } = await vault.application({ permissions: ['token:create', 'token:read', 'token:search'] })
    const sendBody = () => sendAll({ url: `${url}${path}`, key, body, times: 1 })
    // The first run includes compilation.
    await sendBody()
    const result = await expectShortTurns(sendBody, 50)
    expect(result).toEqual([path === '/tokens' && !body.includes('7'.repeat(1_001)) ? 201 : 400])
  },
)
