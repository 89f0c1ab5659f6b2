import { afterAll, expect, test } from 'vitest'
import { isObject, type Json } from '../../../shared/json.ts'
import { type EventType, eventTypes, getEventCause, listEventFields } from '../../../shared/webhook-events.ts'
import { createNetworkToken } from '../../network-tokens.ts'
import { createThreeDsClient, payment } from '../../three-ds.ts'
import { openBriefVault } from '../../vault.ts'
import { createApplePayment, createGooglePayment } from '../../wallets.ts'
import { captureEvents, openWithWebhook } from './received-events.ts'

type BriefVault = ReturnType<typeof openBriefVault>

const number = '4242424242424242'
const card = { type: 'card', data: { number, expiration_month: 11, expiration_year: 2031, cvc: '987' } }
const day = 24 * 60 * 60 * 1000
const inAMinute = ({ clock }: BriefVault) => new Date(clock.ms + 60_000).toISOString()

async function sweepAfter(vault: BriefVault, ms: number) {
  vault.clock.advance(ms)
  await vault.engine.sweeper.sweep()
}
const createApplication = ({ owner }: BriefVault, more: object = {}) =>
  owner.applications.create({ name: 'App', type: 'private', permissions: ['token:read'], ...more })
const createProxy = ({ owner }: BriefVault) =>
  owner.proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })
const code = 'module.exports = () => ({})'
const createReactor = ({ owner }: BriefVault) => owner.reactors.create({ name: 'Charge', code })
const createIntent = ({ owner }: BriefVault) => owner.tokenIntents.create(card)
async function createSession(vault: BriefVault) {
  const browser = await vault.application({ type: 'public', permissions: ['token:create'] })
  const backend = await vault.application({ permissions: ['token:create'] })
  const { nonce } = await browser.client.sessions.create()
  return () => backend.client.sessions.authorize({ nonce, permissions: ['token:create'] })
}

/** Runs a job of the account updater, whose file is one line. */
async function runJob({ owner: { accountUpdaterJobs } }: BriefVault, line: string) {
  const { id, upload_url } = await accountUpdaterJobs.create({})
  const upload_key = upload_url.slice(upload_url.lastIndexOf('/') + 1)
  await accountUpdaterJobs.putPart({ upload_key, number: 0, lines: [line] })
  await accountUpdaterJobs.completeUpload({ upload_key, parts: 1 })
  while (!(await accountUpdaterJobs.updateSome({ id })).is_done);
}

