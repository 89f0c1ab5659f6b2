import { expect, test } from 'vitest'
import { toFirstFormat } from '../first-format.ts'
import { countRows, digestRows } from '../rows.ts'
import { createThreeDsClient } from '../three-ds.ts'
import { catchProblem, openVault } from '../vault.ts'
import { formatTimeIn, type TestVault } from './vault-helpers.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const years = 731 * day

/** Creates a vault with data of every kind that expires, all of it valid for at most 200 days. */
async function fillVault() {
  const vault = openVault()
  const expires_at = formatTimeIn(vault, 200 * day)
  const { owner } = vault
  const app = await vault.application({ permissions: ['token:create', 'token:read'], expires_at })
  const using = app.with({ idempotency: { key: 'once', method: 'POST', path: '/tokens' } })
  await using.tokens.create({ id: 'kept-call', type: 'token', data: 'x', expires_at })
  await owner.tokens.createMany({
    tokens: Array.from({ length: 49 }, (_, at) => ({
      id: `token-${at}`,
      type: 'token',
      data: at,
      expires_at,
    })),
  } as never)
  await owner.tokens.create({ id: 'a-card', type: 'card', data: { number: '4242424242424242', cvc: '737' } })
  await owner.tokenIntents.create({ type: 'token', data: 'x' })
  await vault.engine.sweeper.sweep()
  return { vault, app, owner }
}

const countVaultRows = async (vault: TestVault) => {
  const { token, application, application_key, token_intent, idempotency, log_entity } = countRows(vault)
  return { token, application, application_key, token_intent, idempotency, log_entity }
}

test('X-45 a clock two years ahead deletes nothing, and can be set back', async () => {
  const { vault, app, owner } = await fillVault()
  const [rows, digests] = [await countVaultRows(vault), digestRows(vault)]
  const records = countRows(vault).log ?? 0
  vault.clock.advance(years)
  for (const round of [1, 2, 3]) {
    vault.reopen()
    await vault.engine.sweeper.sweep()
    vault.clock.advance(minute)
    await vault.engine.sweeper.sweep()
    expect(await countVaultRows(vault)).toEqual(rows)
    // Nothing was deleted, and each time the vault was opened, a log record said so.
    expect(countRows(vault).log).toBeGreaterThanOrEqual(records + round)
    expect(vault.engine.clock.ahead).toMatchObject({
      days: 731,
      overdue: { tokens: 50, cvcs: 1, applications: 1, token_intents: 1, sessions: 0 },
    })
    expect(vault.engine.clock.isFarAhead).toBe(true)
  }
  // Data that has expired by the clock is not served, although it is still stored.
  expect((await catchProblem(app.client.tokens.get({ id: 'token-1' }))).status).toBe(401)
  expect((await catchProblem(owner.tokens.get({ id: 'token-1' }))).status).toBe(404)
  expect((await owner.tokens.reveal({ id: 'a-card' })).data).not.toHaveProperty('cvc')
  vault.clock.advance(-years - 3 * minute)
  vault.reopen()
  await vault.engine.sweeper.sweep()
  expect(vault.engine.clock.ahead).toBeNull()
  expect(digestRows(vault)).toEqual(digests)
  expect((await app.client.tokens.get({ id: 'token-1' })).id).toBe('token-1')
  expect((await owner.tokens.reveal({ id: 'a-card' })).data).toHaveProperty('cvc', '737')
})

test.each([
  ['a client encryption key', 'client_keys', (vault: TestVault) => vault.owner.clientKeys.create({})],
  ['a 3D Secure session', 'three_ds_sessions', (vault: TestVault) => createThreeDsClient(vault.owner)],
] as const)('X-45 a clock far ahead deletes nothing even if only %s has expired', async (_, name, make) => {
  const vault = openVault()
  await make(vault)
  await vault.engine.sweeper.sweep()
  const { client_key, three_ds_session } = countRows(vault)
  vault.clock.advance(years)
  await vault.engine.sweeper.sweep()
  expect(countRows(vault)).toMatchObject({ client_key, three_ds_session })
  expect(vault.engine.clock.ahead?.overdue).toMatchObject({ [name]: 1 })
  vault.engine.clock.acceptTime()
  await vault.engine.sweeper.sweep()
  expect(countRows(vault)).toMatchObject({ client_key: 0, three_ds_session: 0 })
})

