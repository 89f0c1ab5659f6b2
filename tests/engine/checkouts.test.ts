import { expect, test } from 'vitest'
import { catchProblem, openVault } from '../vault.ts'
import { newCheckout } from './prepared-writes.ts'

test('a checkout creates two applications, a proxy and a webhook, with no more rights than it needs', async () => {
  const vault = openVault()
  const { owner } = vault
  const made = await owner.checkouts.create(newCheckout)
  const { page_key, server_key, ...listed } = made
  expect((await owner.checkouts.list()).data).toEqual([listed])
  expect([page_key, server_key]).toEqual([
    expect.stringMatching(/^key_local_pub_/),
    expect.stringMatching(/^key_local_pvt_/),
  ])
  const page = await owner.applications.get({ id: made.page_id })
  expect(page).toMatchObject({ name: 'Checkout page', type: 'public', permissions: [] })
  expect(page.rules.flatMap(({ permissions }) => permissions)).toEqual([
    'token:create',
    'token-intent:create',
  ])
  const server = await owner.applications.get({ id: made.server_id })
  expect(
    server.rules.map(({ container, transform, permissions }) => [container, transform, permissions]),
  ).toEqual([
    ['/pci/high/', 'mask', ['token:read']],
    ['/pci/high/', 'reveal', ['proxy:invoke']],
  ])
  expect((await owner.proxies.get({ id: made.proxy_id })).require_auth).toBe(true)
  expect((await owner.webhooks.get({ id: made.webhook_id })).events).toEqual(['proxy.invoked'])
  for (const entity_id of [made.page_id, made.server_id, made.proxy_id, made.webhook_id])
    expect((await owner.logs.find({ entity_id })).data.map(({ action }) => action)).toEqual([
      'checkouts.create',
    ])
})

test('a checkout that cannot be created whole leaves nothing behind', async () => {
  const { owner } = openVault()
  for (let at = 1; at <= 5; at++)
    await owner.webhooks.create({ name: 'Full', url: 'http://localhost:1', events: ['token.created'] })
  const before = (await owner.applications.list({})).pagination.total_items
  const problem = await catchProblem(owner.checkouts.create(newCheckout))
  expect(problem.detail).toBe(
    'A tenant has at most 5 webhooks. Delete one that is no longer used, then try again.',
  )
  expect((await owner.applications.list({})).pagination.total_items).toBe(before)
  expect((await owner.proxies.list({})).data).toEqual([])
  expect((await owner.checkouts.list()).data).toEqual([])
})

test('deleting a checkout deletes what was made for it and is left of it, and nothing else', async () => {
  const { owner } = openVault()
  const other = await owner.checkouts.create({ ...newCheckout, name: 'Other' })
  const made = await owner.checkouts.create(newCheckout)
  await owner.proxies.remove({ id: made.proxy_id })
  await owner.checkouts.remove({ id: made.id })
  const ids = (await owner.applications.list({})).data.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([other.page_id, other.server_id]))
  expect(ids).not.toContain(made.page_id)
  expect(ids).not.toContain(made.server_id)
  expect((await owner.proxies.list({})).data.map(({ id }) => id)).toEqual([other.proxy_id])
  expect((await owner.webhooks.list({})).data.map(({ id }) => id)).toEqual([other.webhook_id])
  expect((await owner.checkouts.list()).data.map(({ name }) => name)).toEqual(['Other'])
  expect((await catchProblem(owner.checkouts.remove({ id: made.id }))).status).toBe(404)
})

test('checkouts are no drafts of the window', async () => {
  const { owner } = openVault()
  await owner.checkouts.create(newCheckout)
  for (const kind of ['sent', 'saved', 'environment'] as const)
    expect((await owner.drafts.list({ kind })).data).toEqual([])
  await owner.drafts.forget()
  expect((await owner.checkouts.list()).data).toHaveLength(1)
})
