import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { catalogue } from '../../electron/engine/operations.ts'
import { permissionNames } from '../../shared/permissions.ts'
import { openVaultWithChanges } from '../changes.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'
import { withoutIds } from '../without-ids.ts'
import { createIdempotency, type TestVault } from './vault-helpers.ts'

const rules = [
  {
    priority: 1,
    container: '/',
    transform: 'reveal' as const,
    permissions: ['token:create' as const, 'token:read' as const, 'token:delete' as const],
  },
]

const newToken = { type: 'token', data: 'x' }

/** Reads the vault's file with another connection. */
function readRows(vault: TestVault, source: string): Record<string, unknown>[] {
  vault.engine.outcomes.flushLog()
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  const rows = db.prepare(source).all() as Record<string, unknown>[]
  db.close()
  return rows
}

describe('idempotency', () => {
  test('A-12 the first success is replayed for 24 hours, across restarts', async () => {
    const vault = openVault()
    const application = await vault.application({ rules })
    const client = application.with(createIdempotency())
    const first = await client.tokens.create(newToken)
    expect(await client.tokens.create({ type: 'token', data: 'other', id: 'other' })).toEqual(first)
    vault.reopen()
    vault.clock.advance(24 * 3_600_000 - 1)
    expect(await client.tokens.create(newToken)).toEqual(first)
    vault.clock.advance(1)
    expect((await client.tokens.create(newToken)).id).not.toBe(first.id)
    expect((await vault.owner.tokens.list({})).data).toHaveLength(2)
  })

  test('A-12 an idempotency key is scoped to application, method and path', async () => {
    const vault = openBriefVault()
    const one = await vault.application({ rules })
    const other = await vault.application({ rules })
    const created = await Promise.all([
      one.with(createIdempotency()).tokens.create(newToken),
      one.with(createIdempotency('/elsewhere')).tokens.create(newToken),
      one.with(createIdempotency('/tokens', 'PUT')).tokens.create(newToken),
      one.with(createIdempotency('/tokens', 'POST', 'twice')).tokens.create(newToken),
      other.with(createIdempotency()).tokens.create(newToken),
    ])
    expect(new Set(created.map((token) => token.id)).size).toBe(5)
    // Another key of the same application is the same caller.
    const { key = '' } = await vault.owner.keys.create({ id: one.id })
    const again = await vault.engine.call(
      'tokens.create',
      newToken,
      { kind: 'key', key },
      createIdempotency(),
    )
    expect(again.output).toEqual(created[0])
  })

  test('A-12 a failure is not stored', async () => {
    const vault = openBriefVault()
    const application = await vault.application({ rules })
    const client = application.with(createIdempotency())
    expect((await catchProblem(client.tokens.create({ type: 'nope', data: 1 }))).status).toBe(400)
    expect((await client.tokens.create(newToken)).type).toBe('token')
  })

  test('A-12 a repeated request gets 409 while the first one runs', async () => {
    const vault = openBriefVault()
    const client = (await vault.application({ rules })).with(createIdempotency())
    const [first, second] = await Promise.allSettled([
      client.tokens.create(newToken),
      client.tokens.create(newToken),
    ])
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'in_flight', status: 409 } })
    const { id } = first.status === 'fulfilled' ? first.value : { id: 'none' }
    expect((await client.tokens.create(newToken)).id).toBe(id)
  })

  test('A-12 the stored response of a call is encrypted in the file', async () => {
    const vault = openBriefVault()
    const client = (await vault.application({ rules })).with(createIdempotency())
    await client.tokens.create({ type: 'token', data: 'canary-4242' })
    await client.tokens.create({ type: 'token', data: 'canary-4242', id: 'canary-id' })
    const storedValues = readRows(vault, 'SELECT kept FROM idempotency').map((row) => String(row.kept))
    expect(storedValues).toEqual([expect.not.stringContaining('canary')])
  })

  test('A-12 X-19 a replay needs a valid key and permission', async () => {
    const vault = openBriefVault()
    const application = await vault.application({ rules })
    const client = application.with(createIdempotency())
    await client.tokens.create(newToken)
    await vault.owner.applications.update({ id: application.id, name: 'x', permissions: ['token:read'] })
    expect((await catchProblem(client.tokens.create(newToken))).status).toBe(403)
    await vault.owner.applications.update({ id: application.id, name: 'x', permissions: ['token:create'] })
    const [, late] = await Promise.allSettled([
      vault.owner.applications.remove({ id: application.id }),
      client.tokens.create(newToken),
    ])
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'unauthenticated' } })
  })
})

