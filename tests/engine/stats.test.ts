import { expect, test } from 'vitest'
import { computePercentile } from '../../electron/engine/resources/stats/traffic.ts'
import { TrafficCounts } from '../../electron/engine/resources/stats/traffic-counts.ts'
import { withDatabase } from '../rows.ts'
import { openBriefVault, start } from '../vault.ts'

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

test('statistics count existing tokens by type and primary container', async () => {
  const { owner } = openBriefVault()
  await owner.tokens.create({ type: 'card', data: card })
  await owner.tokens.create({ type: 'token', data: 'a', containers: ['/x/y/', '/z/'] })
  const gone = await owner.tokens.create({ type: 'token', data: 'b', containers: ['/x/'] })
  await owner.tokens.create({ type: 'token', data: 'c', containers: ['/x/y/'] })
  await owner.tokens.remove({ id: gone.id })
  expect(await owner.stats.tokens()).toEqual({
    total: 3,
    types: [
      { type: 'token', tokens: 2 },
      { type: 'card', tokens: 1 },
    ],
    counts: [
      { type: 'token', container: '/x/y/', tokens: 2 },
      { type: 'card', container: '/pci/high/', tokens: 1 },
    ],
  })
})

test('statistics list data that expires within two weeks, soonest first', async () => {
  const { owner, clock } = openBriefVault()
  const soon = await owner.tokens.create({ type: 'token', data: 'a', expires_at: '2030-01-05' })
  await owner.tokens.create({ type: 'token', data: 'b', expires_at: '2030-03-01' })
  const app = await owner.applications.create({
    name: 'Trial',
    type: 'private',
    permissions: ['token:read'],
    expires_at: '2030-01-03',
  })
  const expiries = await owner.stats.expiries()
  expect(expiries.data.map(({ kind, id, label }) => [kind, id, label])).toEqual([
    ['application', app.id, 'Trial'],
    ['token', soon.id, 'token'],
  ])
  clock.advance(10 * 86_400_000)
  expect(await owner.stats.expiries()).toEqual({ data: [], total: 0, isExact: true })
  const ends = { type: 'token', data: 'c', expires_at: '2030-01-12' } as const
  await owner.tokens.createMany({ tokens: Array.from({ length: 50 }, () => ends) })
  const { data, ...counted } = await owner.stats.expiries()
  expect([data.length, counted]).toEqual([20, { total: 50, isExact: true }])
})

test('statistics count requests of applications over time, but not the owner’s', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({ permissions: ['token:create'] })
  await client.tokens.create({ type: 'token', data: 'a' })
  vault.clock.advance(30 * 60_000)
  await client.tokens.create({ type: 'token', data: 'b' })
  await client.tokens.get({ id: 'missing' }).catch(() => undefined)
  const report = await vault.owner.stats.requests({ minutes: 60, buckets: 4 })
  expect(report.complete).toBe(true)
  expect(report.buckets.map(({ requests, refused }) => [requests, refused])).toEqual([
    [0, 0],
    [0, 0],
    [1, 0],
    [2, 1],
  ])
  expect(report.operations.map(({ operation, requests, refused }) => [operation, requests, refused])).toEqual(
    [
      ['tokens.create', 2, 0],
      ['tokens.get', 1, 1],
    ],
  )
})

test('statistics do not count log records of scheduled maintenance', async () => {
  const vault = openBriefVault()
  await vault.owner.tokens.create({
    type: 'token',
    data: 'a',
    expires_at: new Date(start + 60_000).toISOString(),
  })
  vault.clock.advance(10 * 60_000)
  await vault.engine.sweeper.sweep()
  const expiries = await vault.owner.logs.list({ action: 'tokens.expire' })
  expect(expiries.data).toHaveLength(1)
  const { buckets, operations } = await vault.owner.stats.requests({ minutes: 60, buckets: 1 })
  expect(buckets).toMatchObject([{ requests: 0, refused: 0, failed: 0 }])
  expect(operations).toEqual([])
})

test('statistics show the last use of a key before the log is written', async () => {
  const vault = openBriefVault()
  const { id, client } = await vault.application({ permissions: ['token:read'] })
  expect((await vault.owner.stats.keys({ application_id: id })).map((key) => key.last_used_at)).toEqual([
    null,
  ])
  await client.tokens.list()
  const [key] = await vault.owner.stats.keys({ application_id: id })
  expect(key?.last_used_at).toBe(new Date(start).toISOString().replace('Z', '+00:00'))
})