/** Functions that cause each event that the engine sends by itself. */
const causes: Partial<Record<EventType, (vault: BriefVault) => Promise<unknown>>> = {
  'token.created': ({ owner }) => owner.tokens.create({ ...card, metadata: { order: '1' } }),
  async 'token.updated'({ owner }) {
    const { id } = await owner.tokens.create(card)
    await owner.tokens.update({ id, metadata: { order: '2' } })
  },
  async 'token.read'(vault) {
    const { id } = await vault.owner.tokens.create(card)
    const app = await vault.application({ permissions: ['token:read'] })
    await app.client.tokens.get({ id })
  },
  async 'token.deleted'({ owner }) {
    await owner.tokens.remove({ id: (await owner.tokens.create(card)).id })
  },
  async 'token.expired'(vault) {
    await vault.owner.tokens.create({ ...card, expires_at: inAMinute(vault) })
    await sweepAfter(vault, 120_000)
  },
  async 'token.property.expired'(vault) {
    await vault.owner.tokens.create(card)
    await sweepAfter(vault, 2 * day)
  },
  'apple-pay.created': createApplePayment,
  async 'apple-pay.retrieved'(vault) {
    const { client } = await vault.application({ permissions: ['apple-pay:read'] })
    await client.applePay.get({ id: (await createApplePayment(vault)).id })
  },
  async 'apple-pay.deleted'(vault) {
    await vault.owner.applePay.remove({ id: (await createApplePayment(vault)).id })
  },
  'google-pay.created': createGooglePayment,
  async 'google-pay.retrieved'(vault) {
    const { client } = await vault.application({ permissions: ['google-pay:read'] })
    await client.googlePay.get({ id: (await createGooglePayment(vault)).id })
  },
  async 'google-pay.deleted'(vault) {
    await vault.owner.googlePay.remove({ id: (await createGooglePayment(vault)).id })
  },
  'network-token.created': createNetworkToken,
  async 'network-token.cryptogram.created'(vault) {
    const { client } = await vault.application({ permissions: ['network-token:cryptogram'] })
    await client.networkTokens.createCryptogram({ id: (await createNetworkToken(vault)).id })
  },
  async 'network-token.deleted'(vault) {
    await vault.owner.networkTokens.remove({ id: (await createNetworkToken(vault)).id })
  },
  async 'network-token.updated'(vault) {
    await vault.owner.networkTokens.suspend({ id: (await createNetworkToken(vault)).id })
  },
  'token-intent.created': createIntent,
  async 'token-intent.deleted'(vault) {
    await vault.owner.tokenIntents.remove({ id: (await createIntent(vault)).id })
  },
  'account-updater.job.created': ({ owner }) => owner.accountUpdaterJobs.create({}),
  'account-updater.job.completed': (vault) => runJob(vault, 'token'),
  'account-updater.job.failed': (vault) => runJob(vault, 'nothing'),
  async 'token-intent.converted'(vault) {
    await vault.owner.tokens.create({ token_intent_id: (await createIntent(vault)).id })
  },
  'application.created': createApplication,
  async 'application.updated'(vault) {
    const { id } = await createApplication(vault)
    await vault.owner.applications.update({ id, name: 'Renamed', permissions: ['token:create'] })
  },
  async 'application.deleted'(vault) {
    await vault.owner.applications.remove({ id: (await createApplication(vault)).id })
  },
  'application.key.created': createApplication,
  async 'application.key.deleted'(vault) {
    await vault.owner.applications.remove({ id: (await createApplication(vault)).id })
  },
  'session.created': createSession,
  async 'session.authorized'(vault) {
    await (await createSession(vault))()
  },
  'tenant.updated': ({ owner }) => owner.tenants.update({ name: 'Renamed' }),
  'tenant.invitation.created': ({ owner }) => owner.invitations.create({ email: 'ada@example.com' }),
  async 'tenant.invitation.resent'({ owner }) {
    const { id } = await owner.invitations.create({ email: 'ada@example.com' })
    await owner.invitations.resend({ id })
  },
  async 'tenant.invitation.deleted'({ owner }) {
    const { id } = await owner.invitations.create({ email: 'ada@example.com' })
    await owner.invitations.remove({ id })
  },
  'proxy.created': createProxy,
  async 'proxy.updated'(vault) {
    const { id } = await createProxy(vault)
    await vault.owner.proxies.update({ id, name: 'Renamed', destination_url: 'https://echo.coffer.test' })
  },
  async 'proxy.deleted'(vault) {
    await vault.owner.proxies.remove({ id: (await createProxy(vault)).id })
  },
  async '3ds.session.created'({ owner }) {
    await createThreeDsClient(owner, { pan: '4000020000000000' })
    await createThreeDsClient(owner, { pan: '4000020000000000', isIntent: true })
  },
  async '3ds.session.authenticated'({ owner }) {
    await owner.threeDs.authenticate({ id: await createThreeDsClient(owner), ...payment })
  },
  async '3ds.session.challenge-result-retrieved'(vault) {
    const id = await createThreeDsClient(vault.owner)
    await vault.owner.threeDs.authenticate({ id, ...payment })
    const { client } = await vault.application({ permissions: ['3ds:session:authenticate'] })
    await client.threeDs.getChallengeResult({ id })
  },
  async '3ds.session.challenge-completed'({ owner }) {
    const authentication = await owner.threeDs.authenticate({
      id: await createThreeDsClient(owner),
      ...payment,
    })
    await owner.threeDs.answerChallenge({
      acs_transaction_id: authentication.acs_transaction_id,
      choice: 'pass',
    })
  },
  async '3ds.session.decoupled-challenge-notification'({ owner }) {
    const more = { request_decoupled_challenge: true, decoupled_challenge_max_time: 5 }
    const authentication = await owner.threeDs.authenticate({
      id: await createThreeDsClient(owner),
      ...payment,
      ...more,
    })
    await owner.threeDs.answerChallenge({
      acs_transaction_id: authentication.acs_transaction_id,
      choice: 'pass',
    })
  },
  async '3ds.session.method-completed'({ owner }) {
    await owner.threeDs.completeMethod({ id: await createThreeDsClient(owner) })
  },
  'reactor.created': createReactor,
  async 'reactor.updated'(vault) {
    const { id } = await createReactor(vault)
    await vault.owner.reactors.update({ id, name: 'Renamed', code })
  },
  async 'reactor.deleted'(vault) {
    await vault.owner.reactors.remove({ id: (await createReactor(vault)).id })
  },
}

/** The event types that are not sent by the engine. `tests/http/webhooks.test.ts` tests them. */
const elsewhere = /^(http\.request|proxy\.invoked|reactor\.(invoked|completed|failed))$/

function listPaths(value: Json | undefined, listed: readonly string[], path = ''): string[] {
  const isMember = listed.some((each) => each.replace('?', '') === path)
  if (isMember || !isObject(value)) return [path]
  return Object.entries(value).flatMap(([name, each]) =>
    listPaths(each, listed, path === '' ? name : `${path}.${name}`),
  )
}

const caused = new Set<string>()

