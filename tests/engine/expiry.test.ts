import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { countRows, withDatabase } from '../rows.ts'
import { catchProblem, openVault } from '../vault.ts'
import { withoutIds } from '../without-ids.ts'
import { formatTimeIn, type TestVault, updateSettings } from './vault-helpers.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const number = '4242424242424242'

async function createCard(vault: TestVault, input: object = {}) {
  return vault.owner.tokens.create({ type: 'card', data: { number, cvc: '737' }, ...input } as never)
}

const revealData = async (vault: TestVault, id: string) => (await vault.owner.tokens.reveal({ id })).data

describe('expired tokens', () => {
  it('T-14 expired tokens are hidden before any sweep, also after a restart', async () => {
    const vault = openVault()
    const { client } = await vault.application({
      permissions: ['token:read', 'token:update', 'token:delete', 'token:use', 'token:search'],
    })
    const { id } = await vault.owner.tokens.create({
      type: 'us_bank_account_number',
      data: '12345',
      search_indexes: ['{{ data }}'],
      metadata: { k: 'v' },
      expires_at: formatTimeIn(vault, minute),
    })
    vault.clock.advance(minute - 1)
    expect((await client.tokens.get({ id })).id).toBe(id)
    vault.clock.advance(1)
    for (const restarted of [false, true]) {
      if (restarted) vault.reopen()
      const calls = [
        client.tokens.get({ id }),
        vault.owner.tokens.reveal({ id }),
        client.tokens.update({ id, metadata: { a: 'b' } }),
        client.tokens.remove({ id }),
        client.enrichments.bankAccountVerify({ token_id: id, routing_number: '021000021' }),
      ]
      const problems = await Promise.all(calls.map(catchProblem))
      expect(problems.map((problem) => problem.status)).toEqual(calls.map(() => 404))
      expect((await client.tokens.list({})).data).toEqual([])
      expect((await client.tokens.list({ metadata: { k: 'v' } })).data).toEqual([])
      expect((await client.tokens.search({ query: 'data:12345' })).data).toEqual([])
      expect((await client.tokens.searchV1({ query: `id:${id}` })).data).toEqual([])
      expect((await client.tokens.listV1({})).pagination.total_items).toBe(0)
    }
  })

  it('T-14 T-11 the sweeper deletes an expired token and leaves a log record', async () => {
    const vault = openVault()
    const before = countRows(vault)
    const { id } = await vault.owner.tokens.create({
      type: 'token',
      data: 'x',
      containers: ['/a/', '/b/'],
      search_indexes: ['{{ data }}'],
      metadata: { k: 'v' },
      expires_at: formatTimeIn(vault, minute),
    })
    vault.clock.advance(minute)
    expect(countRows(vault)).toMatchObject({ token: 1, token_index: 1, token_pair: 1 })
    await vault.engine.sweeper.sweep()
    const {
      log,
      log_chain: _chain,
      log_count: _,
      token_count: _c,
      token_type_count: _t,
      ...rows
    } = countRows(vault)
    expect({ ...before, ...rows }).toEqual(before)
    const { data } = await vault.owner.logs.list({ entity_id: id })
    expect(data[0]).toMatchObject({
      action: 'tokens.expire',
      actor_type: 'vault',
      entity_id: id,
      message: 'Token deleted',
      note: 'token in /a/ /b/',
    })
  })

  it('T-11 T-14 A-12 an idempotency key is stored for 24 hours, even if its token is gone', async () => {
    const vault = openVault()
    const application = await vault.application({ permissions: ['token:create', 'token:delete'] })
    const createClient = (key: string) =>
      application.with({ idempotency: { key, method: 'POST', path: '/tokens' } })
    const expires_at = formatTimeIn(vault, minute)
    const createToken = (key: string) =>
      createClient(key).tokens.create({ type: 'token', data: 'x', expires_at })
    const first = await createToken('a')
    expect((await createToken('a')).id).toBe(first.id)
    await vault.owner.tokens.remove({ id: first.id })
    expect(countRows(vault)).toMatchObject({ idempotency: 1, idempotency_token: 0 })
    expect((await catchProblem(createToken('a'))).status).toBe(409)
    await createToken('b')
    vault.clock.advance(minute)
    await vault.engine.sweeper.sweep()
    expect((await catchProblem(createToken('b'))).status).toBe(409)
    expect(countRows(vault)).toMatchObject({ token: 0, idempotency: 2, idempotency_token: 0 })
    vault.clock.advance(day)
    await vault.engine.sweeper.sweep()
    expect(countRows(vault)).toMatchObject({ idempotency: 0 })
  })

  it('A-12 a read with an idempotency key stores no response', async () => {
    const vault = openVault()
    const application = await vault.application({ permissions: ['token:search'] })
    const client = application.with({ idempotency: { key: 'k', method: 'POST', path: '/v2/tokens/search' } })
    const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x' })
    expect((await client.tokens.search({})).data).toHaveLength(1)
    await vault.owner.tokens.remove({ id })
    expect((await client.tokens.search({})).data).toHaveLength(0)
    expect(countRows(vault).idempotency).toBe(0)
  })

  it('T-14 T-04 the id of an expired token is free immediately, with a log record', async () => {
    const vault = openVault()
    const token = { id: 'the-id', type: 'token', data: 'old', expires_at: formatTimeIn(vault, minute) }
    await vault.owner.tokens.create(token)
    vault.clock.advance(minute)
    await vault.owner.tokens.create({ id: 'the-id', type: 'token', data: 'new' })
    expect(await revealData(vault, 'the-id')).toBe('new')
    const { data } = await vault.owner.logs.list({ entity_id: 'the-id' })
    expect(data.map((record) => record.action)).toContain('tokens.expire')
  })

  it('T-14 sweeps delete in small batches, and calls run between them', async () => {
    const vault = openVault()
    const token = { type: 'token', data: 'x', expires_at: formatTimeIn(vault, minute) }
    await Promise.all(Array.from({ length: 350 }, () => vault.owner.tokens.create(token)))
    const { id } = await vault.owner.tokens.create({ type: 'token', data: 'y' })
    vault.clock.advance(minute)
    const order: string[] = []
    const sweeping = vault.engine.sweeper.sweep().then(() => order.push('swept'))
    const written = vault.owner.tokens.update({ id, metadata: { a: 'b' } }).then(() => order.push('written'))
    await Promise.all([sweeping, written])
    expect(order).toEqual(['written', 'swept'])
    expect(countRows(vault).token).toBe(1)
  })

  it('T-14 sweeps run at the start, every minute, and not after close', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const vault = openVault()
    const createExpiringToken = () =>
      vault.owner.tokens.create({ type: 'token', data: 'x', expires_at: formatTimeIn(vault, minute) })
    await createExpiringToken()
    vault.clock.advance(minute)
    vault.engine.sweeper.start()
    await vault.engine.sweeper.sweep()
    expect(countRows(vault).token).toBe(0)
    await createExpiringToken()
    vault.clock.advance(minute)
    vi.advanceTimersByTime(minute)
    await vault.engine.sweeper.sweep()
    expect(countRows(vault).token).toBe(0)
    expect(vi.getTimerCount()).toBe(1)
    vault.engine.close()
    expect(vi.getTimerCount()).toBe(0)
    await vault.engine.sweeper.sweep()
  })

  it('X-27 a clock set back shows expired tokens again unless they were swept', async () => {
    const vault = openVault()
    const { id } = await vault.owner.tokens.create({
      type: 'token',
      data: 'x',
      expires_at: formatTimeIn(vault, hour),
    })
    vault.clock.advance(2 * hour)
    expect((await catchProblem(vault.owner.tokens.get({ id }))).status).toBe(404)
    vault.clock.advance(-2 * hour)
    expect((await vault.owner.tokens.get({ id })).id).toBe(id)
    vault.clock.advance(hour)
    await vault.engine.sweeper.sweep()
    vault.clock.advance(-day)
    expect((await catchProblem(vault.owner.tokens.get({ id }))).status).toBe(404)
  })

  it('X-27 tokens expire at the right time whatever offset was sent', async () => {
    const vault = openVault()
    // The same local time before and after the end of daylight saving time in Central Europe.
    vault.clock.ms = Date.parse('2030-10-26T12:00:00Z')
    const first = await vault.owner.tokens.create({
      type: 'token',
      data: 'x',
      expires_at: '2030-10-27T02:30:00+02:00',
    })
    const second = await vault.owner.tokens.create({
      type: 'token',
      data: 'x',
      expires_at: '2030-10-27T02:30:00+01:00',
    })
    vault.clock.ms = Date.parse('2030-10-27T00:30:00Z')
    expect((await catchProblem(vault.owner.tokens.get({ id: first.id }))).status).toBe(404)
    expect((await vault.owner.tokens.get({ id: second.id })).expires_at).toBe('2030-10-27T02:30:00.000+01:00')
    vault.clock.advance(hour)
    expect((await catchProblem(vault.owner.tokens.get({ id: second.id }))).status).toBe(404)
  })
})

