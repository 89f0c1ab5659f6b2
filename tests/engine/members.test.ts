import { expect, test } from 'vitest'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'
import { openWithWebhook } from './webhooks/received-events.ts'

const hour = 60 * 60 * 1000
const email = 'somebody@example.com'

function createManager(vault: TestVault, ...permissions: string[]) {
  return vault.application({ type: 'management', permissions })
}

test('M-01 the owner is the only member, with a name and an email address that name nobody', async () => {
  const vault = openVault()
  const { client } = await createManager(vault, 'tenant:member:read', 'tenant:read')
  const tenant = await client.tenants.get()
  const since = '2030-01-01T00:00:00.000+00:00'
  const owner = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tenant_id: tenant.id,
    role: 'OWNER',
    user: {
      id: tenant.owner_id,
      email: 'owner@coffer.test',
      first_name: 'Vault',
      last_name: 'Owner',
      picture: expect.stringMatching(/^data:image\/svg\+xml,/),
      provider: 'coffer',
      mfa_enrolled: false,
    },
    created_by: tenant.owner_id,
    created_date: since,
    created_at: since,
  }
  expect(tenant.created_by).toBe(tenant.owner_id)
  const listed = await client.members.list({})
  expect(listed).toEqual({
    pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 },
    data: [owner],
  })
  expect(await client.members.getOwner()).toEqual(listed.data[0])
  expect(listed.data[0]?.id).not.toBe(tenant.owner_id)
  vault.reopen()
  expect((await client.members.list({})).data).toEqual(listed.data)
  const countMembers = async (input: object) => (await client.members.list(input)).data.length
  expect(await countMembers({ user_id: tenant.owner_id.toUpperCase() })).toBe(1)
  expect(await countMembers({ user_id: ['nobody', tenant.owner_id] })).toBe(1)
  expect(await countMembers({ user_id: 'nobody' })).toBe(0)
  expect(await countMembers({ page: 2 })).toBe(0)
  expect((await catchProblem(client.members.list({ size: 51 } as never))).errors).toHaveProperty('size')
})

test('M-01 the owner’s role cannot be changed, nor the owner removed', async () => {
  const vault = openBriefVault()
  const verbs = ['read', 'update', 'delete'].map((verb) => `tenant:member:${verb}`)
  const { client } = await createManager(vault, ...verbs)
  const owner = await client.members.getOwner()
  const { id } = owner
  expect(await client.members.update({ id, role: 'OWNER' })).toEqual(owner)
  expect(await client.members.transferOwner({ member_id: id })).toEqual(owner)
  const statuses = await Promise.all(
    [
      client.members.update({ id, role: 'ADMIN' }),
      client.members.update({ id, role: 'KING' } as never),
      client.members.remove({ id }),
      client.members.update({ id: owner.user.id, role: 'ADMIN' }),
      client.members.remove({ id: owner.user.id }),
      client.members.transferOwner({ member_id: owner.user.id }),
    ].map(async (call) => (await catchProblem(call as Promise<unknown>)).status),
  )
  expect(statuses).toEqual([422, 400, 422, 404, 404, 404])
  expect((await client.members.list({})).data).toEqual([owner])
})

test('M-01 an invitation expires after 72 hours and can be renewed', async () => {
  const vault = openVault()
  const verbs = ['create', 'read', 'delete'].map((verb) => `tenant:invitation:${verb}`)
  const { client, id: by } = await createManager(vault, ...verbs)
  const first = await client.invitations.create({ email })
  expect(first).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tenant_id: vault.engine.tenant_id,
    email,
    role: 'ADMIN',
    status: 'PENDING',
    expires_at: '2030-01-04T00:00:00.000+00:00',
    created_by: by,
    created_at: '2030-01-01T00:00:00.000+00:00',
  })
  vault.clock.advance(hour)
  const second = await client.invitations.create({ email, role: 'READ_ONLY' })
  vault.clock.advance(71 * hour - 1)
  expect((await client.invitations.list({ status: 'EXPIRED' })).data).toEqual([])
  vault.clock.advance(1)
  await vault.engine.sweeper.sweep()
  vault.reopen()
  const listInvitationIds = async (input: object) =>
    (await client.invitations.list(input)).data.map(({ id }) => id)
  expect(await listInvitationIds({})).toEqual([second.id, first.id])
  expect(await listInvitationIds({ status: 'PENDING' })).toEqual([second.id])
  expect(await listInvitationIds({ status: 'EXPIRED' })).toEqual([first.id])
  expect(await listInvitationIds({ page: 2, size: 1 })).toEqual([first.id])
  expect(await listInvitationIds({ page: 3, size: 1 })).toEqual([])
  expect(await client.invitations.get({ id: first.id })).toEqual({ ...first, status: 'EXPIRED' })
  expect(await client.invitations.resend({ id: first.id })).toEqual({
    ...first,
    expires_at: '2030-01-07T00:00:00.000+00:00',
    modified_by: by,
    modified_at: '2030-01-04T00:00:00.000+00:00',
  })
  expect(await listInvitationIds({ status: 'EXPIRED' })).toEqual([])
  await client.invitations.remove({ id: first.id })
  for (const call of [client.invitations.get, client.invitations.resend, client.invitations.remove]) {
    expect((await catchProblem(call({ id: first.id }))).status).toBe(404)
  }
  expect(await listInvitationIds({})).toEqual([second.id])
})

