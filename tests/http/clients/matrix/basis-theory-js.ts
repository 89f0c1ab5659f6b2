import { BasisTheory } from '@basis-theory/basis-theory-js'
import { expect } from 'vitest'
import { awaitRejection, card, challengedCard, deviceInfo, passChallenge, payment } from '../start.ts'
import type { ClientProgram } from './areas.ts'
import type { MatrixServer } from './matrix-server.ts'

const gone = { status: 404 }

/** Tries `@basis-theory/basis-theory-js`, which uses https for every host but localhost. */
export async function createBasisTheoryJs(world: MatrixServer): Promise<ClientProgram> {
  const createClient = (key: string) =>
    new BasisTheory().init(key, { apiBaseUrl: `http://localhost:${world.PORT}`, disableTelemetry: true })
  const management = await createClient(world.MANAGEMENT)
  const backend = await createClient(world.BACKEND)
  const browser = await createClient(world.BROWSER)
  return {
    tokens: async () => {
      const { id } = await backend.tokens.create({
        type: 'token',
        data: { someKey: 'v' },
        metadata: { k: 'v' },
      })
      expect(await backend.tokens.retrieve(id)).toMatchObject({ data: { someKey: 'v' } })
      const updated = await backend.tokens.update(id, { metadata: { a: 'b' } })
      expect(updated).toMatchObject({ metadata: { k: 'v', a: 'b' } })
      await backend.tokens.delete(id)
      expect(await awaitRejection(backend.tokens.retrieve(id))).toMatchObject(gone)
    },
    tokenize: async () => {
      const created = await backend.tokenize({ name: 'Ada', card: { type: 'card', data: card } } as never)
      expect(created).toMatchObject({ name: expect.any(String), card: { type: 'card' } })
    },
    'token intents': async () => {
      const created = await browser.tokenIntents.create({ type: 'card', data: card } as never)
      expect(created).toMatchObject({ type: 'card', card: { last4: '4242' } })
      await backend.tokenIntents.delete(created.id)
      expect(await awaitRejection(backend.tokenIntents.delete(created.id))).toMatchObject(gone)
    },
    applications: async () => {
      const { applications } = management
      const { id, key = '' } = await applications.create({
        name: 'A',
        type: 'private',
        permissions: ['token:create'],
      })
      expect(await applications.retrieve(id)).toMatchObject({ id, name: 'A' })
      expect(await (await createClient(key)).applications.retrieveByKey()).toMatchObject({ id })
      expect(await applications.update(id, { name: 'B', permissions: ['token:read'] })).toMatchObject({
        name: 'B',
      })
      expect((await applications.list({ id })).data).toMatchObject([{ id, name: 'B' }])
      await applications.delete(id)
      expect(await awaitRejection(applications.retrieve(id))).toMatchObject(gone)
    },
    'application keys': async () => {
      const { id } = await management.applications.create({
        name: 'A',
        type: 'private',
        permissions: ['token:create'],
      })
      const { applicationKeys } = management
      const created = await applicationKeys.create(id)
      const key = created.id as string
      expect(created.key).toMatch(/^key_local_pvt_/)
      expect((await applicationKeys.get(id)).map((each) => each.id)).toContain(key)
      expect(await applicationKeys.getById(id, key)).toMatchObject({ id: key })
      await applicationKeys.delete(id, key)
      expect(await awaitRejection(applicationKeys.getById(id, key))).toMatchObject(gone)
    },
    proxies: async () => {
      const { proxies } = management
      const input = { name: 'pay', destinationUrl: world.ECHO, configuration: { A: 'b' } }
      const created = await proxies.create(input as never)
      const id = created.id as string
      expect(await proxies.retrieve(id)).toMatchObject({ id, name: 'pay', destinationUrl: world.ECHO })
      expect((await proxies.list({ name: 'pa*' } as never)).data).toHaveLength(1)
      expect(await proxies.update(id, { ...input, name: 'paid' } as never)).toMatchObject({ name: 'paid' })
      await proxies.patch(id, { name: 'patched' } as never)
      const { id: token } = await backend.tokens.create({ type: 'token', data: 'put in' })
      const response = await backend.proxy.post({
        path: 'charges',
        headers: { 'BT-PROXY-KEY': created.key as string },
        body: { value: `{{ ${token} }}` },
      })
      expect(response).toMatchObject({ value: 'put in' })
      await proxies.delete(id)
      expect(await awaitRejection(proxies.retrieve(id))).toMatchObject(gone)
    },
    reactors: async () => {
      const { reactors } = management
      const code = 'module.exports = function (req) { return { raw: req.args } }'
      const created = await reactors.create({ name: 'echo', code } as never)
      expect(await reactors.retrieve(created.id)).toMatchObject({ name: 'echo', code })
      expect((await reactors.list({ name: 'ec*' } as never)).data).toHaveLength(1)
      expect(await reactors.update(created.id, { name: 'two', code } as never)).toMatchObject({ name: 'two' })
      expect(await backend.reactors.react(created.id, { args: { key1: 'value1' } })).toMatchObject({
        raw: { key1: 'value1' },
      })
      await reactors.delete(created.id)
      expect(await awaitRejection(reactors.retrieve(created.id))).toMatchObject(gone)
    },
    'members and invitations': async () => {
      const { tenants } = management
      const [owner] = (await tenants.listMembers()).data
      expect(owner).toMatchObject({ role: 'OWNER' })
      expect(await awaitRejection(tenants.deleteMember(owner?.id ?? ''))).toMatchObject({ status: 422 })
      const { id } = await tenants.createInvitation({ email: 'somebody@example.com' })
      expect(await tenants.retrieveInvitation(id)).toMatchObject({ id, role: 'ADMIN', status: 'PENDING' })
      expect((await tenants.listInvitations({ status: 'PENDING' })).data.map((each) => each.id)).toEqual([id])
      expect(await tenants.resendInvitation(id)).toMatchObject({ id, status: 'PENDING' })
      await tenants.deleteInvitation(id)
      expect(await awaitRejection(tenants.retrieveInvitation(id))).toMatchObject(gone)
    },
    'application templates': async () => {
      const [template] = await management.applicationTemplates.list()
      expect(await management.applicationTemplates.retrieve(template?.id ?? '')).toEqual(template)
    },
    'usage report': async () => {
      await backend.tokens.create({ type: 'token', data: 'counted' })
      const { totalTokens } = await management.tenants.retrieveUsageReport()
      expect(totalTokens).toBeGreaterThan(0)
    },
    '3D Secure': async () => {
      const { id: tokenId } = await backend.tokens.create({ type: 'card', data: challengedCard } as never)
      const { threeds } = backend
      const device = { device: 'browser', deviceInfo: { ...deviceInfo, browserTimezone: '-60' } }
      const { id, cardBrand } = await threeds.createSession({ tokenId, type: 'customer', ...device })
      const requested = await threeds.authenticateSession(id, payment)
      expect([cardBrand, requested.authenticationStatus]).toEqual(['Visa', 'challenge'])
      await passChallenge(requested.acsChallengeUrl)
      expect((await threeds.getChallengeResult(id)).authenticationStatus).toBe('successful')
      expect((await threeds.getSessionById(id)).authentication.eci).toBe('05')
    },
    errors: async () => {
      expect(await awaitRejection(backend.tokens.create({ type: 'card_number', data: '1' }))).toMatchObject({
        status: 400,
        data: { errors: { data: [expect.any(String)] } },
      })
      expect(await awaitRejection((await createClient('wrong')).tokens.retrieve('x'))).toMatchObject({
        status: 401,
      })
      expect(await awaitRejection(browser.tokens.retrieve('x'))).toMatchObject({ status: 403 })
      expect(await awaitRejection(backend.tokens.retrieve('x'))).toMatchObject(gone)
    },
    paging: async () => {
      const metadata = { paging: 'yes' }
      const created: string[] = []
      for (let at = 0; at < 5; at++)
        created.push((await backend.tokens.create({ type: 'token', data: at, metadata } as never)).id)
      const ids: string[] = []
      for (let page = 1; page <= 3; page++)
        ids.push(...(await backend.tokens.list({ metadata, page, size: 2 })).data.map(({ id }) => id))
      expect(ids.sort()).toEqual(created.sort())
      expect((await backend.tokens.list({ metadata, page: 4, size: 2 })).data).toEqual([])
    },
    idempotency: async () => {
      const createOnce = (idempotencyKey: string) =>
        backend.tokens.create({ type: 'token', data: 'once' }, { idempotencyKey })
      const [first, again, other] = [
        await createOnce('one'),
        await createOnce('one'),
        await createOnce('two'),
      ]
      expect(again.id).toBe(first.id)
      expect(other.id).not.toBe(first.id)
    },
  }
}
