import { randomUUID } from 'node:crypto'
import Driver from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createKeys, deriveDatabaseKey, Keyring } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { type Database, openDatabase } from '../../electron/engine/db/open.ts'
import { Engine } from '../../electron/engine/engine.ts'
import { toLogId } from '../../electron/engine/pipeline/log-id.ts'
import { insertLog, type LogRecord } from '../../electron/engine/pipeline/records.ts'
import { readLastIndexed } from '../../electron/engine/resources/logs/index-records.ts'
import { searchLogs } from '../../electron/engine/resources/logs/search.ts'
import { deleteOldLogs, deleteStaleTerms } from '../../electron/engine/resources/logs/store.ts'
import { createTenant } from '../../electron/engine/resources/tenants/store.ts'
import { indexAll, indexUpTo } from '../index-log.ts'
import { isThorough } from '../thorough.ts'
import { catchProblem, createTempFolder, openBriefVault, start } from '../vault.ts'

const tenant_id = '7d9c9b1e-4b9e-4a8e-9b1f-2c8d4f1a0b11'
const master = Buffer.alloc(32, 7)

/** A database with the tables of a vault, without an engine, so that inserts are fast. */
function openLog(file = ':memory:', upTo = migrations.length): { db: Database; keyring: Keyring } {
  const db =
    file === ':memory:' ? new Driver(file) : openDatabase(file, deriveDatabaseKey(master), { create: true })
  onTestFinished(() => void db.close())
  migrateDatabase(db, migrations.slice(0, upTo))
  createTenant(db, { id: tenant_id, name: 'Test', created_at: start })
  createKeys(db, master, tenant_id, start)
  return { db, keyring: new Keyring(db, master, tenant_id) }
}

function createRecord(part: Partial<LogRecord> = {}): LogRecord {
  return {
    at: start,
    actor_type: 'application',
    actor_id: 'app-1',
    operation: 'tokens.get',
    entity_type: 'token',
    entity_id: null,
    entity_ids: [],
    status: 200,
    note: null,
    trace_id: randomUUID(),
    duration_us: 1,
    ...part,
  }
}

function addRecords(
  { db, keyring }: ReturnType<typeof openLog>,
  many: number,
  part: (n: number) => Partial<LogRecord>,
) {
  db.transaction(() =>
    insertLog(
      db,
      keyring,
      Array.from({ length: many }, (_, n) => createRecord(part(n))),
    ),
  )()
}

const all = { before: null, skip: 0, limit: 100, count: true }

test('O-05 each term finds one record among very many newer ones', () => {
  const [newer, indexed] = isThorough ? [100_000, 98_000] : [3000, 2000]
  const log = openLog()
  const one = {
    status: 403,
    operation: 'tokens.remove',
    actor_id: 'app-9',
    trace_id: 'needle',
    entity_id: 'tok-9',
  }
  addRecords(log, 1, () => one)
  addRecords(log, newer, (n) => ({
    at: start + n,
    entity_id: `tok-${n % 5}`,
    actor_id: `app-${n % 3}`,
    trace_id: `403-${n}`,
  }))
  indexAll(log)
  expect(readLastIndexed(log.db)).toBeGreaterThan(indexed)
  const createTextFilter = (typed: string) => ({ q: { typed, id: typed } })
  const filters = [
    { status: '403' },
    { status: '4xx' },
    { action: 'tokens.remove' },
    { actor_id: 'app-9' },
    { trace_id: 'needle' },
    createTextFilter('needle'),
    createTextFilter('need'),
    createTextFilter('TOKENS.REM'),
    createTextFilter('403'),
    createTextFilter('4xx'),
    createTextFilter('4XX'),
    createTextFilter('tok-9'),
    createTextFilter('app-9'),
    {
      status: '4xx',
      entity_id: 'tok-9',
      entity_type: 'token',
      action: 'tokens.remove',
      actor_id: 'app-9',
    },
    { status: '403', until: start + 1 },
  ]
  for (const filter of filters) {
    expect([filter, searchLogs(log.db, filter, all)]).toEqual([
      filter,
      { seqs: [1], total: 1, next: null, short: false },
    ])
  }
  for (const filter of [
    { status: '5xx' },
    { status: '403', actor_id: 'app-1' },
    createTextFilter('eedle'),
    { trace_id: 'need' },
  ]) {
    expect([filter, searchLogs(log.db, filter, all).total]).toEqual([filter, 0])
  }
  expect(searchLogs(log.db, { status: '2xx' }, all).total).toBe(newer)
})