test.each([
  [{}, 'email'],
  [{ email: 'nobody' }, 'email'],
  [{ email: `a@${'b.'.repeat(160)}com` }, 'email'],
  [{ email: `${email}\r\nBcc: other@example.com` }, 'email'],
  [{ email, role: 'OWNER' }, 'role'],
  [{ email, role: 'admin' }, 'role'],
  [{ email, expires_at: '2031-01-01' }, 'expires_at'],
])('M-01 an invalid invitation is 400 and is not stored: %j', async (input, member) => {
  const { owner } = openBriefVault()
  const problem = await catchProblem(owner.invitations.create(input as never))
  expect([problem.status, Object.keys(problem.errors ?? {})]).toEqual([400, [member]])
  expect(problem.detail).not.toContain('example.com')
  expect((await owner.invitations.list({})).data).toEqual([])
})

test('M-01 a tenant has at most 1,000 invitations, including expired ones', async () => {
  const { owner, clock } = openBriefVault()
  const created = await Promise.all(Array.from({ length: 1000 }, () => owner.invitations.create({ email })))
  clock.advance(100 * hour)
  expect(await catchProblem(owner.invitations.create({ email }))).toMatchObject({
    status: 422,
    detail: expect.stringContaining('1000 invitations'),
  })
  await owner.invitations.remove({ id: created[0]?.id ?? '' })
  expect((await owner.invitations.create({ email })).status).toBe('PENDING')
})

test('M-01 A-12 W-01 a repeated request creates one invitation and one event', async () => {
  const types = ['created', 'resent', 'deleted'].map((what) => `tenant.invitation.${what}`)
  const { vault, takeEvents } = await openWithWebhook(types)
  const application = await createManager(vault, 'tenant:invitation:create', 'tenant:invitation:delete')
  const request = { key: 'once', method: 'POST', path: '/tenants/self/invitations' } as const
  const client = application.with({ idempotency: request })
  const first = await client.invitations.create({ email })
  expect(await client.invitations.create({ email })).toEqual(first)
  await application.client.invitations.resend({ id: first.id })
  await application.client.invitations.remove({ id: first.id })
  expect(await catchProblem(client.invitations.create({ email }))).toMatchObject({ status: 409 })
  const events = takeEvents()
  const invitation = {
    id: first.id,
    email,
    role: 'ADMIN',
    expires_at: '2030-01-04T00:00:00.000Z',
    created_at: '2030-01-01T00:00:00.000Z',
    created_by: application.id,
  }
  expect(events.map(({ type }) => type)).toEqual(types)
  for (const { data } of events) expect(data).toMatchObject({ invitation })
})

test('M-01 O-05 the log has the ids of invitations but no email address', async () => {
  const vault = openBriefVault()
  const { owner, engine } = vault
  const verbs = ['create', 'read'].map((verb) => `tenant:invitation:${verb}`)
  const { client } = await createManager(vault, ...verbs)
  const { id } = await client.invitations.create({ email })
  await client.invitations.get({ id })
  await owner.tenants.setSecurityContact({ email })
  engine.outcomes.flushLog()
  const { data } = await owner.logs.list({ entity_type: 'invitation' })
  expect(data.map(({ action, entity_id }) => [action, entity_id])).toEqual([
    ['invitations.get', id],
    ['invitations.create', id],
  ])
  expect(JSON.stringify(await owner.logs.list({}))).not.toContain('example.com')
})

test('M-01 the security contact is null until set, and survives a restart', async () => {
  const vault = openVault()
  const { client, id } = await createManager(vault, 'tenant:read', 'tenant:update')
  expect(await client.tenants.getSecurityContact()).toEqual({ email: null })
  expect(await client.tenants.setSecurityContact({ email })).toEqual({ email })
  vault.reopen()
  expect(await client.tenants.getSecurityContact()).toEqual({ email })
  expect(await client.tenants.get()).toMatchObject({ modified_by: id })
  expect((await catchProblem(client.tenants.setSecurityContact({ email: 'x' }))).errors).toHaveProperty(
    'email',
  )
})

test('M-01 applications can be created from the templates of a new vault’s applications', async () => {
  const { owner } = openBriefVault()
  const templates = await owner.applicationTemplates.list()
  expect(templates.map(({ application_type, is_starter }) => [application_type, is_starter])).toEqual([
    ['management', true],
    ['private', true],
    ['public', true],
  ])
  for (const template of templates) {
    const { id, name, application_type: type, permissions, rules } = template
    expect(await owner.applicationTemplates.get({ id })).toEqual(template)
    expect(await owner.applications.create({ name, type, permissions, rules })).toMatchObject({
      permissions,
      rules,
    })
  }
  expect((await catchProblem(owner.applicationTemplates.get({ id: 'nobody' }))).status).toBe(404)
})

test('M-01 neither a key nor the owner can delete the tenant by API', async () => {
  const vault = openBriefVault()
  const { client } = await createManager(vault, 'tenant:delete')
  for (const each of [client, vault.owner]) {
    expect(await catchProblem(each.tenants.remove())).toMatchObject({
      status: 403,
      detail: expect.stringContaining('coffer delete'),
    })
  }
  expect((await vault.owner.tenants.get()).name).toBe('Test')
})