test('X-45 while the vault is open, a clock far ahead is reported until it is set back', async () => {
  const reportedCounts: (number | undefined)[] = []
  const vault = openVault({ onClock: () => reportedCounts.push(vault.engine.clock.ahead?.overdue.tokens) })
  await vault.owner.tokens.create({ type: 'token', data: 'x', expires_at: formatTimeIn(vault, 30 * day) })
  await vault.engine.sweeper.sweep()
  vault.clock.advance(years)
  await vault.engine.sweeper.sweep()
  await vault.engine.sweeper.sweep()
  expect(countRows(vault).token).toBe(1)
  vault.clock.advance(-years)
  await vault.engine.sweeper.sweep()
  expect(countRows(vault).token).toBe(1)
  expect(reportedCounts).toEqual([1, undefined])
})

test('X-45 accepting the clock deletes overdue data, and is logged', async () => {
  const { vault, owner } = await fillVault()
  vault.clock.advance(years)
  vault.reopen()
  await vault.engine.sweeper.sweep()
  expect(countRows(vault).token).toBe(51)
  vault.engine.clock.acceptTime()
  expect(vault.engine.clock.ahead).toBeNull()
  await vault.engine.sweeper.sweep()
  expect(await countVaultRows(vault)).toMatchObject({
    token: 1,
    application: 0,
    token_intent: 0,
    idempotency: 0,
  })
  const { data } = await owner.logs.list({ entity_type: 'vault' })
  expect(data.map(({ action, actor_type }) => [action, actor_type])).toEqual([
    ['vault.acceptClock', 'owner'],
    ['vault.clockAhead', 'vault'],
  ])
  vault.reopen()
  await vault.engine.sweeper.sweep()
  expect(vault.engine.clock.ahead).toBeNull()
})

test('X-45 after a month without use, the clock is far ahead only if data has expired', async () => {
  const vault = openVault()
  await vault.owner.tokens.create({ type: 'token', data: 'x' })
  for (const wait of [6 * day, 30 * day]) {
    vault.clock.advance(wait)
    vault.reopen()
    await vault.engine.sweeper.sweep()
    expect(vault.engine.clock.ahead).toBeNull()
    expect(vault.engine.clock.isFarAhead).toBe(false)
  }
  await vault.owner.tokens.create({ type: 'token', data: 'x', expires_at: formatTimeIn(vault, 7 * day) })
  await vault.engine.sweeper.sweep()
  vault.clock.advance(7 * day)
  await vault.engine.sweeper.sweep()
  expect(vault.engine.clock.ahead).toBeNull()
  expect(countRows(vault).token).toBe(1)
})

test('X-45 an older vault’s last known time is that of its newest log record', async () => {
  const { vault, owner } = await fillVault()
  vault.clock.advance(5 * day)
  await owner.tokens.create({ id: 'newest', type: 'token', data: 'x' })
  vault.engine.close()
  toFirstFormat(vault)
  vault.clock.advance(years)
  vault.reopen()
  await vault.engine.sweeper.sweep()
  expect(vault.engine.clock.ahead).toMatchObject({ days: 731, overdue: { tokens: 50 } })
  expect(countRows(vault).token).toBe(52)
})

test('X-45 T-04 the id of an expired token stays in use while the clock is too far ahead', async () => {
  const { vault, owner } = await fillVault()
  vault.clock.advance(years)
  expect(
    (await catchProblem(owner.tokens.create({ id: 'token-1', type: 'token', data: 'new' }))).status,
  ).toBe(409)
  vault.engine.clock.acceptTime()
  await owner.tokens.create({ id: 'token-1', type: 'token', data: 'new' })
  expect((await owner.tokens.reveal({ id: 'token-1' })).data).toBe('new')
})

test('X-45 T-14 an in-memory vault deletes expired data even if its clock jumped', async () => {
  const vault = openVault({ ephemeral: true })
  await vault.owner.tokens.create({ type: 'token', data: 'x', expires_at: formatTimeIn(vault, 30 * day) })
  vault.clock.advance(years)
  await vault.engine.sweeper.sweep()
  expect(vault.engine.clock.ahead).toBeNull()
  expect(countRows(vault).token).toBe(0)
})
