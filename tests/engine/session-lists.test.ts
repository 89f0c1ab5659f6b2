import { expect, test } from 'vitest'
import { browser, createThreeDsClient, payment } from '../three-ds.ts'
import { catchProblem, openBriefVault, start } from '../vault.ts'

const decoupled = {
  ...payment,
  request_decoupled_challenge: true,
  decoupled_challenge_max_time: 20,
}

async function openWithChallenge(authentication: typeof payment = payment, pan?: string) {
  const vault = openBriefVault()
  const { owner } = vault
  const id = await createThreeDsClient(owner, pan === undefined ? {} : { pan })
  await owner.threeDs.authenticate({ id, ...authentication })
  return { vault, owner, id }
}

test('S-01 the owner lists 3D Secure sessions with their states, without the id that answers a challenge', async () => {
  const { owner, id } = await openWithChallenge()
  const fresh = await createThreeDsClient(owner, { isIntent: true })
  const { data, total } = await owner.threeDs.list({})
  expect(total).toBe(2)
  expect(data.map((each) => [each.id, each.state, each.last4])).toEqual([
    [fresh, 'new', '0000'],
    [id, 'waiting', '0000'],
  ])
  expect(data[1]).toMatchObject({
    merchant: 'Ada’s <shop>',
    purchase: { amount: '80000', currency: '826', exponent: '2' },
    directory_status: 'challenge',
    passes_as: 'successful',
  })
  const { acs_transaction_id } = (await owner.threeDs.get({ id })).authentication ?? {}
  expect(acs_transaction_id).toEqual(expect.any(String))
  expect(JSON.stringify(data)).not.toContain(acs_transaction_id)
  expect(
    (await owner.threeDs.list({ where: [{ field: 'state', value: 'waiting' }] })).data.map((each) => each.id),
  ).toEqual([id])
})

test('S-01 the owner decides a challenge once, with the events of the page', async () => {
  const { owner, id } = await openWithChallenge()
  await owner.webhooks.create({
    name: 'Shop',
    url: 'http://localhost:1',
    events: ['3ds.session.challenge-completed'],
  })
  expect((await catchProblem(owner.threeDs.decide({ id, decision: 'timeout' }))).errors).toEqual({
    decision: ['is only possible for a decoupled challenge'],
  })
  expect(await owner.threeDs.decide({ id, decision: 'pass' })).toMatchObject({
    state: 'passed',
    status: 'successful',
    choice: 'pass',
  })
  expect((await owner.threeDs.getChallengeResult({ id })).authentication_status).toBe('successful')
  const [webhook] = (await owner.webhooks.list({})).data
  expect((await owner.deliveries.list({ webhook_id: webhook?.id ?? '' })).data).toHaveLength(1)
  expect((await catchProblem(owner.threeDs.decide({ id, decision: 'fail' }))).status).toBe(409)
  const [record] = (await owner.logs.list({ entity_id: id, action: 'threeDs.decide', status: '200' })).data
  expect(record).toMatchObject({ actor_type: 'owner', entity_type: 'three_ds_session' })
})

test('S-01 a challenge that the test card lets fail fails even if the owner lets it succeed', async () => {
  const { owner, id } = await openWithChallenge(payment, '4055011111111111')
  expect(await owner.threeDs.decide({ id, decision: 'pass' })).toMatchObject({
    state: 'refused',
    status: 'failed',
  })
})

test('S-01 the time of a decoupled challenge can be ended, with the result that it has by itself', async () => {
  const { owner, id } = await openWithChallenge(decoupled)
  expect((await owner.threeDs.describe({ id })).answer_until).toBe('2030-01-01T00:20:00.000+00:00')
  expect(await owner.threeDs.decide({ id, decision: 'timeout' })).toMatchObject({
    state: 'refused',
    reason: 'decoupled-authentication-timeout',
  })
})