test('the last use of a key is shown and written at most once per second', async () => {
  const vault = openBriefVault()
  const { id, client } = await vault.application({ permissions: ['token:read'] })
  const readLastUse = async () => {
    const [key] = await vault.owner.stats.keys({ application_id: id })
    return Date.parse(key?.last_used_at ?? '') - start
  }
  const shown: number[] = []
  for (const step of [0, 999, 1, 500, 2000, -60_000]) {
    vault.clock.advance(step)
    await client.tokens.list()
    shown.push(await readLastUse())
  }
  expect(shown).toEqual([0, 0, 1000, 1000, 3500, -56_500])
})

test('statistics are for the owner only', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({ type: 'management', permissions: ['tenant:read', 'log:read'] })
  for (const call of [client.stats.tokens(), client.stats.expiries(), client.stats.keys({})]) {
    await expect(call).rejects.toMatchObject({ status: 403 })
  }
})

const createRow = (at: number, status: number, duration_us = 1) => ({
  seq: 1,
  at,
  status,
  actor_type: 'application',
  entity_type: 'token',
  operation: 'tokens.get',
  duration_us,
  requests: 1,
})

test('statistics count requests in equal time steps, the last one until now', () => {
  const counts = new TrafficCounts(60)
  const now = 3_600_000
  counts.addRecords(
    [createRow(now, 500), createRow(now - 1, 404), createRow(now / 2, 200), createRow(0, 200)],
    0,
  )
  expect(counts.toBuckets(now, 2)).toEqual([
    { at: 0, requests: 1, refused: 0, failed: 0 },
    { at: now / 2, requests: 3, refused: 1, failed: 1 },
  ])
})

test('a percentile is one of the values in the list', () => {
  const sorted = Array.from({ length: 100 }, (_, index) => [index + 1, 1] as const)
  expect([
    computePercentile(sorted, 0.5),
    computePercentile(sorted, 0.95),
    computePercentile([[7, 3]], 0.95),
    computePercentile([], 0.5),
  ]).toEqual([50, 95, 7, 0])
  const counts = new TrafficCounts(60)
  counts.addRecords(
    sorted.map(([ms]) => createRow(0, 200, ms * 1000)),
    0,
  )
  expect(counts.measureSpeeds(0)).toEqual([
    { operation: 'tokens.get', requests: 100, refused: 0, p50_ms: 50, p95_ms: 95 },
  ])
})

test('statistics count every record of a period, however many there are, and drop those before it', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({ permissions: ['token:create'] })
  await client.tokens.create({ type: 'token', data: 'old' })
  vault.clock.advance(2 * 3_600_000)
  await client.tokens.create({ type: 'token', data: 'new' })
  const insertMany = `INSERT INTO log (at, actor_type, operation, entity_type, status, trace_id, duration_us)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
    SELECT ?, 'application', 'tokens.get', 'token', 200, 't', 1000 FROM n`
  const readRequests = () => vault.owner.stats.requests({ minutes: 60, buckets: 1 })
  await readRequests()
  withDatabase(vault, (db) => db.prepare(insertMany).run(vault.clock.ms))
  let report = await readRequests()
  expect(report.complete).toBe(false)
  while (!report.complete) report = await readRequests()
  expect(report.buckets).toMatchObject([{ requests: 25_001 }])
  expect(report.operations.map(({ operation, requests }) => [operation, requests])).toEqual([
    ['tokens.get', 25_000],
    ['tokens.create', 1],
  ])
  vault.clock.advance(3_600_000)
  await client.tokens.create({ type: 'token', data: 'newer' })
  vault.clock.advance(60_000)
  expect((await readRequests()).buckets).toMatchObject([{ requests: 1 }])
})

test('statistics count the period before the present, also after the clock was set back', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({ permissions: ['token:create'] })
  const countRequests = async () => {
    const { buckets, operations } = await vault.owner.stats.requests({ minutes: 60, buckets: 1 })
    return [buckets[0]?.requests, operations[0]?.requests]
  }
  await client.tokens.create({ type: 'token', data: 'a' })
  vault.clock.advance(86_400_000)
  for (const data of ['b', 'c']) await client.tokens.create({ type: 'token', data })
  expect(await countRequests()).toEqual([2, 2])
  vault.clock.advance(-86_400_000)
  expect(await countRequests()).toEqual([1, 1])
  vault.clock.advance(86_400_000)
  expect(await countRequests()).toEqual([2, 2])
})
