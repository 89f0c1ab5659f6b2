import type { BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect } from 'vitest'
import { eventTypes } from '../../../../shared/webhook-events.ts'
import { walletCard } from '../../../wallets.ts'
import {
  awaitRejection,
  card,
  challengedCard,
  collectAll,
  deviceInfo,
  passChallenge,
  payment,
  renewedCard,
} from '../start.ts'
import type { ClientProgram } from './areas.ts'
import type { MatrixServer } from './matrix-server.ts'

const gone = { statusCode: 404 }

/** Returns a program for `@basis-theory/node-sdk`. It uses only what is equal in all generations of the SDK. */
export function createNodeSdkProgram(
  world: MatrixServer,
  client: (apiKey: string) => BasisTheoryClient,
): ClientProgram {
  const management = client(world.MANAGEMENT)
  const backend = client(world.BACKEND)
  const browser = client(world.BROWSER)
  return {
    tokens: async () => {
      const created = await backend.tokens.create({ type: 'card', data: card, metadata: { k: 'v' } })
      const id = created.id as string
      expect(await backend.tokens.get(id)).toMatchObject({ data: card, metadata: { k: 'v' } })
      expect(await backend.tokens.update(id, { metadata: { a: 'b' } })).toMatchObject({
        metadata: { k: 'v', a: 'b' },
      })
      await backend.tokens.delete(id)
      expect(await awaitRejection(backend.tokens.get(id))).toMatchObject(gone)
    },
    tokenize: async () => {
      const made = await backend.tokens.tokenize({ name: 'Ada', card: { type: 'card', data: card } })
      expect(made).toMatchObject({ name: expect.any(String), card: { id: expect.any(String), type: 'card' } })
    },
    detokenize: async () => {
      const { id } = await backend.tokens.create({ type: 'token', data: { a: [1, 'two'] } })
      expect(
        await backend.tokens.detokenize({ all: `{{ ${id} }}`, one: `{{ ${id} | json: '$.a[1]' }}` }),
      ).toEqual({
        all: { a: [1, 'two'] },
        one: 'two',
      })
    },
    'token intents': async () => {
      const made = await browser.tokenIntents.create({ type: 'card', data: card })
      const id = made.id as string
      expect(made).toMatchObject({ type: 'card', card: { last4: '4242' } })
      expect(await backend.tokenIntents.get(id)).toMatchObject({ id })
      await backend.tokenIntents.delete(id)
      expect(await awaitRejection(backend.tokenIntents.delete(id))).toMatchObject(gone)
    },
    applications: async () => {
      const { applications } = management
      const made = await applications.create({ name: 'A', type: 'private', permissions: ['token:create'] })
      const id = made.id as string
      expect(await applications.get(id)).toMatchObject({ id, name: 'A', permissions: ['token:create'] })
      expect(await client(made.key as string).applications.getByKey()).toMatchObject({ id })
      expect(await applications.update(id, { name: 'B', permissions: ['token:read'] })).toMatchObject({
        name: 'B',
      })
      const found = await collectAll(await applications.list({ id: [id] }))
      expect(found.map(({ name }) => name)).toEqual(['B'])
      await applications.delete(id)
      expect(await awaitRejection(applications.get(id))).toMatchObject(gone)
    },
    'application keys': async () => {
      const { id = '' } = await management.applications.create({
        name: 'A',
        type: 'private',
        permissions: ['token:create'],
      })
      const made = await management.applicationKeys.create(id)
      const key = made.id as string
      expect(await client(made.key as string).tokens.create({ type: 'token', data: 'x' })).toMatchObject({
        type: 'token',
      })
      expect((await management.applicationKeys.list(id)).map((each) => each.id)).toContain(key)
      expect(await management.applicationKeys.get(id, key)).toMatchObject({ id: key })
      await management.applicationKeys.delete(id, key)
      expect(await awaitRejection(management.applicationKeys.get(id, key))).toMatchObject(gone)
    },
    proxies: async () => {
      const { proxies } = management
      const input = { name: 'pay', destinationUrl: world.ECHO, configuration: { A: 'b' } }
      const made = await proxies.create(input)
      const id = made.id as string
      expect(made).toMatchObject({ state: 'active', ...input })
      expect((await collectAll(await proxies.list({ name: 'pa*' }))).map((each) => each.id)).toEqual([id])
      expect(await proxies.update(id, { ...input, name: 'paid' })).toMatchObject({ name: 'paid' })
      await proxies.patch(id, { name: 'patched' })
      expect(await proxies.get(id)).toMatchObject({ name: 'patched' })
      await proxies.delete(id)
      expect(await awaitRejection(proxies.get(id))).toMatchObject(gone)
    },
    reactors: async () => {
      const { reactors } = management
      const code = 'module.exports = function (req) { return { raw: req.args } }'
      const made = await reactors.create({ name: 'echo', code, configuration: { A: 'b' } })
      const id = made.id as string
      expect(made).toMatchObject({ state: 'active', code, configuration: { A: 'b' } })
      expect((await collectAll(await reactors.list({ name: 'ec*' }))).map((each) => each.id)).toEqual([id])
      expect(await reactors.update(id, { name: 'two', code })).toMatchObject({ name: 'two' })
      await reactors.patch(id, { name: 'three' })
      expect(await reactors.get(id)).toMatchObject({ name: 'three' })
      const raw = { key1: 'value1', key2: 'value2' }
      expect(await backend.reactors.react(id, { args: raw })).toMatchObject({ raw })
      const { asyncReactorRequestId: later = '' } = await backend.reactors.reactAsync(id, { args: raw })
      await expect
        .poll(() => backend.reactors.results.get(id, later).catch(() => null))
        .toMatchObject({ raw })
      await reactors.delete(id)
      expect(await awaitRejection(reactors.get(id))).toMatchObject(gone)
    },
    webhooks: async () => {
      const { webhooks } = management
      const hook = { name: 'Hook', url: 'https://hooks.coffer.test/in', events: ['token.created'] }
      const made = await webhooks.create({ ...hook, notifyEmail: 'dev@example.com' })
      expect(made).toMatchObject({ ...hook, status: 'enabled', notifyEmail: 'dev@example.com' })
      expect(await webhooks.get(made.id)).toEqual(made)
      expect((await webhooks.list()).data).toEqual([made])
      expect(await webhooks.update(made.id, { ...hook, name: 'Two' })).toMatchObject({ name: 'Two' })
      expect(await webhooks.events.list()).toEqual(eventTypes)
      await webhooks.delete(made.id)
      expect(await awaitRejection(webhooks.get(made.id))).toMatchObject(gone)
    },
    documents: async () => {
      const { documents } = backend
      const made = await documents.upload({
        document: new Blob(['Hello World'], { type: 'text/plain' }),
        request: { metadata: { a: 'b' } },
      })
      const id = made.id as string
      expect(await documents.get(id)).toMatchObject({ contentType: 'text/plain', metadata: { a: 'b' } })
      const content = await documents.data.get(id)
      expect(Buffer.from(await content.arrayBuffer()).toString()).toBe('Hello World')
      await documents.delete(id)
      expect(await awaitRejection(documents.get(id))).toMatchObject(gone)
    },
    'client keys': async () => {
      const { keys } = management
      const made = await keys.create({ expiresAt: new Date('2031-01-01T00:00:00Z') as never })
      const id = made.keyId as string
      expect(made.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----/)
      expect((await keys.list()).map((each) => each.keyId)).toEqual([id])
      expect(await keys.get(id)).toMatchObject({ keyId: id })
      await keys.delete(id)
      expect(await awaitRejection(keys.get(id))).toMatchObject(gone)
    },
    'members and invitations': async () => {
      const { members, invitations, owner } = management.tenants
      const only = await owner.get()
      expect(only).toMatchObject({ role: 'OWNER' })
      expect((await members.list()).data).toEqual([only])
      expect(await awaitRejection(members.delete(only.id as string))).toMatchObject({ statusCode: 422 })
      const made = await invitations.create({ email: 'somebody@example.com', role: 'READ_ONLY' })
      const id = made.id as string
      expect(await invitations.get(id)).toMatchObject({ id, role: 'READ_ONLY', status: 'PENDING' })
      expect(
        (await collectAll(await invitations.list({ status: 'PENDING' }))).map((each) => each.id),
      ).toEqual([id])
      expect(await invitations.resend(id)).toMatchObject({ id, status: 'PENDING' })
      await invitations.delete(id)
      expect(await awaitRejection(invitations.get(id))).toMatchObject(gone)
    },
    roles: async () => {
      expect(await management.roles.list()).toContainEqual({ name: 'READ_ONLY' })
    },
    'application templates': async () => {
      const [template] = await management.applicationTemplates.list()
      expect(await management.applicationTemplates.get(template?.id as string)).toEqual(template)
    },
    'usage report': async () => {
      await backend.tokens.create({ type: 'token', data: 'counted' })
      const { totalTokens } = await management.tenants.self.getUsageReports()
      expect(totalTokens).toBeGreaterThan(0)
    },
    'card details': async () => {
      expect(await backend.enrichments.getcarddetails({ bin: '378282' })).toMatchObject({
        brand: 'American Express',
        binRange: [{ binMin: '378282', binMax: '378282' }],
      })
    },
    '3D Secure': async () => {
      const { id: tokenId = '' } = await backend.tokens.create({ type: 'card', data: challengedCard })
      const { sessions } = backend.threeds
      const device = { device: 'browser', deviceInfo: { ...deviceInfo, browserTz: '-60' } }
      const { id = '', cardBrand } = await sessions.create({ tokenId, ...device })
      const requested = await sessions.authenticate(id, payment)
      expect([cardBrand, requested.authenticationStatus]).toEqual(['Visa', 'challenge'])
      await passChallenge(requested.acsChallengeUrl)
      expect(await sessions.getChallengeResult(id)).toMatchObject({ authenticationStatus: 'successful' })
      expect(await sessions.get(id)).toMatchObject({ cardBrand, authentication: { eci: '05' } })
    },
    'account updater': async () => {
      const { realTime, jobs } = backend.accountUpdater
      const { id: tokenId = '' } = await backend.tokens.create({ type: 'card', data: renewedCard })
      expect(await realTime.invoke({ tokenId })).toMatchObject({ resultCode: 'UPD_PAN' })
      const { id, uploadUrl } = await jobs.create()
      expect((await fetch(uploadUrl, { method: 'PUT', body: `token\n${tokenId}\n` })).status).toBe(200)
      await expect.poll(() => jobs.get(id)).toMatchObject({ status: 'completed', requests: 1 })
      expect((await jobs.list({ size: 1 })).data.map((each) => each.id)).toEqual([id])
    },
    merchants: async () => {
      const { merchants } = management.tenants
      const tenant = (await management.tenants.self.get()).id as string
      const { id = '' } = await merchants.create(tenant, { name: 'Shop', details: {} })
      expect(await merchants.update(tenant, id, { name: 'Store', details: {} })).toMatchObject({
        name: 'Store',
      })
      expect(await merchants.requestOnboarding(tenant, id)).toMatchObject({
        services: { networkToken: { status: 'active' } },
      })
      expect((await collectAll(await merchants.list(tenant))).map(({ name }) => name)).toEqual(['Store'])
      expect(await merchants.delete(tenant, id)).toMatchObject({ id })
      expect(await awaitRejection(merchants.get(tenant, id))).toMatchObject(gone)
    },
    wallets: async () => {
      const merchant = { merchantIdentifier: 'merchant.com.example.shop' }
      const { id = '' } = await management.applePay.merchant.create(merchant)
      expect(await management.applePay.merchant.get(id)).toMatchObject({ id, ...merchant })
      await management.applePay.merchant.delete(id)
      expect(await awaitRejection(management.applePay.merchant.get(id))).toMatchObject(gone)
      const { domains } = await management.applePay.domain.register({ domain: 'shop.example.com' })
      expect(domains).toEqual([{ domain: 'shop.example.com', status: 'verified' }])
      const apple = { applePaymentData: JSON.parse(world.APPLE_PAYMENT_DATA) }
      const { applePay } = await backend.applePay.create(apple)
      expect(await backend.applePay.get(applePay?.id ?? '')).toMatchObject({ data: { number: walletCard } })
      await backend.applePay.delete(applePay?.id ?? '')
      const google = { googlePaymentData: JSON.parse(world.GOOGLE_PAYMENT_DATA) }
      const { googlePay } = await backend.googlePay.create(google)
      expect(await backend.googlePay.get(googlePay?.id ?? '')).toMatchObject({ data: { number: walletCard } })
      await backend.googlePay.delete(googlePay?.id ?? '')
    },
    errors: async () => {
      const wrong = { type: 'card', data: { number: '4242424242424241' } }
      const rejected = await awaitRejection(backend.tokens.create(wrong))
      expect(rejected).toMatchObject({
        statusCode: 400,
        body: { errors: { 'data.number': [expect.any(String)] } },
      })
      expect(await awaitRejection(client('key_local_pvt_wrong').tokens.get('x'))).toMatchObject({
        statusCode: 401,
      })
      expect(await awaitRejection(browser.tokens.get('x'))).toMatchObject({ statusCode: 403 })
      expect(await awaitRejection(backend.tokens.get('x'))).toMatchObject(gone)
    },
    paging: async () => {
      const metadata = { paging: 'yes' }
      const made: (string | undefined)[] = []
      for (let at = 0; at < 5; at++)
        made.push((await backend.tokens.create({ type: 'token', data: at, metadata })).id)
      const ids = (await collectAll(await backend.tokens.listV2({ metadata, size: 2 }))).map(({ id }) => id)
      expect(ids.sort()).toEqual(made.sort())
      const all = await collectAll(await management.applications.list({ size: 1 }))
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
      expect(all.length).toBeGreaterThan(2)
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