describe('writes that share a commit', () => {
  test('A-06 a failed write is rolled back on its own', async () => {
    const vault = openVault()
    const { client } = await vault.application({ rules })
    const results = await Promise.allSettled([
      client.tokens.create({ ...newToken, id: 'one' }),
      client.tokens.create({ ...newToken, id: 'one' }),
      client.tokens.create({ ...newToken, id: 'x', containers: ['nowhere'] }),
      client.tokens.create({ ...newToken, id: 'two' }),
      client.tokens.remove({ id: 'one' }),
      client.tokens.create({ ...newToken, id: 'one', data: 'again' }),
    ])
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ])
    vault.reopen()
    const { data } = await client.tokens.list({})
    expect(data.map((token) => [token.id, token.data])).toEqual([
      ['two', 'x'],
      ['one', 'again'],
    ])
  })

  test('A-06 a first write that fails halfway is rolled back and recorded', async () => {
    const { vault, watch } = openVaultWithChanges()
    const twice = { a: { ...newToken, id: 'half' }, b: { ...newToken, id: 'half' } }
    const { reported, expected } = await watch(async () => {
      const results = await Promise.allSettled([
        vault.owner.tokens.tokenize({ payload: twice }),
        vault.owner.tokens.create({ ...newToken, id: 'whole' }),
      ])
      expect(results).toMatchObject([
        { status: 'rejected', reason: { code: 'conflict' } },
        { status: 'fulfilled' },
      ])
    })
    expect(reported).toEqual(expected)
    expect(reported['token created']).toEqual(['whole'])
    expect((await vault.owner.tokens.list({})).data.map(({ id }) => id)).toEqual(['whole'])
    const { data } = await vault.owner.logs.list({})
    expect(data.map(({ action, status }) => [action, status])).toEqual(
      expect.arrayContaining([
        ['tokens.tokenize', 409],
        ['tokens.create', 201],
      ]),
    )
  })

  test('K-03 X-19 a key deleted earlier in the same commit is rejected', async () => {
    const vault = openBriefVault()
    const application = await vault.application({ rules })
    const { data } = (await vault.owner.keys.list({ id: application.id })) as { data: { id: string }[] }
    const [before, removed, after] = await Promise.allSettled([
      application.client.tokens.create({ ...newToken, id: 'before' }),
      vault.owner.keys.remove({ id: application.id, keyId: data[0]?.id ?? '' }),
      application.client.tokens.create({ ...newToken, id: 'after' }),
    ])
    expect([before.status, removed.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(after).toMatchObject({ status: 'rejected', reason: { code: 'unauthenticated' } })
    expect((await catchProblem(application.client.tokens.list({}))).status).toBe(401)
  })

  test('A-06 closing saves pending writes, and later calls get 423', async () => {
    const vault = openVault()
    const { client } = await vault.application({ rules })
    const waiting = client.tokens.create({ ...newToken, id: 'waiting' })
    vault.engine.close()
    await waiting
    expect((await catchProblem(client.tokens.list({}))).status).toBe(423)
    expect((await catchProblem(client.tokens.create(newToken))).status).toBe(423)
    vault.reopen()
    expect((await client.tokens.get({ id: 'waiting' })).data).toBe('x')
  })
})

