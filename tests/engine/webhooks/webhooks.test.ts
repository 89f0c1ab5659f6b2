import { expect, test } from 'vitest'
import { eventTypes } from '../../../shared/webhook-events.ts'
import { catchProblem, openBriefVault } from '../../vault.ts'

const url = 'http://localhost:3000/hooks'
const newWebhook = { name: 'Hook', url, events: ['token.created', 'token.deleted'] }

test('W-01 a webhook has every member that the SDK declares, and PUT replaces it', async () => {
  const { owner, clock, engine } = openBriefVault()
  const created = await owner.webhooks.create(newWebhook)
  expect(created).toEqual({
    id: expect.any(String),
    tenant_id: engine.tenant_id,
    status: 'enabled',
    name: 'Hook',
    url,
    events: ['token.created', 'token.deleted'],
    created_by: expect.stringMatching(/^[0-9a-f-]{36}$/),
    created_at: expect.any(String),
  })
  clock.advance(1000)
  const { id } = created
  const changed = await owner.webhooks.update({
    id,
    name: 'Other',
    url: 'https://api.example.com/hooks?a=b',
    events: ['proxy.deleted'],
    notify_email: 'dev@example.com',
    status: 'disabled',
  })
  expect(changed).toMatchObject({ status: 'disabled', name: 'Other', notify_email: 'dev@example.com' })
  expect(changed.modified_at).toBeDefined()
  // A replacement without a status keeps the current one.
  expect(await owner.webhooks.update({ id, ...newWebhook })).toMatchObject({ status: 'disabled', url })
  expect(await owner.webhooks.get({ id })).not.toHaveProperty('notify_email')
  await owner.webhooks.remove({ id })
  expect(await catchProblem(owner.webhooks.get({ id }))).toMatchObject({ status: 404 })
})

test('W-01 webhooks are listed newest first, in pages with a cursor', async () => {
  const { owner } = openBriefVault()
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await owner.webhooks.create({ ...newWebhook, name })).id)
  const first = await owner.webhooks.list({ size: 2 })
  expect(first.pagination).toEqual({ page_size: 2, next: expect.any(String) })
  const second = await owner.webhooks.list({ size: 2, start: first.pagination.next })
  expect(second.pagination).toEqual({ page_size: 2 })
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids)
  expect(await catchProblem(owner.webhooks.list({ start: 'x' }))).toMatchObject({ status: 400 })
})

test('W-01 a sixth webhook is rejected with 422', async () => {
  const { owner } = openBriefVault()
  for (let at = 0; at < 5; at++) await owner.webhooks.create(newWebhook)
  expect(await catchProblem(owner.webhooks.create(newWebhook))).toMatchObject({ status: 422 })
})

test('W-01 an unknown event type is rejected with a 400 that names it', async () => {
  const { owner } = openBriefVault()
  const getError = async (event: string) => {
    const { status, errors } = await catchProblem(owner.webhooks.create({ ...newWebhook, events: [event] }))
    return [status, JSON.stringify(errors)]
  }
  expect(await getError('token.made')).toEqual([
    400,
    expect.stringContaining('token.made is not an event type'),
  ])
  expect(await getError('token:created')).toEqual([400, expect.stringContaining('with dots: token.created')])
  expect(await getError('token.*')).toEqual([400, expect.not.stringContaining('*')])
  expect(await getError('4242424242424242')).toEqual([400, expect.not.stringContaining('4242')])
})

test('W-01 an http: URL is accepted only for this machine', async () => {
  const { owner } = openBriefVault()
  const getStatus = async (to: string) => {
    const creation = owner.webhooks.create({ ...newWebhook, url: to })
    return creation
      .then(({ id }) => owner.webhooks.remove({ id }).then(() => 201))
      .catch((error) => error.status)
  }
  for (const to of [
    'http://127.0.0.1:1/x',
    'http://[::1]:1',
    'http://app.localhost',
    'https://a.example/x?y=z',
  ])
    expect([to, await getStatus(to)]).toEqual([to, 201])
  for (const to of [
    'http://example.com',
    'http://169.254.169.254/latest',
    'ftp://localhost',
    'data:text/html,x',
    'javascript:alert(1)',
    'https://user:pw@example.com',
    'https://example.com/#x',
    'https://example.com/a\r\nX: y',
    ' https://example.com',
    'hooks',
  ])
    expect([to, await getStatus(to)]).toEqual([to, 400])
})

test('W-01 webhook: and webhooks: permissions allow the same operations', async () => {
  const vault = openBriefVault()
  for (const subject of ['webhook', 'webhooks']) {
    const createClient = (action: string) =>
      vault
        .application({ type: 'management', permissions: [`${subject}:${action}`] })
        .then(({ client }) => client)
    const { id, created_by } = await (await createClient('create')).webhooks.create(newWebhook)
    expect(created_by).toMatch(/^[0-9a-f-]{36}$/)
    const reader = await createClient('read')
    expect((await reader.webhooks.list({})).data.map((each) => each.id)).toContain(id)
    expect(await reader.webhooks.listEventTypes({})).toEqual(eventTypes)
    expect(await catchProblem(reader.webhooks.remove({ id }))).toMatchObject({ status: 403 })
    await (await createClient('update')).webhooks.update({ id, ...newWebhook })
    await (await createClient('delete')).webhooks.remove({ id })
  }
  expect(eventTypes).toEqual([...eventTypes].sort())
})

test('A-12 repeating a create request creates one webhook', async () => {
  const vault = openBriefVault()
  const app = await vault.application({
    type: 'management',
    permissions: ['webhooks:create', 'webhooks:read', 'webhooks:delete'],
  })
  const again = app.with({ idempotency: { key: 'k', method: 'POST', path: '/webhooks' } })
  const first = await again.webhooks.create(newWebhook)
  expect(await again.webhooks.create(newWebhook)).toEqual(first)
  expect((await app.client.webhooks.list({})).data).toHaveLength(1)
  await app.client.webhooks.remove({ id: first.id })
  expect(await catchProblem(again.webhooks.create(newWebhook))).toMatchObject({ status: 409 })
})