test.each(Object.entries(causes))(
  'W-01 the event %s has exactly the members that its event type lists',
  async (name, cause) => {
    const type = name as EventType
    const { vault, takeEvents } = await openWithWebhook([type])
    await cause(vault)
    const events = takeEvents()
    expect(events.map((each) => each.type)).toContain(type)
    for (const event of events) {
      expect(Object.keys(event)).toEqual(['id', 'type', 'timestamp', 'tenant_id', 'trace_id', 'data'])
      expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const { actor, ...data } = event.data
      expect(Object.keys(actor ?? {}).sort()).toEqual(['id', 'name', 'type'])
      const paths = listPaths(data as Json, listEventFields(type))
      const isPresent = (path: string) => !path.endsWith('?') || paths.includes(path.replace('?', ''))
      const expected = listEventFields(type).filter(isPresent)
      expect(paths.sort()).toEqual(expected.map((path) => path.replace('?', '')).sort())
      expect(JSON.stringify(event)).not.toMatch(new RegExp(`${number}|"987"`))
    }
    caused.add(type)
  },
)

afterAll(() => {
  const missing = eventTypes.filter(
    (type) => getEventCause(type) !== null && !elsewhere.test(type) && !caused.has(type),
  )
  expect(missing).toEqual([])
})

test('W-01 an event names its actor: the application, the owner, or the vault', async () => {
  const { vault, takeEvents } = await openWithWebhook([
    'token.created',
    'token.expired',
    'token-intent.deleted',
  ])
  const app = await vault.application({ permissions: ['token:create'] })
  const { id } = await app
    .with({ trace_id: 'trace-1' })
    .tokens.create({ ...card, expires_at: inAMinute(vault) })
  await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await createIntent(vault)
  await sweepAfter(vault, 2 * day)
  const events = takeEvents()
  // The events of the sweep may come in several batches.
  expect(events.map(({ type, data }) => [type, data.actor?.type, data.actor?.name]).sort()).toEqual([
    ['token-intent.deleted', 'system', 'Coffer'],
    ['token.created', 'application', 'App'],
    ['token.created', 'user', 'Owner'],
    ['token.expired', 'system', 'Coffer'],
  ])
  expect(events[0]).toMatchObject({ trace_id: 'trace-1', data: { actor: { id: app.id }, token: { id } } })
})

test('W-05 events of a proxy leave out the values in the query of its destination', async () => {
  const { vault, takeEvents } = await openWithWebhook(['proxy.created'])
  const destination_url = 'https://api.example.com/v1?api_key=secret&flag&mode='
  await vault.owner.proxies.create({ name: 'Charges', destination_url })
  expect(takeEvents()[0]?.data.proxy?.destination_url).toBe(
    'https://api.example.com/v1?api_key=••••••••&flag&mode=••••••••',
  )
})

test('W-05 createMany sends one event per token, and a dry run sends none', async () => {
  const { vault, takeEvents } = await openWithWebhook(['token.created'])
  const tokens = [
    { type: 'token', data: 'a' },
    { type: 'card', data: 1 },
    { type: 'token', data: 'b' },
  ]
  await vault.owner.tokens.createMany({ tokens, dry_run: true })
  expect(takeEvents()).toEqual([])
  const { ids } = await vault.owner.tokens.createMany({ tokens })
  expect(takeEvents().map(({ data }) => data.token?.id)).toEqual([ids[0], ids[2]])
})

test('W-02 rejected and rolled-back calls send no event', async () => {
  const { vault, takeEvents } = await openWithWebhook(['token.created', 'token-intent.converted'])
  const { id } = await createIntent(vault)
  const payload = { good: { type: 'token', data: 'x' }, bad: { type: 'card', data: 'x' } }
  await expect(vault.owner.tokens.tokenize({ payload })).rejects.toThrow()
  await expect(
    vault.owner.tokens.create({ token_intent_id: id, containers: ['/no such', ''] }),
  ).rejects.toThrow()
  expect(takeEvents()).toEqual([])
})

test('W-02 an event type without subscribers is not stored', async () => {
  const vault = openBriefVault()
  const { takeEvents } = captureEvents(vault)
  await vault.owner.tokens.create(card)
  const { id } = await vault.owner.webhooks.create({
    name: 'H',
    url: 'http://localhost:1',
    events: ['token.deleted'],
  })
  await vault.owner.tokens.create({ type: 'token', data: 'x' })
  expect(takeEvents()).toEqual([])
  await vault.owner.webhooks.update({ id, name: 'H', url: 'http://localhost:1', events: ['token.created'] })
  await vault.owner.tokens.create({ type: 'token', data: 'y' })
  await vault.owner.webhooks.update({
    id,
    name: 'H',
    url: 'http://localhost:1',
    events: ['token.created'],
    status: 'disabled',
  })
  await vault.owner.tokens.create({ type: 'token', data: 'z' })
  await vault.owner.webhooks.update({
    id,
    name: 'H',
    url: 'http://localhost:1',
    events: ['token.created'],
    status: 'enabled',
  })
  expect(takeEvents()).toHaveLength(1)
})
