import { createPublicKey } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey } from '../../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../../electron/engine/db/open.ts'
import { Engine } from '../../../electron/engine/engine.ts'
import { catchProblem, openVault, start } from '../../vault.ts'
import { captureEvents, ok, openWithWebhook, rejected, unreachable } from './received-events.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const token = { type: 'token', data: 'x' }

async function openWithTokens(count: number) {
  const opened = await openWithWebhook(['token.created'])
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push((await opened.vault.owner.tokens.create(token)).id)
  const getTokenId = (due: { event: unknown } | undefined) =>
    (due?.event as { data: { token: { id: string } } } | undefined)?.data.token.id
  return {
    ...opened,
    ids,
    getTokenId,
    health: () => opened.vault.owner.webhooks.getHealth({ id: opened.id }),
  }
}

test('W-02 a webhook gets one delivery at a time, in order', async () => {
  const { getOutbox, ids, getTokenId } = await openWithTokens(3)
  const [first, ...others] = getOutbox().takeDueDeliveries(10)
  expect([getTokenId(first), others]).toEqual([ids[0], []])
  expect(getOutbox().takeDueDeliveries(10)).toEqual([])
  expect(getOutbox().nextAt()).toBe(null)
  getOutbox().recordAttempt(first?.delivery_id ?? '', ok)
  const [next] = getOutbox().takeDueDeliveries(10)
  expect(getTokenId(next)).toBe(ids[1])
})

test('W-02 an attempt that ends while writes are paused is written by the next engine alone', async () => {
  const { vault, id } = await openWithWebhook(['token.created'])
  await vault.owner.tokens.create(token)
  const { lifecycle, outbox } = vault.engine
  const losses: string[] = []
  lifecycle.onLost((loss) => losses.push(loss))
  const [due] = outbox.takeDueDeliveries(1)
  lifecycle.pauseWrites()
  outbox.recordAttempt(due?.delivery_id ?? '', ok)
  const next = Engine.openFromHandover(vault.file, vault.master, lifecycle.closeForHandover())
  onTestFinished(() => next.close())
  const owner = next.as({ kind: 'owner' })
  expect((await owner.deliveries.list({ webhook_id: id })).data).toMatchObject([{ attempts: 1 }])
  expect(losses).toEqual([])
})

test('W-02 a webhook gets no events from before its subscription', async () => {
  const { vault, getOutbox } = await openWithWebhook(['token.read', 'http.request'])
  const { owner, engine } = vault
  const { id } = await owner.tokens.create(token)
  const { client } = await vault.application({ permissions: ['token:read'] })
  const createWebhook = (name: string, events: string[]) =>
    owner.webhooks.create({ name, url: `http://localhost:1/${name}`, events })
  const changed = await createWebhook('changed', ['token.created'])
  // The outbox queues both events and stores them later.
  const readToken = async () => {
    await client.tokens.get({ id })
    engine.outbox.publishEvent({ kind: 'owner' }, 'http.request', {}, 'trace')
  }
  await readToken()
  const late = await createWebhook('late', ['token.read', 'http.request'])
  const { name, url } = changed
  await owner.webhooks.update({ id: changed.id, name, url, events: ['token.read', 'http.request'] })
  await readToken()
  engine.outcomes.flushLog()
  getOutbox().flush()
  const countWaiting = async (webhook: string) => (await owner.webhooks.getHealth({ id: webhook })).waiting
  expect([await countWaiting(late.id), await countWaiting(changed.id)]).toEqual([2, 2])
})

test('W-02 an unacknowledged delivery is repeated after a restart', async () => {
  const { vault, getOutbox, takeNext, ids, getTokenId } = await openWithTokens(2)
  const first = takeNext()
  vault.reopen()
  expect(getTokenId(takeNext())).toBe(ids[0])
  // The result of an attempt from before the restart is accepted too.
  getOutbox().recordAttempt(first?.delivery_id ?? '', ok)
  expect(getTokenId(takeNext())).toBe(ids[1])
})

