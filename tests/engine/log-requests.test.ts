import Driver from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createKeys, deriveDatabaseKey, Keyring } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { inspectFile } from '../../electron/engine/files/inspect-file.ts'
import { insertLog, type LogRecord } from '../../electron/engine/pipeline/records.ts'
import type { LogFilter } from '../../electron/engine/resources/logs/filter.ts'
import { countPrograms } from '../../electron/engine/resources/logs/programs.ts'
import { searchLogs } from '../../electron/engine/resources/logs/search.ts'
import { buildTimeline, chooseStep } from '../../electron/engine/resources/logs/timeline.ts'
import { createTenant } from '../../electron/engine/resources/tenants/store.ts'
import { type FieldContent, matchesConditions, matchesValue } from '../../shared/conditions.ts'
import type { LogField } from '../../shared/schemas/log.ts'
import { indexAll } from '../index-log.ts'
import { isThorough } from '../thorough.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { openBriefVault, openVault, start } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const http = { agent: 'shop/2.1', bytes_in: 12, headers: { accept: '*/*' }, query: {} }
const checkVault = ({ file, master }: TestVault) => inspectFile({ database: file, master }).log

test('O-05 the log chain covers request metadata, also where older records have none', async () => {
  const vault = openVault()
  const app = await vault.application({ permissions: ['token:create'] })
  await app.client.tokens.create({ type: 'token', data: 'before' })
  vault.engine.close()
  // As in the previous format.
  const at = migrations.findIndex(({ name }) => name === 'request facts')
  undoMigrations(vault, at)
  expect(checkVault(vault)).toMatchObject({ unchecked: 0, broken: null })
  vault.reopen()
  await app.with({ http, wants_text: true }).tokens.create({ type: 'token', data: 'after' })
  vault.engine.outcomes.flushLog()
  const whole = checkVault(vault)
  expect(whole).toMatchObject({ unchecked: 0, broken: null })
  expect(
    (await vault.owner.logs.find({ where: [{ field: 'program', value: 'shop/2.1' }] })).data,
  ).toMatchObject([{ action: 'tokens.create', request_bytes: 12, answer_bytes: expect.any(Number) }])
  for (const tampering of [
    `UPDATE log SET http = replace(http, '"in":12', '"in":13') WHERE agent IS NOT NULL`,
    "UPDATE log SET agent = 'other' WHERE agent IS NOT NULL",
    'UPDATE log SET agent = NULL, http = NULL WHERE agent IS NOT NULL',
    `UPDATE log SET http = '{}' WHERE seq = 1`,
  ]) {
    vault.engine.close()
    const copy = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
    const rows = copy.prepare('SELECT seq, agent, http FROM log').all() as { seq: number }[]
    copy.exec(tampering)
    copy.close()
    expect(checkVault(vault)?.broken).not.toBeNull()
    const back = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
    for (const row of rows)
      back.prepare('UPDATE log SET agent = @agent, http = @http WHERE seq = @seq').run(row)
    back.close()
    vault.reopen()
  }
})

/** A database with the tables of a vault and records of some programs, partly indexed. */
function openLogWithRecords(records: readonly Partial<LogRecord>[], indexed: boolean) {
  const db = new Driver(':memory:')
  onTestFinished(() => void db.close())
  migrateDatabase(db, migrations)
  const tenant_id = '7d9c9b1e-4b9e-4a8e-9b1f-2c8d4f1a0b11'
  const master = Buffer.alloc(32, 7)
  createTenant(db, { id: tenant_id, name: 'Test', created_at: start })
  createKeys(db, master, tenant_id, start)
  const keyring = new Keyring(db, master, tenant_id)
  const whole = records.map((part, n) => ({
    at: start,
    actor_type: 'application',
    actor_id: 'app-1',
    operation: 'tokens.get',
    entity_type: 'token' as const,
    entity_id: null,
    entity_ids: [],
    status: 200,
    note: null,
    trace_id: `trace-${n}`,
    duration_us: 1,
    ...part,
  }))
  db.transaction(() => insertLog(db, keyring, whole))()
  if (indexed) indexAll({ db, keyring })
  return db
}

