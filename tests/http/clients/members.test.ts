import { BasisTheory as LegacyClient } from '@basis-theory/basis-theory-js'
import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { BasisTheoryClient as OlderClient } from 'basis-theory-node-sdk-2'
import { expect, test } from 'vitest'
import { awaitRejection, collectAll, startClientServer } from './start.ts'

const email = 'somebody@example.com'

async function startTenantClients() {
  const started = await startClientServer()
  const { vault, url, port } = started
  const listPermissions = (...names: string[]) => names.map((name) => `tenant:${name}`)
  const { key } = await vault.application({
    type: 'management',
    permissions: [
      ...listPermissions('read', 'update', 'delete', 'member:read', 'member:update', 'member:delete'),
      ...listPermissions('invitation:create', 'invitation:read', 'invitation:update', 'invitation:delete'),
      'report:read',
    ],
  })
  return {
    ...started,
    current: new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 }),
    older: new OlderClient({ apiKey: key, baseUrl: url }),
    legacy: await new LegacyClient().init(key, {
      apiBaseUrl: `http://localhost:${port}`,
      disableTelemetry: true,
    }),
  }
}

test('M-01 node-sdk 5: the owner is the only member, and the security contact is updated', async () => {
  const { current, vault } = await startTenantClients()
  const { tenants } = current
  const owner = await tenants.owner.get()
  expect(owner).toMatchObject({
    tenantId: vault.engine.tenant_id,
    role: 'OWNER',
    user: { id: (await tenants.self.get()).ownerId, provider: 'coffer', mfaEnrolled: false },
    createdDate: new Date('2030-01-01'),
  })
  const listed = await tenants.members.list({ page: 1, size: 50, userId: [owner.user?.id ?? ''] })
  expect(listed.data).toEqual([owner])
  expect((await tenants.members.list({ userId: 'nobody' })).data).toEqual([])
  const id = owner.id ?? ''
  expect(await tenants.members.update(id, { role: 'OWNER' })).toEqual(owner)
  expect(await tenants.ownerTransfer({ memberId: id })).toEqual(owner)
  expect(await awaitRejection(tenants.ownerTransfer({ memberId: 'nobody' }))).toBeInstanceOf(
    BasisTheory.NotFoundError,
  )
  expect(await awaitRejection(tenants.members.delete(id))).toBeInstanceOf(
    BasisTheory.UnprocessableEntityError,
  )
  expect((await tenants.securityContact.get()).email ?? null).toBeNull()
  expect(await tenants.securityContact.update({ email })).toEqual({ email })
  expect(await tenants.securityContact.get()).toEqual({ email })
})