test('X-55 a target that was unreachable for a day receives every event', async () => {
  const { vault, getOutbox, takeNext, takeEvents, ids, getTokenId, health } = await openWithTokens(5)
  const waits: number[] = []
  for (;;) {
    const due = takeNext()
    if (!due) break
    expect(getTokenId(due)).toBe(ids[0])
    getOutbox().recordAttempt(due.delivery_id, unreachable)
    const at = getOutbox().nextAt() ?? 0
    waits.push((at - vault.clock.ms) / second)
    vault.clock.ms = at
    if (vault.clock.ms > start + day) break
  }
  expect(waits.slice(0, 7)).toEqual([5, 30, 120, 600, 3600, 21_600, 21_600])
  expect(await health()).toMatchObject({
    status: 'enabled',
    waiting: 5,
    dropped: 0,
    last_failure: unreachable.failure,
  })
  expect(takeEvents().map(({ data }) => data.token?.id)).toEqual(ids)
  expect(await health()).toMatchObject({ waiting: 0, failures: 0, dropped: 0, paused_until: null })
})

test('W-02 a rejected event is sent 7 times and does not block other events', async () => {
  const { vault, getOutbox, takeNext, ids, getTokenId, health } = await openWithTokens(3)
  const poison = ids[0]
  const got: unknown[] = []
  let tries = 0
  for (let due = takeNext(); due; due = takeNext()) {
    if (getTokenId(due) === poison) {
      tries++
      getOutbox().recordAttempt(due.delivery_id, rejected)
    } else {
      got.push(getTokenId(due))
      getOutbox().recordAttempt(due.delivery_id, ok)
    }
    const at = getOutbox().nextAt()
    if (at !== null) vault.clock.ms = Math.max(vault.clock.ms, at)
  }
  expect([tries, got]).toEqual([7, ids.slice(1)])
  expect(await health()).toMatchObject({
    waiting: 0,
    dropped: 1,
    dropped_reason: 'rejected 7 times, last: the response had status 500',
  })
  const { data } = await vault.owner.deliveries.list({ webhook_id: (await health()).id })
  expect(data.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['delivered', 1],
    ['delivered', 1],
    ['given_up', 7],
  ])
})

test('W-02 100 failures in a row disable a webhook', async () => {
  const { vault, id, getOutbox, takeNext, takeEvents, health } = await openWithTokens(101)
  for (let due = takeNext(); due; due = takeNext()) getOutbox().recordAttempt(due.delivery_id, rejected)
  expect(await health()).toMatchObject({
    status: 'disabled',
    failures: 100,
    waiting: 101,
    disabled_reason: '100 attempts in a row failed, the last one: the response had status 500',
  })
  await vault.owner.tokens.create(token)
  expect((await health()).waiting).toBe(101)
  const { name, url, events } = await vault.owner.webhooks.get({ id })
  await vault.owner.webhooks.update({ id, name: 'Renamed', url, events })
  expect(await health()).toMatchObject({
    status: 'disabled',
    disabled_reason: expect.stringMatching(/^100 attempts/),
  })
  await vault.owner.webhooks.update({ id, name, url, events, status: 'enabled' })
  expect(await health()).toMatchObject({ status: 'enabled', failures: 0, disabled_reason: null })
  vault.clock.advance(minute)
  expect(takeEvents()).toHaveLength(101)
})

test('W-04 a delivery can be read with its event and attempts for 7 days', async () => {
  const { vault, id, getOutbox, takeNext } = await openWithTokens(1)
  const answer = Buffer.from('é'.repeat(4000))
  getOutbox().recordAttempt(takeNext()?.delivery_id ?? '', { ...unreachable, at: start, duration_ms: 12.4 })
  vault.clock.advance(5 * second)
  getOutbox().recordAttempt(takeNext()?.delivery_id ?? '', { ...ok, at: start + 5 * second, answer })
  getOutbox().flush()
  const { data } = await vault.owner.deliveries.list({ webhook_id: id })
  expect(data).toHaveLength(1)
  const shown = await vault.owner.deliveries.get({ id: data[0]?.id ?? '' })
  expect(shown).toMatchObject({ state: 'delivered', type: 'token.created', attempts: 2, by_owner: false })
  expect(shown.event).toMatchObject({ type: 'token.created', data: { token: { type: 'token' } } })
  expect(shown.tried.map(({ status, failure, duration_ms }) => [status, failure, duration_ms])).toEqual([
    [null, unreachable.failure, 12],
    [200, null, 3],
  ])
  expect(shown.tried[1]?.answer).toBe('é'.repeat(2048))
  vault.clock.advance(7 * day)
  await vault.engine.sweeper.sweep()
  expect((await vault.owner.deliveries.list({ webhook_id: id })).data).toEqual([])
  expect(await catchProblem(vault.owner.deliveries.get({ id: shown.id }))).toMatchObject({ status: 404 })
})