describe('the pipeline', () => {
  test('A-06 HTTP reads in one turn of the event loop are answered after the last one', async () => {
    const { engine, owner, application } = openBriefVault()
    const { id } = await owner.tokens.create(newToken)
    const { key } = await application({ permissions: ['token:read'] })
    const http = { agent: null, headers: {}, query: {} }
    const order: string[] = []
    for (const name of ['first', 'second']) {
      const response = engine.call('tokens.get', { id }, { kind: 'key', key }, { http })
      void response.then(() => order.push(name))
      await engine.call('tokens.get', { id }, { kind: 'key', key })
      order.push(`${name}, in this process`)
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual(['first, in this process', 'second, in this process', 'first', 'second'])
  })

  test('A-06 an unknown operation is 404', async () => {
    const { engine } = openBriefVault()
    for (const name of ['', 'tokens', 'tokens.', 'tokens.toString', '__proto__', 'constructor.name']) {
      expect((await catchProblem(engine.call(name, {}, { kind: 'owner' }))).status).toBe(404)
    }
  })

  test('A-08 input must be an object', async () => {
    const { engine } = openBriefVault()
    for (const input of [undefined, null, 1, 'x', [], [1]]) {
      expect((await catchProblem(engine.call('tokens.create', input, { kind: 'owner' }))).status).toBe(400)
    }
  })

  test('A-05 the message of an unexpected error is hidden', async () => {
    const { engine } = openBriefVault()
    const input = {
      type: 'token',
      get data(): never {
        throw new Error('canary')
      },
    }
    const problem = await catchProblem(engine.call('tokens.create', input, { kind: 'owner' }))
    expect(problem).toEqual({
      title: 'Internal Server Error',
      status: 500,
      code: 'internal',
      detail: expect.not.stringContaining('canary'),
    })
  })

  test('A-04 operations without a permission are for the owner only', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules })
    await client.tokens.create({ ...newToken, id: 'one' })
    expect((await catchProblem(client.tokens.reveal({ id: 'one' }))).status).toBe(403)
    expect((await vault.owner.tokens.get({ id: 'one' })).data).toBeUndefined()
    expect((await vault.owner.tokens.reveal({ id: 'one' })).data).toBe('x')
  })

  test('A-04 every operation has a summary, permission and unique route', () => {
    const routes = [...catalogue.values()].flatMap((each) => (each.route === null ? [] : [each.route]))
    expect(new Set(routes).size).toBe(routes.length)
    for (const [name, { summary, permission }] of catalogue) {
      expect([name, summary.length > 0]).toEqual([name, true])
      for (const each of [permission].flat()) {
        expect(['any-key', 'owner', 'cardholder', ...permissionNames]).toContain(each)
      }
    }
  })
})

describe('the log', () => {
  test('A-11 T-11 O-05 each operation has one record with trace id, without data', async () => {
    const vault = openBriefVault()
    const application = await vault.application({ rules })
    const client = application.with({ trace_id: 'trace-1' })
    await client.tokens.create({
      type: 'card_number',
      data: '4242424242424242',
      id: 'one',
      containers: ['/a/', '/b/'],
    })
    await client.tokens.get({ id: 'one' })
    await catchProblem(client.tokens.update({ id: 'one' }))
    await catchProblem(client.tokens.get({ id: 'none' }))
    await client.tokens.remove({ id: 'one' })
    await vault.owner.tokens.list({})
    const rows = readRows(vault, "SELECT * FROM log WHERE trace_id = 'trace-1' ORDER BY seq")
    expect(rows.map((row) => [row.operation, row.entity_id, row.status])).toEqual([
      ['tokens.create', 'one', 201],
      ['tokens.get', 'one', 200],
      ['tokens.update', 'one', 403],
      ['tokens.get', 'none', 404],
      ['tokens.remove', 'one', 204],
    ])
    for (const row of rows) {
      expect(row).toMatchObject({ actor_type: 'application', actor_id: application.id, entity_type: 'token' })
      expect(withoutIds(row)).not.toContain('4242')
    }
    // The log record that remains after the token is deleted.
    expect(rows.at(-1)?.note).toContain('card_number in /a/ /b/')
  })

  test('A-12 a replayed call has its own log record', async () => {
    const vault = openBriefVault()
    const application = await vault.application({ rules })
    for (const trace_id of ['t-1', 't-2']) {
      await application.with({ ...createIdempotency(), trace_id }).tokens.create(newToken)
    }
    const rows = readRows(
      vault,
      "SELECT trace_id, status FROM log WHERE operation = 'tokens.create' ORDER BY seq",
    )
    expect(rows).toEqual([
      { trace_id: 't-1', status: 201 },
      { trace_id: 't-2', status: 201 },
    ])
  })

  test('A-03 the vault file contains no API key', async () => {
    const vault = openVault()
    const { key } = await vault.application({ rules })
    const texts = readRows(vault, 'SELECT * FROM application_key').map((row) => JSON.stringify(row))
    expect(texts.join()).not.toContain(key.slice(14))
    expect(fs.readFileSync(vault.file).includes(key)).toBe(false)
  })
})
