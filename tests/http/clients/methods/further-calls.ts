import { Buffer } from 'node:buffer'
import { CompactEncrypt, importJWK } from 'jose'
import { expect } from 'vitest'
import { createEligibleCard } from '../../../network-tokens.ts'
import { waitFor } from '../../../wait-for.ts'
import { card, challengedCard, deviceInfo, passChallenge, payment } from '../start.ts'
import {
  agenticCards,
  deviceContext,
  makeEnrollment,
  makeInstruction,
  type Scenario,
  type ScenarioClients,
} from './scenarios.ts'

const appInfo = {
  sdkTransactionId: '6f1f3c1e-0c2f-4d5a-9a53-0d0f7c4a1b10',
  sdkApplicationId: 'shop-app',
  sdkEncryptionData: 'eyJhbGciOiJSU0EtT0FFUCJ9..a.b.c',
  sdkEphemeralPublicKey: '{"kty":"EC","crv":"P-256","x":"a","y":"b"}',
  sdkMaxTimeout: '05',
  sdkReferenceNumber: 'ref-1',
  sdkRenderOptions: { sdkInterface: 'both', sdkUiType: ['text', 'oob'] },
}
const browserInfo = { ...deviceInfo, browserTz: '-60', browserAcceptHeader: '*/*', browserIp: '127.0.0.1' }
const extension = { id: 'a', name: 'b', critical: false, data: { c: 'd' } }
const bank = { routing_number: '021000021', account_number: '00001' }
const runtime = {
  image: 'node22',
  dependencies: { 'not-installed': '1.0.0' },
  resolutions: { 'not-needed': '1.0.0' },
  warmConcurrency: 1,
  timeout: 10,
  resources: 'standard',
  permissions: ['token:create'],
}
const code = 'module.exports = async () => ({ res: { body: { body: "b", headers: { a: "b" } } } })'

