import { BasisTheory as LegacyClient } from '@basis-theory/basis-theory-js'
import { BasisTheoryClient as Client5 } from '@basis-theory/node-sdk'
import { BasisTheoryClient as Client2 } from 'basis-theory-node-sdk-2'
import { expect, test } from 'vitest'
import { measureLongestBlock } from '../longest-block.ts'
import { waitFor } from '../wait-for.ts'
import { awaitRejection, collectAll } from './clients/start.ts'
import { startReactors } from './start-reactors.ts'

const code = 'module.exports = function (req) { return { raw: req.args } }'
const managing = ['reactor:create', 'reactor:read', 'reactor:update', 'reactor:delete']

async function startManagedReactors() {
  const started = await startReactors()
  const { key } = await started.vault.application({ type: 'management', permissions: managing } as never)
  return { ...started, apiKey: key }
}

test('F-01 node-sdk 5: a reactor is created, changed, called synchronously and asynchronously, and deleted', async () => {
  const { url, apiKey, key, app_id, vault } = await startManagedReactors()
  const { reactors } = new Client5({ apiKey, environment: url })
  const created = await reactors.create({
    name: 'r1',
    code,
    configuration: { A: 'b' },
    application: { id: app_id },
    runtime: { image: 'node22', timeout: 10 },
  })
  expect(created).toMatchObject({
    name: 'r1',
    code,
    state: 'active',
    configuration: { A: 'b' },
    application: { id: app_id },
    runtime: { image: 'node22', timeout: 10 },
  })
  const id = created.id as string
  expect(await reactors.get(id)).toEqual(created)
  await reactors.create({ name: 'other', code })
  expect((await collectAll(await reactors.list({ size: 1 }))).map(({ name }) => name)).toEqual([
    'other',
    'r1',
  ])
  expect((await collectAll(await reactors.list({ name: 'r*' }))).map(({ name }) => name)).toEqual(['r1'])
  const updated = await reactors.update(id, { name: 'r2', code })
  expect(updated).toMatchObject({ id, name: 'r2', configuration: {} })
  expect(updated).not.toHaveProperty('application')
  await reactors.patch(id, { name: 'r3', configuration: { C: 'd' } })
  expect(await reactors.get(id)).toMatchObject({ name: 'r3', configuration: { C: 'd' } })
  const caller = new Client5({ apiKey: key, environment: url }).reactors
  expect(await caller.react(id, { args: { key1: 'a', key2: 'b' } })).toMatchObject({
    raw: { key1: 'a', key2: 'b' },
  })
  const { asyncReactorRequestId: request_id = '' } = await caller.reactAsync(id, { args: { key1: 'c' } })
  const results = await waitFor(async () => caller.results.get(id, request_id))
  expect(results).toMatchObject({ raw: { key1: 'c' } })
  await reactors.delete(id)
  expect(await awaitRejection(reactors.get(id))).toMatchObject({ statusCode: 404 })
  expect(await awaitRejection(caller.react(id, { args: {} }))).toMatchObject({ statusCode: 404 })
  expect((await vault.owner.reactors.list({})).data).toHaveLength(1)
})

test('F-01 node-sdk 2: a reactor is created, changed, called synchronously and asynchronously, and deleted', {
  tags: 'thorough',
}, async () => {
  const { url, apiKey, key } = await startManagedReactors()
  const { reactors } = new Client2({ apiKey, baseUrl: url })
  const created = await reactors.create({ name: 'r1', code })
  const id = created.id as string
  await reactors.update(id, { name: 'r2', code })
  await reactors.patch(id, { name: 'r3' })
  expect(await reactors.get(id)).toMatchObject({ name: 'r3', state: 'active' })
  const caller = new Client2({ apiKey: key, baseUrl: url }).reactors
  expect(await caller.react(id, { args: { key1: 'a' } })).toMatchObject({ raw: { key1: 'a' } })
  const { asyncReactorRequestId: request_id = '' } = await caller.reactAsync(id, { args: { key1: 'c' } })
  expect(await waitFor(async () => caller.results.get(id, request_id))).toMatchObject({ raw: { key1: 'c' } })
  await reactors.delete(id)
  expect(await awaitRejection(reactors.get(id))).toMatchObject({ statusCode: 404 })
})

test('F-01 basis-theory-js: a reactor is created, changed, called and deleted', {
  tags: 'thorough',
}, async () => {
  const { url, apiKey, key } = await startManagedReactors()
  const createClient = (with_key: string) =>
    new LegacyClient().init(with_key, {
      apiBaseUrl: url.replace('127.0.0.1', 'localhost'),
      disableTelemetry: true,
    } as never)
  const { reactors } = await createClient(apiKey)
  const { id } = await reactors.create({ name: 'r1', code, configuration: { A: 'b' } })
  await reactors.update(id, { name: 'r2', code } as never)
  await reactors.patch(id, { name: 'r3' } as never)
  expect(await reactors.retrieve(id)).toMatchObject({ name: 'r3' })
  expect((await reactors.list()).data).toHaveLength(1)
  const caller = await createClient(key)
  expect(await caller.reactors.react(id, { args: { key1: 'a' } })).toMatchObject({ raw: { key1: 'a' } })
  await reactors.delete(id)
  expect(await awaitRejection(reactors.retrieve(id))).toMatchObject({ status: 404 })
})

test('F-01 code that does not compile is stored, and calls get 422', async () => {
  const { request, apiKey, listRecords } = await startManagedReactors()
  const broken = 'module.exports = (req) => {\n  return )\n}'
  const created = await request('POST', '/reactors', { body: { name: 'r', code: broken }, key: apiKey })
  expect(created).toMatchObject({ status: 201, body: { code: broken, state: 'active' } })
  const { id } = created.body
  const body = { name: 'r', code: `${broken}\n` }
  const replaced = await request('PUT', `/reactors/${id}`, { body, key: apiKey })
  expect(replaced).toMatchObject({ status: 200, body: { code: `${broken}\n` } })
  expect(await request('POST', `/reactors/${id}/react`, { body: { args: {} } })).toMatchObject({
    status: 422,
    body: {
      detail: 'Invalid Reactor Formula',
      errors: {
        error: ["Reactor code is not a valid function: line 2, column 10: Unexpected token ')'"],
      },
    },
  })
  const note = 'code cannot be compiled: line 2, column 10'
  await waitFor(async () => {
    const matching = (await listRecords()).filter((each) => each.note === note && each.entity_id === id)
    expect(matching.map(({ action, status }) => `${action} ${status}`).sort()).toEqual([
      'reactors.create 201',
      'reactors.react 422',
      'reactors.update 200',
    ])
  })
})

test('X-65 F-01 compiling deeply nested code does not block other requests', async () => {
  const { request, apiKey, reactors, storeReactor } = await startManagedReactors()
  const nested = `${'{let a;'.repeat(1900)}{${'b;'.repeat(17_350)}}${'}'.repeat(1900)}`
  const store50 = (name: string, text: string) =>
    request('POST', '/reactors', { body: { name, code: text }, key: apiKey })
  // These calls load the modules, whose loading is not measured.
  await store50('first', code)
  await reactors.checkSyntax(code)
  await storeReactor(code)
  const { result, block } = await measureLongestBlock(async () => {
    const { status } = await store50('nested', nested)
    await reactors.checkSyntax(nested)
    await storeReactor(nested)
    return status
  })
  expect(result).toBe(201)
  expect(block).toBeLessThan(50)
})