describe('the cvc of a card', () => {
  it('T-15 a cvc is hidden after an hour, before any sweep', async () => {
    const vault = openVault()
    const rules = [
      { priority: 1, container: '/', transform: 'reveal' as const, permissions: ['token:read' as const] },
    ]
    const { client } = await vault.application({ rules })
    const { id } = await createCard(vault, { mask: { all: "{{ data | json: '$.cvc' }}" } })
    vault.clock.advance(hour - 1)
    expect(await revealData(vault, id)).toEqual({ number, cvc: '737' })
    vault.clock.advance(1)
    for (const restarted of [false, true]) {
      if (restarted) vault.reopen()
      expect(await revealData(vault, id)).toEqual({ number })
      expect((await client.tokens.get({ id })).data).toEqual({ number })
      expect((await client.tokens.list({})).data[0]?.data).toEqual({ number })
      expect(withoutIds(await vault.owner.tokens.get({ id }))).not.toContain('737')
    }
    await vault.owner.tokens.update({ id, data: { expiration_month: 4 } })
    expect(await revealData(vault, id)).toEqual({ number, expiration_month: 4 })
    vault.clock.advance(-hour)
    expect(await revealData(vault, id)).toEqual({ number, expiration_month: 4 })
  })

  it('T-15 O-03 a cvc of a token intent is hidden, then swept', async () => {
    const vault = openVault()
    const data = { number, cvc: '737', expiration_month: 4 }
    const { id } = await vault.owner.tokenIntents.create({ type: 'card', data })
    const other = await vault.owner.tokenIntents.create({ type: 'token', data })
    const permissions = ['token:read' as const, 'token-intent:read' as const]
    const rules = [{ priority: 1, container: '/', transform: 'reveal' as const, permissions }]
    const { client } = await vault.application({ rules })
    const detokenizeData = (intent: string) =>
      client.tokens.detokenize({ payload: `{{ token_intent: ${intent} | json: '$.data' }}` })
    const readStoredIntents = () =>
      withDatabase(
        vault,
        (db) =>
          db.prepare('SELECT length(data), cvc_stored_at FROM token_intent').raw().all() as [
            number,
            unknown,
          ][],
      )
    vault.clock.advance(hour - 1)
    expect(await detokenizeData(id)).toEqual(data)
    vault.clock.advance(1)
    expect(await detokenizeData(id)).toEqual({ number, expiration_month: 4 })
    const before = readStoredIntents()
    await vault.engine.sweeper.sweep()
    const after = readStoredIntents()
    expect(after[0]).toEqual([(before[0]?.[0] ?? 0) - '"cvc":"737",'.length, null])
    expect(after[1]).toEqual(before[1])
    vault.clock.advance(-hour)
    expect(await detokenizeData(id)).toEqual({ number, expiration_month: 4 })
    expect(await detokenizeData(other.id)).toEqual(data)
    const token = await vault.owner.tokens.create({ token_intent_id: id } as never)
    expect(await revealData(vault, token.id)).toEqual({ number, expiration_month: 4 })
  })

  it('T-15 the sweeper deletes an expired cvc and everything derived from it', async () => {
    const vault = openVault()
    const input = {
      search_indexes: ['{{ data.cvc }}', '{{ data.number | last4 }}'],
      fingerprint_expression: '{{ data.number }}{{ data.cvc }}',
      mask: { number: '{{ data.number | last4 }}', cvc: '{{ data.cvc }}' },
    }
    const created = await createCard(vault, input)
    const same = await createCard(vault, { fingerprint_expression: '{{ data.number }}' })
    vault.clock.advance(hour)
    await vault.engine.sweeper.sweep()
    vault.clock.advance(-hour)
    const token = await vault.owner.tokens.get({ id: created.id })
    expect(token.data).toEqual({ number: '4242', cvc: null })
    expect(token.fingerprint).not.toBe(created.fingerprint)
    expect((await vault.owner.tokens.get({ id: same.id })).fingerprint).toBe(same.fingerprint)
    expect(token.search_indexes).toEqual(['{{ data.number | last4 }}'])
    const searchIds = async (query: string) =>
      (await vault.owner.tokens.search({ query })).data.map((each) => each.id)
    expect(await searchIds('data:737')).toEqual([])
    expect(await searchIds('data:4242')).toEqual([created.id])
    expect(token.modified_at).toBeUndefined()
    const { data } = await vault.owner.logs.list({ entity_id: created.id })
    expect(data[0]).toMatchObject({ action: 'tokens.expireCvc', actor_type: 'vault' })
    await vault.owner.tokens.update({ id: created.id, metadata: { still: 'works' } })
  })

  it('T-15 masks and fingerprints that need the cvc are deleted too', async () => {
    const vault = openVault()
    const needing = "{{ data | json: '$.cvc' }}"
    const { id } = await createCard(vault, { mask: { cvc: needing }, fingerprint_expression: needing })
    vault.clock.advance(hour)
    await vault.engine.sweeper.sweep()
    const token = await vault.owner.tokens.get({ id })
    expect(token).not.toHaveProperty('data')
    expect(token).not.toHaveProperty('mask')
    expect(token.fingerprint_expression).toBe('{{ data.number }}')
    expect(token.fingerprint).toBe((await createCard(vault)).fingerprint)
    await vault.owner.tokens.update({ id, metadata: { still: 'works' } })
  })

  it('T-15 only a patch with a cvc restarts the hour of retention', async () => {
    const vault = openVault()
    const { id } = await createCard(vault)
    vault.clock.advance(hour / 2)
    await vault.owner.tokens.update({ id, data: { expiration_month: 4 } })
    vault.clock.advance(hour / 2)
    expect(await revealData(vault, id)).toEqual({ number, expiration_month: 4 })
    await vault.owner.tokens.update({ id, data: { cvc: '111' } })
    await vault.engine.sweeper.sweep()
    vault.clock.advance(hour - 1)
    await vault.engine.sweeper.sweep()
    expect(await revealData(vault, id)).toMatchObject({ cvc: '111' })
    vault.clock.advance(1)
    expect(await revealData(vault, id)).not.toHaveProperty('cvc')
  })

  it('T-15 R-02 a change of the retention setting applies immediately', async () => {
    const vault = openVault()
    const { id } = await createCard(vault)
    vault.clock.advance(10 * minute)
    await updateSettings(vault, { cvc_retention_seconds: '660' })
    expect(await revealData(vault, id)).toHaveProperty('cvc')
    await updateSettings(vault, { cvc_retention_seconds: '600' })
    expect(await revealData(vault, id)).not.toHaveProperty('cvc')
    for (const wrong of ['0', '86401', 'x']) {
      expect((await catchProblem(updateSettings(vault, { cvc_retention_seconds: wrong }))).status).toBe(400)
    }
  })

  it('X-27 T-15 a cvc is deleted if the clock is set back to before its creation', async () => {
    const vault = openVault()
    const { id } = await createCard(vault)
    vault.clock.advance(-365 * day)
    expect(await revealData(vault, id)).not.toHaveProperty('cvc')
    await vault.engine.sweeper.sweep()
    vault.clock.advance(365 * day)
    expect(await revealData(vault, id)).toEqual({ number })
  })

  it('T-15 A-12 X-49 a replay shows a cvc only as long as the token has it', async () => {
    const vault = openVault()
    const rules = [
      { priority: 1, container: '/', transform: 'reveal' as const, permissions: ['token:create' as const] },
    ]
    const application = await vault.application({ rules })
    const client = application.with({ idempotency: { key: 'k', method: 'POST', path: '/tokenize' } })
    const payload = { a: [{ type: 'card', data: { number, cvc: '737' } }] }
    const first = (await client.tokens.tokenize({ payload })) as { a: [{ id: string; data: object }] }
    expect(first.a[0].data).toEqual({ number, cvc: '737' })
    expect(await client.tokens.tokenize({ payload })).toEqual(first)
    vault.clock.advance(hour)
    const again = (await client.tokens.tokenize({ payload })) as typeof first
    expect(again.a[0]).toEqual({ ...first.a[0], data: { number } })
  })

  it('T-15 data of another type that looks like a card is not deleted', async () => {
    const vault = openVault()
    const { id } = await vault.owner.tokens.create({ type: 'token', data: { number, cvc: '737' } })
    vault.clock.advance(day)
    await vault.engine.sweeper.sweep()
    expect(await revealData(vault, id)).toEqual({ number, cvc: '737' })
  })
})