async function encryptFor({ management }: ScenarioClients, data: object): Promise<string> {
  const { keyId = '', publicKeyPem = '' } = await management.keys.create()
  const raw = Buffer.from(publicKeyPem.replace(/-----.*-----|\s/g, ''), 'base64')
  const key = await importJWK({ kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, 'ECDH-ES')
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', kid: keyId }
  return new CompactEncrypt(Buffer.from(JSON.stringify(data))).setProtectedHeader(header).encrypt(key)
}

/** Authenticates a card whose number decides the result, and returns the call that reads the session. */
async function readAuthenticated(
  { backend }: ScenarioClients,
  number: string,
  more: object,
  session: object,
) {
  const { id: tokenIntentId = '' } = await backend.tokenIntents.create({
    type: 'card',
    data: { ...card, number },
  })
  const { id = '' } = await backend.threeds.sessions.create({ tokenIntentId, ...session })
  await backend.threeds.sessions.authenticate(id, { ...payment, ...more })
  return () => backend.threeds.sessions.get(id)
}

/** A card of two brands: its BIN is imported into the vault of the matrix. */
const coBadgedCard = { ...card, number: '4970100000000006' }

/** Uploads a file for an account updater job, and returns the call that reads the job once it is over. */
async function readJob({ backend }: ScenarioClients, file: string) {
  const { jobs } = backend.accountUpdater
  const { id, uploadUrl } = await jobs.create()
  await fetch(uploadUrl, { method: 'PUT', body: file })
  await waitFor(async () => expect((await jobs.get(id)).status).toMatch(/^(completed|failed)$/))
  return () => jobs.get(id)
}

/** Further calls of methods, for members that the first call does not show. */
export const furtherCalls: readonly (readonly [method: string, Scenario])[] = [
  ['accountUpdater.jobs.get', (clients) => readJob(clients, 'token\nunknown\n')],
  ['accountUpdater.jobs.get', (clients) => readJob(clients, 'no column\n')],
  [
    'accountUpdater.jobs.list',
    async ({ backend }) => {
      for (const _ of 'ab') await backend.accountUpdater.jobs.create()
      return () => backend.accountUpdater.jobs.list({ size: 1 })
    },
  ],
  [
    'agentic.agents.instructions.list',
    async (clients) => {
      const [agentId, id] = await makeInstruction(clients, agenticCards.direct)
      const { instructions } = clients.backend.agentic.agents
      const { enrollmentId = '' } = await instructions.get(agentId, id)
      const order = { amount: { value: '1.00' }, description: 'a', expiresAt: new Date('2031-01-01') }
      await instructions.create(agentId, { enrollmentId, ...order })
      return () => instructions.list(agentId, { enrollmentId, limit: 1 })
    },
  ],
  [
    'agentic.enrollments.verify.start',
    async (clients) => {
      const id = await makeEnrollment(clients, '5555555555554444')
      return () => clients.backend.agentic.enrollments.verify.start(id, { deviceContext })
    },
  ],
  [
    'enrichments.getcarddetails',
    async ({ backend }) =>
      () =>
        backend.enrichments.getcarddetails({ bin: '378282' }),
  ],
  [
    'googlePay.create',
    async ({ backend, payloads }) =>
      () =>
        backend.googlePay.create({ googlePaymentData: payloads.googleCard }),
  ],
  [
    'googlePay.get',
    async ({ backend, payloads: { google } }) => {
      const expiring = { googlePaymentData: google, expiresAt: '2031-01-01' }
      const { id = '' } = (await backend.googlePay.create(expiring)).googlePay ?? {}
      return () => backend.googlePay.get(id)
    },
  ],
  [
    'tokenIntents.get',
    async ({ backend }) => {
      const data = createEligibleCard()
      const { id: tokenIntentId = '' } = await backend.tokenIntents.create({ type: 'card', data })
      await backend.networkTokens.create({ tokenIntentId })
      return () => backend.tokenIntents.get(tokenIntentId)
    },
  ],
  [
    'tokens.get',
    async ({ backend }) => {
      const { id = '' } = await backend.tokens.create({ type: 'card', data: createEligibleCard() })
      await backend.networkTokens.create({ tokenId: id })
      return () => backend.tokens.get(id)
    },
  ],
  [
    'tokens.create',
    async ({ backend }) =>
      () =>
        backend.tokens.create({ type: 'network_token', data: createEligibleCard() }),
  ],
  [
    'proxies.create',
    async ({ management }) =>
      () =>
        management.proxies.create({
          name: 'Every transform',
          destinationUrl: 'https://echo.coffer.test',
          requestTransforms: [
            { type: 'tokenize', options: { identifier: 'one', token: { type: 'token', data: 'x' } } },
            { type: 'code', code, options: { runtime } },
          ],
          responseTransforms: [{ type: 'mask', matcher: 'regex', expression: '(a)', replacement: '*' }],
        }),
  ],
  [
    'proxies.create',
    async ({ management }) =>
      () =>
        management.proxies.create({
          name: 'One transform',
          destinationUrl: 'https://echo.coffer.test',
          responseTransform: { type: 'mask', matcher: 'chase_stratus_pan', replacement: '*' },
        }),
  ],
  [
    'reactors.create',
    async ({ management }) =>
      () =>
        management.reactors.create({ name: 'Next', code, runtime }),
  ],
  [
    'reactors.react',
    async ({ management, backend }) => {
      const { id = '' } = await management.reactors.create({
        name: 'Free',
        code,
        runtime: { image: 'node22' },
      })
      return () => backend.reactors.react(id, { a: 1 })
    },
  ],
  [
    'tenants.merchants.create',
    async ({ management }) =>
      () =>
        management.tenants.merchants.create('self', {
          name: 'Every detail',
          details: {
            merchant: {
              fullLegalName: 'Shop Ltd',
              doingBusinessAs: 'Shop',
              parentCompanyName: 'Shops Ltd',
              websiteUrl: 'https://shop.example.com',
              categoryCodeMcc: '7922',
              descriptor: 'SHOP',
              businessDescription: 'Sells things',
              registration: { registrationType: 'vat', registrationId: '1', vatId: 'GB1' },
              contact: { name: 'Ada', title: 'Owner', phoneNumber: '1', email: 'ada@example.com' },
              address: {
                street1: '1 Test Lane',
                street2: 'Back',
                city: 'London',
                stateProvince: 'London',
                postalCode: '12345',
                country: 'GB',
              },
            },
            cardNetworkInfo: {
              visa: { acquirerBin: '1', cardAcceptorIdCaid: '2' },
              mastercard: { merchantIdMid: '3' },
              amex: { seNumber: '4' },
              discover: { merchantIdMid: '5' },
            },
          },
        }),
  ],
  [
    'tokens.create',
    async (clients) => {
      const encrypted = await encryptFor(clients, card)
      return () => clients.backend.tokens.create({ type: 'card', encrypted, expiresAt: '2031-01-01' })
    },
  ],
  [
    'tokens.create',
    async ({ backend }) => {
      await backend.tokens.create({ type: 'token', data: 'twice' })
      return () => backend.tokens.create({ type: 'token', data: 'twice', deduplicateToken: true })
    },
  ],
  [
    'tokens.create',
    async ({ backend }) => {
      const data = { ...card, number: '378282246310013' }
      return () => backend.tokens.create({ type: 'card', data })
    },
  ],
  [
    'tokens.create',
    async ({ backend }) =>
      () =>
        backend.tokens.create({ type: 'card', data: coBadgedCard }),
  ],
  [
    'tokenIntents.create',
    async ({ backend }) =>
      () =>
        backend.tokenIntents.create({ type: 'bank', data: bank }),
  ],
  [
    'tokenIntents.get',
    async ({ backend }) => {
      const { id = '' } = await backend.tokenIntents.create({ type: 'bank', data: bank })
      return () => backend.tokenIntents.get(id)
    },
  ],
  [
    'tokenIntents.get',
    async ({ backend, payloads }) => {
      const { tokenIntent } = await backend.googlePay.create({ googlePaymentData: payloads.googleCard })
      return () => backend.tokenIntents.get(tokenIntent?.id ?? '')
    },
  ],
  [
    'threeds.sessions.create',
    async ({ backend }) => {
      const { id: tokenId = '' } = await backend.tokens.create({ type: 'card', data: challengedCard })
      const callbackUrls = { success: 'https://shop.example.com/a', failure: 'https://shop.example.com/b' }
      const shown = { device: 'browser', deviceInfo: browserInfo, webChallengeMode: 'redirect', callbackUrls }
      return () => backend.threeds.sessions.create({ tokenId, ...shown, authenticationRequest: payment })
    },
  ],
  [
    'threeds.sessions.create',
    async ({ backend }) => {
      const { id: tokenId = '' } = await backend.tokens.create({ type: 'card', data: coBadgedCard })
      return () => backend.threeds.sessions.create({ tokenId, device: 'browser', deviceInfo: browserInfo })
    },
  ],
  [
    'threeds.sessions.get',
    (clients) =>
      readAuthenticated(clients, coBadgedCard.number, {}, { device: 'browser', deviceInfo: browserInfo }),
  ],
  [
    'threeds.sessions.getChallengeResult',
    async ({ backend }) => {
      const { sessions } = backend.threeds
      const { id: tokenId = '' } = await backend.tokens.create({ type: 'card', data: challengedCard })
      const { id = '' } = await sessions.create({ tokenId, device: 'browser', deviceInfo: browserInfo })
      await passChallenge((await sessions.authenticate(id, payment)).acsChallengeUrl, 'cancel')
      return () => sessions.getChallengeResult(id)
    },
  ],
  ...[
    ['4000020000000000', { challengePreference: 'challenge-requested-whitelist-prompt' }, 'app'] as const,
    ['4264281511112228', { challengePreference: 'challenge-requested' }, 'browser'] as const,
    ['5405001111111116', { messageExtensions: [extension] }, 'browser'] as const,
  ].map(([number, more, device]) => {
    const session =
      device === 'app'
        ? { device, deviceInfo: appInfo, metadata: { a: 'b' } }
        : { device, deviceInfo: browserInfo, webChallengeMode: 'redirect' }
    const readSession: Scenario = (clients) => readAuthenticated(clients, number, more, session)
    return ['threeds.sessions.get', readSession] as const
  }),
]