test('O-05 a search gives the same records with and without index, for any clock', {
  tags: 'thorough',
}, () => {
  const log = openLog()
  const statuses = [200, 201, 400, 403, 404, 500]
  const operations = ['tokens.get', 'tokens.create', 'logs.list', 'vault.backup']
  addRecords(log, 7000, (n) => ({
    at: start + ((n * 7919) % 9000),
    status: statuses[(n * 31) % 6] ?? 200,
    operation: operations[(n * 17) % 4] ?? '',
    entity_type: (n * 17) % 4 === 2 ? 'log' : 'token',
    actor_type: n % 11 === 0 ? 'owner' : 'application',
    actor_id: n % 11 === 0 ? null : `app-${n % 4}`,
    trace_id: `trace-${n % 900}`,
    entity_id: n % 5 === 0 ? null : `id-${n % 700}`,
    entity_ids: n % 5 === 0 ? [`id-${n % 13}`, `other-${n}`] : [],
  }))
  const filters = [
    { status: '4xx' },
    { status: '2xx', since: start + 2000, until: start + 6000 },
    { action: 'logs.list' },
    { actor_id: 'owner' },
    { trace_id: 'trace-5' },
    { q: { typed: 'id-1', id: 'id-1' } },
    { q: { typed: 'list', id: 'list' }, status: '200' },
    { entity_id: 'id-7', status: '404' },
    { entity_id: 'other-20', status: '4xx' },
    { status: '200', entity_type: 'log' },
  ]
  /** Follows the cursors of a search to its end, like a program. */
  const listSeqs = (filter: (typeof filters)[number]) => {
    const seqs: number[] = []
    let before: number | null = null
    do {
      const found = searchLogs(log.db, filter, { before, skip: 0, limit: 37, count: false })
      seqs.push(...found.seqs)
      before = found.next
    } while (before !== null)
    return seqs
  }
  const plain = filters.map(listSeqs)
  indexAll(log)
  expect(readLastIndexed(log.db)).toBeGreaterThan(6000)
  for (const [index, filter] of filters.entries()) {
    const seqs = plain[index] ?? []
    expect(seqs.length).toBeGreaterThan(0)
    expect([filter, listSeqs(filter)]).toEqual([filter, seqs])
    expect([filter, searchLogs(log.db, filter, all).total]).toEqual([filter, seqs.length])
    const page = searchLogs(log.db, filter, { ...all, skip: 3, limit: 5 })
    expect(page.seqs).toEqual(seqs.slice(3, 8))
  }
})

test('O-05 an unindexed log is searched in parts, each with a cursor until the last', () => {
  const log = openLog()
  addRecords(log, 1, () => ({ status: 403 }))
  addRecords(log, isThorough ? 30_000 : 10_000, () => ({}))
  const first = searchLogs(log.db, { status: '403' }, all)
  expect(first).toMatchObject({ seqs: [], total: null })
  expect(first.next).not.toBeNull()
  let steps = 0
  let at = first
  while (at.next !== null) {
    steps++
    at = searchLogs(log.db, { status: '403' }, { ...all, before: at.next })
  }
  expect(at.seqs).toEqual([1])
  expect(steps).toBeGreaterThan(isThorough ? 5 : 1)
  expect(searchLogs(log.db, { status: '403' }, { ...all, skip: 20, limit: 20 }).short).toBe(true)
})