describe('other expired data', () => {
  it('K-03 an expired application is rejected, and later swept with its keys', async () => {
    const vault = openVault()
    const application = await vault.application({
      permissions: ['token:read'],
      expires_at: formatTimeIn(vault, minute),
    })
    await application.client.tokens.list({})
    vault.clock.advance(minute)
    expect((await catchProblem(application.client.tokens.list({}))).status).toBe(401)
    const through = vault.engine.call('tokens.list', {}, { kind: 'as', application_id: application.id })
    expect((await catchProblem(through)).status).toBe(404)
    expect((await catchProblem(vault.owner.applications.get({ id: application.id }))).status).toBe(404)
    await vault.engine.sweeper.sweep()
    expect(countRows(vault)).toMatchObject({ application: 0, application_key: 0 })
    const { data } = await vault.owner.logs.list({ entity_id: application.id })
    expect(data[0]).toMatchObject({ action: 'applications.expire', entity_type: 'application' })
    vault.clock.advance(-minute)
    expect((await catchProblem(application.client.tokens.list({}))).status).toBe(401)
  })

  it('O-03 O-04 A-12 token intents, sessions and replays are swept', async () => {
    const vault = openVault()
    const { with: using } = await vault.application({ type: 'public', permissions: ['token:create'] })
    await using({ idempotency: { key: 'k', method: 'POST', path: '/sessions' } }).sessions.create({})
    await vault.owner.tokenIntents.create({ type: 'token', data: 'x' })
    expect(countRows(vault)).toMatchObject({ token_intent: 1, session: 1, idempotency: 1 })
    vault.clock.advance(day)
    await vault.engine.sweeper.sweep()
    expect(countRows(vault)).toMatchObject({ token_intent: 0, session: 0, idempotency: 0 })
  })

  it('O-05 R-02 log records are retained for the configured time', async () => {
    const vault = openVault()
    await vault.owner.tokens.create({ type: 'token', data: 'x' })
    vault.clock.advance(10 * day)
    await vault.engine.sweeper.sweep()
    expect((await vault.owner.logs.list({})).data).toHaveLength(1)
    await updateSettings(vault, { log_retention_days: '9' })
    await vault.engine.sweeper.sweep()
    expect((await vault.owner.logs.list({})).data.map((record) => record.action)).toEqual(['tenants.update'])
  })
})