const record = fc
  .record({
    at: fc.integer({ min: start, max: start + 3_600_000 }),
    status: fc.constantFrom(200, 201, 204, 400, 403, 500),
    actor: fc.constantFrom('app-1', 'app-2', 'session-1', null),
    operation: fc.constantFrom('tokens.get', 'tokens.create'),
    duration_us: fc.constantFrom(0, 99_999, 100_000, 250_000),
    note: fc.constantFrom(null, 'mask, by rule 2', 'reveal, by rule 1'),
    key_hint: fc.constantFrom(null, 'aB12', 'zz99'),
    request: fc.constantFrom(null, 'GET /tokens/1', 'POST /tokens', 'GET /proxies/1'),
    http: fc.constantFrom(
      null,
      { ...http, bytes_out: 2048 },
      http,
      { ...http, agent: null },
      { ...http, agent: 'curl/8.5.0' },
    ),
  })
  .map(({ actor, ...rest }) => ({ ...rest, actor_id: actor, actor_type: getActorType(actor) }))
const getActorType = (actor: string | null) => (actor === 'session-1' ? 'session' : 'application')
const condition = fc
  .tuple(
    fc.constantFrom<readonly [LogField, string]>(
      ['status', '4xx'],
      ['status', '201'],
      ['status', '>=400'],
      ['app', 'app-1'],
      ['app', 'app-*'],
      ['program', 'SHOP/2.1'],
      ['program', '*'],
      ['action', 'tokens.*'],
      ['action', 'tokens.get'],
      ['path', '/tokens*'],
      ['path', '/*/1'],
      ['method', 'get'],
      ['took', '>100ms'],
      ['took', '<=0.1s'],
      ['decision', 'mask, by rule *'],
      ['size', '>=1kib'],
      ['key', 'aB12'],
      ['trace', 'trace-1*'],
    ),
    fc.boolean(),
  )
  .map(([[field, value], not]) => ({ field, value, ...(not && { not: true as const }) }))
const filter = fc.record(
  {
    status: fc.constantFrom('4xx', '200', '5xx'),
    actor_id: fc.constantFrom('app-1', 'session-1', 'application'),
    where: fc.array(condition, { maxLength: 4 }),
    operation: fc.constant('tokens.get'),
    since: fc.integer({ min: start, max: start + 3_600_000 }),
    until: fc.integer({ min: start, max: start + 3_600_000 }),
  },
  { requiredKeys: [] },
)

function countRecords(db: Driver.Database, chosen: LogFilter): number | null {
  return searchLogs(db, chosen, { before: null, skip: 0, limit: 1, count: true }).total
}

/** Counts the records that meet the conditions one by one. */
function countOneByOne(records: readonly Partial<LogRecord>[], { where = [], ...filter }: LogFilter): number {
  const { status: wanted = '', actor_id, since = 0, until = Infinity } = filter
  return records.filter((record, n) => {
    const { at = start, status = 200, duration_us = 1, request, http } = record
    const actor = record.actor_id === undefined ? 'app-1' : (record.actor_id ?? record.actor_type)
    if (at < since || at >= until || (actor_id !== undefined && actor !== actor_id)) return false
    if (wanted !== '' && !matchesValue(status, wanted)) return false
    const [method, path] = request?.split(' ') ?? []
    const values: Partial<Record<LogField, FieldContent | null>> = {
      status,
      app: actor,
      program: http?.agent,
      action: record.operation ?? 'tokens.get',
      path,
      method,
      took: duration_us === 0 ? undefined : duration_us / 1000,
      decision: record.note,
      size: http?.bytes_out,
      key: record.key_hint,
      trace: `trace-${n}`,
    }
    return matchesConditions(where, (field) => [values[field] ?? undefined])
  }).length
}