test('M-01 node-sdk 5: an invitation is created, listed, resent after expiry and deleted', async () => {
  const { current, vault } = await startTenantClients()
  const { invitations } = current.tenants
  const created = await invitations.create({ email, role: 'READ_ONLY' })
  expect(created).toMatchObject({
    email,
    role: 'READ_ONLY',
    status: 'PENDING',
    expiresAt: new Date('2030-01-04'),
  })
  const id = created.id ?? ''
  await invitations.create({ email })
  expect(await collectAll(await invitations.list({ size: 1 }))).toHaveLength(2)
  expect(await invitations.get(id)).toEqual(created)
  vault.clock.advance(72 * 60 * 60 * 1000)
  expect(await collectAll(await invitations.list({ status: 'PENDING' }))).toEqual([])
  expect(await collectAll(await invitations.list({ status: 'EXPIRED' }))).toHaveLength(2)
  expect(await invitations.resend(id)).toMatchObject({ status: 'PENDING', expiresAt: new Date('2030-01-07') })
  await invitations.delete(id)
  expect(await awaitRejection(invitations.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)
  expect(await awaitRejection(invitations.create({ email: 'x' }))).toBeInstanceOf(BasisTheory.BadRequestError)
})

test('M-01 O-06 node-sdk 5: roles, templates and usage are read, and deleting the tenant gets 403', async () => {
  const { current } = await startTenantClients()
  expect(await current.roles.list()).toEqual([{ name: 'OWNER' }, { name: 'ADMIN' }, { name: 'READ_ONLY' }])
  const templates = await current.applicationTemplates.list()
  expect(templates.map(({ name, applicationType, isStarter }) => [name, applicationType, isStarter])).toEqual(
    [
      ['Management', 'management', true],
      ['Backend', 'private', true],
      ['Browser', 'public', true],
    ],
  )
  expect(await current.applicationTemplates.get(templates[1]?.id ?? '')).toEqual(templates[1])
  expect(await awaitRejection(current.applicationTemplates.get('nobody'))).toBeInstanceOf(
    BasisTheory.NotFoundError,
  )
  expect(await current.tenants.self.getUsageReports()).toMatchObject({ totalTokens: 0 })
  const rejected = await awaitRejection(current.tenants.self.delete())
  expect(rejected).toBeInstanceOf(BasisTheory.ForbiddenError)
  expect(rejected).toMatchObject({ body: { detail: expect.stringContaining('coffer delete') } })
})

test('M-01 node-sdk 5: a BIN has card details, which are empty if it is unknown', async () => {
  const { current } = await startTenantClients()
  expect(await current.enrichments.getcarddetails({ bin: '378282' })).toMatchObject({
    brand: 'American Express',
    funding: 'Credit',
    binRange: [{ binMin: '378282', binMax: '378282' }],
    additional: [{ brand: 'Visa', binRange: [{ binMin: '378282246310011', binMax: '378282246310020' }] }],
  })
  const unknown = await current.enrichments.getcarddetails({ bin: '999999' })
  expect([unknown.brand ?? null, unknown.binRange, unknown.additional]).toEqual([null, [], []])
  expect(await awaitRejection(current.enrichments.getcarddetails({ bin: '42' }))).toMatchObject({
    statusCode: 400,
  })
})

test('M-01 node-sdk 2: members and invitations are managed, and roles and templates are read', {
  tags: 'thorough',
}, async () => {
  const { older } = await startTenantClients()
  const { tenants } = older
  const owner = await tenants.owner.get()
  expect((await tenants.members.list()).data).toEqual([owner])
  expect(await tenants.members.update(owner.id ?? '', { role: 'OWNER' })).toEqual(owner)
  expect(await awaitRejection(tenants.members.delete(owner.id ?? ''))).toMatchObject({ statusCode: 422 })
  const { id = '' } = await tenants.invitations.create({ email })
  expect(await collectAll(await tenants.invitations.list({ size: 1 }))).toHaveLength(1)
  expect(await tenants.invitations.resend(id)).toMatchObject({ id, status: 'PENDING' })
  expect(await tenants.invitations.get(id)).toMatchObject({ email, role: 'ADMIN' })
  await tenants.invitations.delete(id)
  expect(await awaitRejection(tenants.invitations.get(id))).toMatchObject({ statusCode: 404 })
  expect(await older.roles.list()).toContainEqual({ name: 'ADMIN' })
  const [template] = await older.applicationTemplates.list()
  expect(await older.applicationTemplates.get(template?.id ?? '')).toEqual(template)
  expect(await awaitRejection(tenants.self.delete())).toMatchObject({ statusCode: 403 })
})

test('M-01 basis-theory-js: members and invitations are managed, and usage and templates are read', {
  tags: 'thorough',
}, async () => {
  const { legacy } = await startTenantClients()
  const { tenants } = legacy
  const { ownerId } = await tenants.retrieve()
  const [owner] = (await tenants.listMembers({ userId: [ownerId], page: 1, size: 50 })).data
  expect(owner).toMatchObject({ role: 'OWNER', user: { id: ownerId }, createdAt: expect.any(String) })
  expect(await awaitRejection(tenants.deleteMember(owner?.id ?? ''))).toMatchObject({ status: 422 })
  const { id, ...created } = await tenants.createInvitation({ email })
  expect(created).toMatchObject({ email, status: 'PENDING', expiresAt: '2030-01-04T00:00:00.000+00:00' })
  expect(await tenants.resendInvitation(id)).toMatchObject({ id, status: 'PENDING' })
  expect((await tenants.listInvitations({ status: 'PENDING' })).data.map((each) => each.id)).toEqual([id])
  expect(await tenants.retrieveInvitation(id)).toMatchObject({ id, email })
  await tenants.deleteInvitation(id)
  expect(await awaitRejection(tenants.retrieveInvitation(id))).toMatchObject({ status: 404 })
  expect(await tenants.retrieveUsageReport()).toMatchObject({
    totalTokens: 0,
    tokenReport: { totalTokens: 0 },
  })
  const templates = await legacy.applicationTemplates.list()
  expect(templates.map(({ templateType }) => templateType)).toEqual(['starters', 'starters', 'starters'])
  expect(await legacy.applicationTemplates.retrieve(templates[0]?.id ?? '')).toEqual(templates[0])
  expect(await awaitRejection(tenants.delete())).toMatchObject({ status: 403 })
})