test('O-05 retention deletes index terms, and the other records are still found', () => {
  const log = openLog()
  addRecords(log, 5000, (n) => ({
    at: start + n,
    status: n % 1000 === 999 ? 403 : 200,
    entity_id: `id-${n}`,
  }))
  indexAll(log)
  while (deleteOldLogs(log.db, start + 2500, 100) > 0);
  while (deleteStaleTerms(log.db, 1000));
  expect(searchLogs(log.db, { status: '403' }, all)).toMatchObject({ seqs: [5000, 4000, 3000], total: 3 })
  expect(searchLogs(log.db, { status: '2xx' }, all).total).toBe(2497)
  while (deleteOldLogs(log.db, start + 5000, 100) > 0);
  while (deleteStaleTerms(log.db, 1000));
  const countRemaining = (table: string) =>
    (log.db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
  expect(['log', 'log_block', 'log_term', 'log_id', 'log_entity'].map(countRemaining)).toEqual([
    0, 0, 0, 0, 0,
  ])
})

const readIds = ({ db }: ReturnType<typeof openLog>) =>
  db.prepare('SELECT block, term, seq FROM log_id ORDER BY block, term, seq').all()

test('O-05 R-03 a block is indexed in steps of at most 512 terms', () => {
  const log = openLog()
  addRecords(log, 2100, (n) => ({ entity_id: `tok-${n % 5}`, trace_id: `trace-${n}` }))
  const written = [0]
  indexUpTo(log, Number.POSITIVE_INFINITY, () => {
    written.push(readIds(log).length)
    if (written.at(-1) !== 4096) expect(readLastIndexed(log.db)).toBe(0)
  })
  for (const [at, ids] of written.slice(1).entries())
    expect(ids - (written[at] ?? 0)).toBeLessThanOrEqual(512)
  expect(written.at(-1)).toBe(4096)
  expect(readLastIndexed(log.db)).toBe(2048)
})

test('O-05 the record of a batch create is found by each token', () => {
  const log = openLog()
  addRecords(log, 2100, (n) => ({
    operation: n % 7 === 0 ? 'tokens.createMany' : 'tokens.get',
    entity_id: `tok-${n % 5}`,
  }))
  const searchSeqs = (created_by: number, more = {}) =>
    searchLogs(log.db, { entity_id: 'tok-new', created_by, ...more }, all).seqs
  for (const isIndexed of [false, true]) {
    if (isIndexed) indexAll(log)
    expect(readLastIndexed(log.db)).toBe(isIndexed ? 2048 : 0)
    for (const seq of [1, 8, 2043, 2095]) {
      expect(searchSeqs(seq)).toEqual([seq])
      expect(searchSeqs(seq, { action: 'tokens.createMany' })).toEqual(seq % 7 === 1 ? [seq] : [])
      expect(searchSeqs(seq, { status: '4xx' })).toEqual([])
    }
    expect(searchLogs(log.db, { entity_id: 'tok-3', created_by: 1 }, all).total).toBe(421)
  }
})

test('O-05 X-42 interrupted indexing restarts, with the same results', () => {
  const createPart = (n: number) => ({ entity_id: `tok-${n % 7}`, trace_id: `trace-${n}` })
  const whole = openLog()
  addRecords(whole, 2100, createPart)
  indexAll(whole)
  const log = openLog()
  addRecords(log, 2100, createPart)
  for (const steps of [1, 2, 4, 7, 11]) {
    expect(indexUpTo(log, steps)).toBe(true)
    expect(readLastIndexed(log.db)).toBe(0)
    expect(searchLogs(log.db, { entity_id: 'tok-3' }, all).total).toBe(300)
  }
  indexAll(log)
  expect(readIds(log)).toEqual(readIds(whole))
  expect(searchLogs(log.db, { entity_id: 'tok-3' }, all).total).toBe(300)
})

test('O-05 a record deleted during indexing is not in the index', { tags: 'thorough' }, () => {
  const log = openLog()
  addRecords(log, 3000, (n) => ({ at: start + n, entity_id: `tok-${n % 7}`, trace_id: `trace-${n}` }))
  let steps = 0
  indexUpTo(log, Number.POSITIVE_INFINITY, () => {
    if (++steps === 5) deleteOldLogs(log.db, start + 1, 10)
  })
  expect(readLastIndexed(log.db)).toBe(0)
  expect(searchLogs(log.db, { trace_id: 'trace-0' }, all).total).toBe(0)
  indexAll(log)
  expect(readLastIndexed(log.db)).toBe(2049)
  const stray = 'SELECT count(*) FROM log_id WHERE block NOT IN (SELECT first FROM log_block)'
  expect(log.db.prepare(stray).pluck().get()).toBe(0)
  expect(searchLogs(log.db, {}, all).total).toBe(2999)
})

test('O-05 records with many entities are indexed in small blocks', {
  tags: 'thorough',
}, () => {
  const log = openLog()
  addRecords(log, 40, (n) => ({ entity_ids: Array.from({ length: 1000 }, (_, at) => `e-${n}-${at}`) }))
  indexAll(log)
  expect(readLastIndexed(log.db)).toBeGreaterThan(30)
  expect(searchLogs(log.db, { q: { typed: 'e-3-999', id: 'e-3-999' } }, all)).toMatchObject({
    seqs: [4],
    total: 1,
  })
})

test('O-05 X-50 an id in a record is shortened, masked and still unambiguous', () => {
  const { keyring } = openLog()
  const toStored = (id: string) => toLogId(id, keyring)
  for (const id of ['order-7', 'e9b1f2c8-4b9e-4a8e-9b1f-123456789012', 'inv-2024-01-15-000123', 'ключ']) {
    expect(toStored(id)).toBe(id)
  }
  for (const id of [
    '4242424242424242',
    'a-4242424242424242-b',
    '4242 4242 4242 4242',
    '３７８２８２２４６３１０００５',
    '4242.4242.4242.4242',
    '42-42-42-42-42-42-42-42',
    '4x2x4x2x4x2x4x2x4x2x4x2x4x2x4x2',
    '4242 _42424242_ 4242',
  ]) {
    expect(
      toStored(id)
        .replace(/#.*/, '')
        .match(/\p{Nd}/gu),
    ).toHaveLength(4)
    expect(toStored(id)).toMatch(/#[\w-]{8}$/)
  }
  expect(toStored('4242424242424242')).toContain('XXXXXXXXXXXX4242#')
  expect(toStored('1111111111114242')).not.toBe(toStored('2222222222224242'))
  expect(toStored(toStored('4242424242424242'))).toBe(toStored('4242424242424242'))
  expect(toStored('\u001b[2J\u0000\u202e')).not.toMatch(/[\p{Cc}\u202e]/u)
  expect(Array.from(toStored('😀'.repeat(5000)))).toHaveLength(400)
})

test('O-05 X-50 a number in a path is masked, and found by the full id', async () => {
  const vault = openBriefVault()
  const app = await vault.application({ permissions: ['token:read'] })
  await catchProblem(app.client.tokens.get({ id: '4242424242424242' }))
  await catchProblem(app.client.tokens.get({ id: '4111111111114242' }))
  const { data } = await vault.owner.logs.list({ status: '404' })
  expect(data).toHaveLength(2)
  expect(JSON.stringify(data)).not.toMatch(/4242424242|4111111111/)
  for (const filter of [{ entity_id: '4242424242424242' }, { q: '4242424242424242' }]) {
    expect((await vault.owner.logs.list(filter)).data.map(({ id }) => id)).toEqual([data[1]?.id])
  }
})

test('O-05 every filter of the log can be combined with pages and cursors', async () => {
  const vault = openBriefVault()
  const auditor = await vault.application({ type: 'management', permissions: ['log:read'] })
  const app = await vault.application({ permissions: ['token:create'] })
  for (let at = 0; at < 5; at++) {
    await app.with({ trace_id: `trace-${at}` }).tokens.create({ type: 'token', data: at })
    await catchProblem(app.with({ trace_id: `refused-${at}` }).tokens.get({ id: `id-${at}` }))
  }
  const listTraceIds = async (filter: object) => {
    const { data, pagination } = await auditor.client.logs.list({ ...filter, size: 5000 })
    expect(pagination.total_items).toBe(data.length)
    return data.map(({ trace_id }) => trace_id)
  }
  const refused = [4, 3, 2, 1, 0].map((at) => `refused-${at}`)
  expect(await listTraceIds({ status: '403' })).toEqual(refused)
  expect(
    await listTraceIds({ status: '4xx', actor_id: app.id, action: 'tokens.get', entity_type: 'token' }),
  ).toEqual(refused)
  expect(await listTraceIds({ trace_id: 'trace-3' })).toEqual(['trace-3'])
  expect(await listTraceIds({ q: 'trace-' })).toHaveLength(5)
  expect(await listTraceIds({ status: '4xx', entity_id: 'id-2' })).toEqual(['refused-2'])
  expect(await listTraceIds({ actor_id: 'owner', action: 'applications.create' })).toHaveLength(2)
  expect(await listTraceIds({ status: '5xx' })).toEqual([])
  const { list } = auditor.client.logs
  const first = await list({ status: '403', size: 2 })
  expect(first.pagination).toMatchObject({ total_items: 5, total_pages: 3 })
  const rest = await list({ status: '403', size: 2, start: first.pagination.next ?? '' })
  expect(rest.data.map(({ trace_id }) => trace_id)).toEqual(['refused-2', 'refused-1'])
  expect((await list({ status: '403', size: 2, page: 3 })).data.map(({ trace_id }) => trace_id)).toEqual([
    'refused-0',
  ])
  for (const bad of [
    { status: '44' },
    { status: '6xx' },
    { q: '' },
    { size: 5001 },
    { operation: 'x'.repeat(101) },
  ]) {
    expect((await catchProblem(list(bad as never))).status).toBe(400)
  }
  expect((await catchProblem(list({ status: '4xx', start: first.pagination.next ?? '' }))).status).toBe(400)
})

test('O-05 only the owner sees errors and missing permissions', async () => {
  const vault = openBriefVault()
  const auditor = await vault.application({ type: 'management', permissions: ['log:read'] })
  const app = await vault.application({
    rules: [
      { priority: 1, container: '/z/', transform: 'mask', permissions: ['token:read', 'token:create'] },
    ],
  })
  const token = await vault.owner.tokens.create({ type: 'token', data: 'x', containers: ['/a/', '/b/c/'] })
  const problems = [
    await catchProblem(app.client.tokens.get({ id: token.id })),
    await catchProblem(app.client.tokens.remove({ id: token.id })),
    await catchProblem(app.client.tokens.get({ id: 'nobody' })),
    await catchProblem(app.client.tokens.create({ type: 'card', data: { number: '4242424242424241' } })),
  ]
  const { data } = await auditor.client.logs.list({ actor_id: app.id })
  const records = await Promise.all(data.toReversed().map(({ id }) => vault.owner.logs.get({ id })))
  expect(records.map(({ detail, errors }) => [detail, errors])).toEqual(
    problems.map(({ detail, errors }) => [detail, errors]),
  )
  expect(records.map(({ method, path, code }) => [method, path, code])).toEqual([
    ['GET', `/tokens/${token.id}`, 'forbidden'],
    ['DELETE', `/tokens/${token.id}`, 'forbidden'],
    ['GET', '/tokens/nobody', 'not_found'],
    ['POST', '/tokens', 'invalid'],
  ])
  expect(records.map(({ missing }) => missing)).toEqual([
    { permissions: ['token:read'], containers: ['/a/', '/b/c/'] },
    { permissions: ['token:delete'] },
    undefined,
    undefined,
  ])
  expect(records.every(({ key_hint }) => key_hint === app.key.slice(-4))).toBe(true)
  for (const each of data) {
    for (const member of ['detail', 'errors', 'missing', 'looked_as']) expect(each).not.toHaveProperty(member)
  }
  expect((await catchProblem(auditor.client.logs.get({ id: '1' }))).status).toBe(403)
  for (const id of ['0', '999999', 'x', '', '5f0c1c1e-0000-4000-8000-000000000000'])
    expect((await catchProblem(vault.owner.logs.get({ id }))).status).toBe(404)
  expect(JSON.stringify(records)).not.toContain('424242')
})

test('O-05 an error with thousands of fields leaves a small record', async () => {
  const vault = openBriefVault()
  const app = await vault.application({ permissions: ['token:create'] })
  const body = Object.fromEntries(
    Array.from({ length: 5000 }, (_, n) => [`member_${'x'.repeat(40)}_${n}`, 1]),
  )
  await catchProblem(app.client.tokens.create({ type: 'token', data: 1, ...body } as never))
  const [record] = (await vault.owner.logs.list({ status: '400' })).data
  expect(JSON.stringify(await vault.owner.logs.get({ id: record?.id ?? '' })).length).toBeLessThan(6000)
})

test('O-05 an older vault’s log is indexed while it is open, with ids masked', async () => {
  const file = `${createTempFolder()}/vault.db`
  const old = openLog(file, 1)
  const insert = old.db.prepare(
    `INSERT INTO log (at, actor_type, actor_id, operation, entity_type, entity_id, status, trace_id, duration_us)
     VALUES (?, 'application', 'app-1', 'tokens.get', 'token', ?, ?, ?, 1)`,
  )
  old.db.transaction(() => {
    for (let n = 0; n < 5000; n++) {
      insert.run(start + n, n === 3 ? '4242424242424242' : `id-${n}`, n === 3 ? 404 : 200, `old-${n}`)
    }
  })()
  old.db.prepare("INSERT INTO log_count VALUES ('token', 0, 4999), ('token', 1, 1)").run()
  old.db.close()
  const engine = Engine.open(file, master, { now: () => start + 10_000 })
  onTestFinished(() => engine.close())
  const listLogs = async (input: object) =>
    (await engine.call('logs.list', input, { kind: 'owner' })).output as {
      pagination: { total_items?: number }
      data: { entity_id?: string; trace_id: string; path?: string }[]
    }
  await expect.poll(async () => (await listLogs({ trace_id: 'old-3' })).pagination.total_items).toBe(1)
  await expect.poll(async () => (await listLogs({ entity_id: '4242424242424242' })).data.length).toBe(1)
  const [record] = (await listLogs({ status: '404' })).data
  expect(record).toMatchObject({ trace_id: 'old-3', entity_id: expect.stringMatching(/^X{12}4242#/) })
  expect(record).not.toHaveProperty('path')
  expect((await listLogs({})).pagination.total_items).toBe(5000)
})