/** Checks that the counts of programs and of the timeline add up to the records of the list. */
function checkCounts(db: Driver.Database, chosen: LogFilter, records: readonly Partial<LogRecord>[]) {
  const found = countRecords(db, chosen)
  expect(found).toBe(countOneByOne(records, chosen))
  const { spans, next } = buildTimeline(db, chosen, { from: start, step: 60_000, before: null })
  const { programs } = countPrograms(db, chosen, null)
  expect(next).toBeNull()
  expect(spans.reduce((sum, { done, refused, failed }) => sum + done + refused + failed, 0)).toBe(found)
  expect(programs.reduce((sum, { records }) => sum + records, 0)).toBe(found)
  for (const { actor, actor_type, agent, records, refused } of programs) {
    expect(actor_type).toBe(getActorType(actor))
    const program = agent === '' ? { value: '*', not: true as const } : { value: agent }
    const where = [...(chosen.where ?? []), { field: 'program' as const, ...program }]
    // Conditions on one field are alternatives, so that another one would widen the list.
    if (chosen.where?.every(({ field }) => field !== 'program') !== false)
      expect(countRecords(db, { ...chosen, actor_id: actor, where })).toBe(records)
    expect(refused).toBeLessThanOrEqual(records)
  }
  if (chosen.status !== undefined) return
  for (const { at, refused } of spans.filter((span) => span.refused > 0)) {
    const since = Math.max(at, chosen.since ?? 0)
    const until = Math.min(at + 60_000, chosen.until ?? Infinity)
    expect(countRecords(db, { ...chosen, since, until, status: '4xx' })).toBe(refused)
  }
}

test('O-05 timeline, programs and list have the same counts, indexed or not', () => {
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 200 }),
      fc.array(filter, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (some, filters, indexed) => {
        // Enough records to fill a block.
        const records = indexed ? Array.from({ length: 2100 }, (_, n) => some[n % some.length] ?? {}) : some
        const db = openLogWithRecords(records, indexed)
        for (const each of filters as LogFilter[]) checkCounts(db, each, records)
      },
    ),
    { numRuns: isThorough ? 25 : 6 },
  )
})

test('O-05 R-03 a long log is counted in parts whose sum is exact', async () => {
  const vault = openBriefVault()
  const db = openLogWithRecords(
    Array.from({ length: 12_000 }, (_, n) => ({ at: start + n * 50, status: n % 10 === 0 ? 404 : 200 })),
    false,
  )
  let counted = { done: 0, refused: 0 }
  let parts = 0
  for (let before: number | null = null; parts === 0 || before !== null; parts++) {
    const { spans, next } = buildTimeline(db, {}, { from: start, step: 1000, before })
    for (const { done, refused } of spans)
      counted = { done: counted.done + done, refused: counted.refused + refused }
    before = next
  }
  expect(parts).toBeGreaterThan(1)
  expect(counted).toEqual({ done: 10_800, refused: 1200 })
  expect([chooseStep(79_000, 80), chooseStep(3_600_000, 80), chooseStep(0, 80)]).toEqual([1000, 60_000, 1000])
  const { spans, from, step_ms } = await vault.owner.logs.timeline({})
  expect([spans, step_ms > 0, Date.parse(from) <= vault.clock.ms]).toEqual([[], true, true])
})

test('only the owner may list programs and times of requests', async () => {
  const vault = openBriefVault()
  const app = await vault.application({ type: 'management', permissions: ['log:read'] })
  for (const name of ['find', 'timeline', 'programs', 'get'] as const) {
    await expect(
      vault.engine.call(`logs.${name}`, { id: '1' }, { kind: 'key', key: app.key }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  }
})

test.each(['took', 'size', 'status'] as const)(
  'the log refuses a condition on %s that is no comparison, instead of finding nothing',
  async (field) => {
    const { owner } = openBriefVault()
    const findLogs = (value: string) => owner.logs.find({ where: [{ field, value }] })
    for (const value of ['>abc', '>1kb', '400-499', '*']) {
      const error = { code: 'invalid', errors: { [field]: [expect.stringContaining('such as >100ms')] } }
      await expect(findLogs(value)).rejects.toMatchObject(error)
    }
    for (const value of ['>100ms', '<=1.5s', '>1KiB', '4XX', '403']) await findLogs(value)
  },
)