test('W-02 a clock jump of 8 days drops no delivery that was not attempted', async () => {
  const { vault, id, getOutbox, takeEvents, ids, health } = await openWithTokens(120)
  getOutbox().keepEvents()
  await vault.owner.tokens.create(token)
  vault.clock.advance(8 * day)
  await vault.engine.sweeper.sweep()
  expect(await health()).toMatchObject({ waiting: 121, dropped: 0 })
  const all = takeEvents()
  expect(all.slice(0, 120).map(({ data }) => data.token?.id)).toEqual(ids)
  expect(getOutbox().listStoredEvents()).toEqual(all)
  await vault.engine.sweeper.sweep()
  expect((await vault.owner.deliveries.list({ webhook_id: id })).data).toEqual([])
  expect(getOutbox().listStoredEvents()).toEqual(all)
})

test('W-05 a delivery that failed for 7 days is dropped', async () => {
  const { vault, id, getOutbox, health, takeNext, ids, getTokenId } = await openWithTokens(3)
  for (const attempt of [rejected, unreachable])
    getOutbox().recordAttempt(takeNext()?.delivery_id ?? '', attempt)
  vault.clock.advance(7 * day - 1)
  await vault.engine.sweeper.sweep()
  expect(await health()).toMatchObject({ waiting: 3, dropped: 0 })
  vault.clock.advance(1)
  await vault.engine.sweeper.sweep()
  expect(await health()).toMatchObject({
    waiting: 1,
    dropped: 2,
    dropped_reason: 'not delivered within 7 days',
  })
  expect(getTokenId(takeNext())).toBe(ids[2])
  await vault.owner.webhooks.remove({ id })
  await vault.engine.sweeper.sweep()
  expect(takeNext()).toBe(undefined)
})

test('W-05 a disabled webhook’s deliveries are dropped after 7 days', async () => {
  const { vault, id, health } = await openWithTokens(2)
  vault.clock.advance(6 * day)
  await vault.engine.sweeper.sweep()
  await vault.owner.tokens.create(token)
  const { name, url, events } = await vault.owner.webhooks.get({ id })
  await vault.owner.webhooks.update({ id, name, url, events, status: 'disabled' })
  vault.clock.advance(day)
  await vault.engine.sweeper.sweep()
  expect(await health()).toMatchObject({
    waiting: 1,
    dropped: 2,
    dropped_reason: 'not delivered within 7 days',
  })
})

test('W-04 the owner can resend an event and send a test event to a disabled webhook', async () => {
  const { vault, id, getOutbox, takeNext, takeEvents } = await openWithTokens(1)
  const [event] = takeEvents()
  const { data } = await vault.owner.deliveries.list({ webhook_id: id })
  const { name, url, events } = await vault.owner.webhooks.get({ id })
  await vault.owner.webhooks.update({ id, name, url, events, status: 'disabled' })
  const again = await vault.owner.deliveries.sendAgain({ id: data[0]?.id ?? '' })
  expect(again).toMatchObject({ by_owner: true, state: 'waiting' })
  expect(takeEvents()).toEqual([event])
  const test = await vault.owner.deliveries.sendTest({ webhook_id: id, type: 'session.authorized' })
  const due = takeNext()
  expect(due?.event).toMatchObject({
    type: 'session.authorized',
    data: { session: { issued_to_application: { name: 'test' } }, actor: { name: 'Test' } },
  })
  getOutbox().recordAttempt(due?.delivery_id ?? '', rejected)
  // A delivery that the owner requested is attempted only once.
  expect(await vault.owner.deliveries.get({ id: test.id })).toMatchObject({ state: 'given_up', attempts: 1 })
  expect(await vault.owner.webhooks.getHealth({ id })).toMatchObject({ waiting: 0, dropped: 0 })
})

test('W-02 events and attempts are readable after a key rotation and a restart', async () => {
  const { vault, getOutbox, takeNext, id } = await openWithTokens(1)
  getOutbox().recordAttempt(takeNext()?.delivery_id ?? '', ok)
  const before = await vault.engine.outbox.getPublicKeys()
  await vault.engine.lifecycle.rotateDataKey(vault.master)
  vault.reopen()
  const { data } = await vault.owner.deliveries.list({ webhook_id: id })
  expect((await vault.owner.deliveries.get({ id: data[0]?.id ?? '' })).tried[0]?.answer).toBe('fine')
  expect(await vault.engine.outbox.getPublicKeys()).toBe(before)
  expect((await vault.engine.outbox.getSigningKey()).asymmetricKeyDetails?.modulusLength).toBe(2048)
})