test('O-04 the owner lists sessions with what they may do, and ends one at once', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const page = await vault.application({ type: 'public', permissions: ['token:create'] })
  const backend = await vault.application({ permissions: ['token:read'] })
  const { nonce, session_key } = await page.client.sessions.create()
  const { nonce: other } = await page.client.sessions.create()
  await backend.client.sessions.authorize({ nonce, permissions: ['token:read'] })
  const { data, total } = await owner.sessions.list({ where: [{ field: 'state', value: 'authorized' }] })
  expect(total).toBe(2)
  expect(data).toMatchObject([
    { application_id: page.id, authorized_by: backend.id, permissions: ['token:read'], rules: [] },
  ])
  expect(JSON.stringify(data)).not.toContain(nonce)
  expect((await owner.sessions.list({ where: [{ field: 'app', value: backend.id }] })).data).toHaveLength(1)
  const token = await owner.tokens.create({ type: 'token', data: 'x' })
  const session = vault.engine.as({ kind: 'key', key: session_key })
  await session.tokens.get({ id: token.id })
  await owner.sessions.remove({ id: data[0]?.id ?? '' })
  expect((await catchProblem(session.tokens.get({ id: token.id }))).status).toBe(401)
  expect((await owner.sessions.list({})).data).toHaveLength(1)
  expect((await catchProblem(owner.sessions.describe({ id: data[0]?.id ?? '' }))).status).toBe(404)
  expect(other).toEqual(expect.any(String))
})

test('O-04 K-03 the owner neither lists nor counts sessions of an expired application', async () => {
  const vault = openBriefVault()
  const { id } = await vault.application({ type: 'public', permissions: ['token:create'] })
  const expires_at = new Date(start + 60_000).toISOString()
  const trial = await vault.application({ type: 'public', permissions: ['token:create'], expires_at })
  const lasting = vault.engine.as({ kind: 'as', application_id: id })
  await lasting.sessions.create()
  await trial.client.sessions.create()
  expect((await vault.owner.sessions.list({})).total).toBe(2)
  vault.clock.advance(60_000)
  expect(await vault.owner.sessions.list({})).toMatchObject({ total: 1, data: [{ application_id: id }] })
})

test('O-03 the owner lists token intents, and the record of a conversion names the intent', async () => {
  const { owner } = openBriefVault()
  const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 }
  const first = await owner.tokenIntents.create({ type: 'card', data: card })
  const second = await owner.tokenIntents.create({ type: 'token', data: 'x' })
  expect((await owner.tokenIntents.list({})).data.map(({ id }) => id)).toEqual([second.id, first.id])
  expect(await owner.tokenIntents.list({ where: [{ field: 'type', value: 'card' }] })).toMatchObject({
    total: 2,
    data: [{ id: first.id, card: { last4: '4242' } }],
  })
  const token = await owner.tokens.create({ token_intent_id: first.id })
  expect((await owner.tokenIntents.list({})).data.map(({ id }) => id)).toEqual([second.id])
  const [record] = (await owner.logs.list({ entity_id: first.id, action: 'tokens.create' })).data
  expect(record).toMatchObject({
    entity_type: 'token',
    entity_id: token.id,
    note: expect.stringContaining('from a token intent'),
  })
})

test('L-04 a filtered list reads a bounded number of rows for one page, and its cursor goes on', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const { id: token_id } = await owner.tokens.create({
    type: 'card',
    data: { number: '4000020000000000', expiration_month: 12, expiration_year: 2035 },
  })
  const rare = await vault.application({ permissions: ['3ds:session:create', 'token:read'] })
  const input = { token_id, device: 'browser' as const, device_info: browser }
  const { id } = await rare.client.threeDs.create(input)
  for (let at = 0; at < 510; at++) await owner.threeDs.create(input)
  const where = [{ field: 'app', value: rare.id }] as const
  const first = await owner.threeDs.list({ where })
  expect(first.data).toEqual([])
  const { next } = first.pagination
  const second = await owner.threeDs.list({ where, ...(next !== undefined && { start: next }) })
  expect(second.data.map((each) => each.id)).toEqual([id])
  expect(second.pagination.next).toBeUndefined()
  const pages = await owner.threeDs.list({ size: 100 })
  expect(pages.data).toHaveLength(100)
  expect(pages.pagination.next).toEqual(expect.any(String))
})