test('W-03 the signing key is created once and can be rotated', async () => {
  const { engine, owner } = openVault()
  const [one, two] = await Promise.all([engine.outbox.getSigningKey(), engine.outbox.getSigningKey()])
  expect(one.equals(two)).toBe(true)
  const first = await engine.outbox.getPublicKeys()
  expect(createPublicKey(one).export({ type: 'spki', format: 'pem' })).toBe(first)
  await engine.outbox.startKeyRotation()
  await expect(engine.outbox.startKeyRotation()).rejects.toMatchObject({ code: 'conflict' })
  const both = await engine.outbox.getPublicKeys()
  expect(both.startsWith(first)).toBe(true)
  expect(both.match(/BEGIN PUBLIC KEY/g)).toHaveLength(2)
  expect((await engine.outbox.getSigningKey()).equals(one)).toBe(true)
  engine.outbox.finishKeyRotation()
  const last = await engine.outbox.getPublicKeys()
  expect(both).toBe(first + last)
  expect(createPublicKey(await engine.outbox.getSigningKey()).export({ type: 'spki', format: 'pem' })).toBe(
    last,
  )
  expect(() => engine.outbox.finishKeyRotation()).toThrow('no new signing key')
  const { data } = await owner.logs.list({ entity_type: 'vault' })
  expect(data.map(({ action, actor_type, status }) => [action, actor_type, status])).toEqual([
    ['vault.rotateSigningKey', 'owner', 200],
    ['vault.addSigningKey', 'owner', 200],
  ])
})

test('W-02 a commit that stores an event calls onEvents once', async () => {
  let woken = 0
  const vault = openVault({ onEvents: () => woken++ })
  const { takeEvents } = captureEvents(vault)
  await vault.owner.webhooks.create({ name: 'H', url: 'http://localhost:1', events: ['token.created'] })
  expect(woken).toBe(0)
  await vault.owner.tokens.create(token)
  expect(woken).toBe(1)
  expect(takeEvents()).toHaveLength(1)
})

test('W-05 pending deliveries are limited to 250,000 per webhook', async () => {
  const { vault, id, health } = await openWithTokens(0)
  const other = await vault.owner.webhooks.create({
    name: 'Other',
    url: 'http://localhost:1',
    events: ['token.created'],
  })
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  db.prepare('UPDATE webhook SET waiting = 249999 WHERE id = ?').run(id)
  db.close()
  for (const _ of [1, 2, 3]) await vault.owner.tokens.create(token)
  expect(await health()).toMatchObject({
    waiting: 250_000,
    dropped: 2,
    dropped_reason: 'too many waiting',
    dropped_at: new Date(start).toISOString().replace('Z', '+00:00'),
  })
  expect((await vault.owner.deliveries.list({ webhook_id: id })).data).toHaveLength(1)
  expect(await vault.owner.webhooks.getHealth({ id: other.id })).toMatchObject({ waiting: 3, dropped: 0 })
})

test('W-05 at most 10,000 events or 16 MiB are queued before they are stored', async () => {
  const { vault, id, getOutbox } = await openWithWebhook(['http.request'])
  const fetchHealth = () => vault.owner.webhooks.getHealth({ id })
  const publishRequest = (text: string) =>
    vault.engine.outbox.publishEvent({ kind: 'owner' }, 'http.request', { request: { path: text } }, 'trace')
  for (let at = 0; at < 10_003; at++) publishRequest('/')
  getOutbox().flush()
  expect(await fetchHealth()).toMatchObject({
    waiting: 10_000,
    dropped: 3,
    dropped_reason: 'too many events were waiting to be stored',
  })
  const large = 'x'.repeat(1024 * 1024)
  for (let at = 0; at < 17; at++) publishRequest(large)
  getOutbox().flush()
  expect(await fetchHealth()).toMatchObject({ waiting: 10_015, dropped: 5 })
})

test('W-05 a test vault stores the last 5,000 events', async () => {
  const vault = openVault()
  const { getOutbox } = captureEvents(vault)
  getOutbox().keepEvents()
  for (let at = 0; at < 5010; at++) {
    vault.engine.outbox.publishEvent(
      { kind: 'owner' },
      'http.request',
      { request: { path: `/${at}` } },
      'trace',
    )
  }
  getOutbox().flush()
  const stored = getOutbox().listStoredEvents() as { data: { request: { path: string } } }[]
  expect(stored.map(({ data }) => data.request.path)).toEqual(
    Array.from({ length: 5000 }, (_, at) => `/${at + 10}`),
  )
})
