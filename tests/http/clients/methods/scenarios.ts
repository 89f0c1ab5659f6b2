import { randomUUID } from 'node:crypto'
import type { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect } from 'vitest'
import { createEligibleCard } from '../../../network-tokens.ts'
import { googleFiles, merchantFiles, processorFiles } from '../../../wallets.ts'
import { card, challengedCard, deviceInfo, passChallenge, payment } from '../start.ts'

/** Clients with the keys that the scenarios need. */
export type ScenarioClients = {
  readonly management: BasisTheoryClient
  readonly backend: BasisTheoryClient
  readonly browser: BasisTheoryClient
  /** Payments that the vault decrypts. */
  readonly payloads: {
    readonly apple: BasisTheory.ApplePayMethodToken
    readonly google: BasisTheory.GooglePayMethodToken
    /** A card that Google did not tokenize. */
    readonly googleCard: BasisTheory.GooglePayMethodToken
  }
}

/** Prepares what a method needs, and returns the call of the method itself. */
export type Scenario = (clients: ScenarioClients) => Promise<() => PromiseLike<unknown>>

const code = 'module.exports = async function (req) { return { raw: req.args, tokenize: { kept: "x" } } }'
const proxyInput = {
  name: 'Pay',
  destinationUrl: 'https://echo.coffer.test',
  requestTransforms: [{ type: 'append_header', options: { location: 'X-A', value: 'b' } }],
  configuration: { a: 'b' },
  requireAuth: true,
  disableDetokenization: false,
}
const reactorInput = { name: 'Echo', code, configuration: { a: 'b' } }
const hook = { name: 'Hook', url: 'https://hooks.coffer.test/in', events: ['token.created'] }
const email = 'somebody@example.com'
const connection = { strategy: 'okta', options: { domainAliases: ['example.com'] } }
const device = { device: 'browser', deviceInfo: { ...deviceInfo, browserTz: '-60' } }
/** Merchants have different names. */
const createMerchantInput = () => ({
  name: randomUUID(),
  details: {
    merchant: {
      fullLegalName: 'Shop Ltd',
      address: { street1: '1 Test Lane', postalCode: '12345' },
      registration: { vatId: 'GB1' },
    },
    cardNetworkInfo: { visa: { cardAcceptorIdCaid: '1' }, amex: { seNumber: '2' } },
  },
})

const requireId = ({ id }: { readonly id?: string }) => {
  if (id === undefined) throw new Error('The answer has no id.')
  return id
}

const makeApplication = async ({ management }: ScenarioClients) => {
  const { applications } = management
  return requireId(
    await applications.create({ name: 'Shop', type: 'private', permissions: ['token:create'] }),
  )
}
const makeApplicationKey = async (clients: ScenarioClients) => {
  const application = await makeApplication(clients)
  return [application, requireId(await clients.management.applicationKeys.create(application))] as const
}
const makeDocument = async ({ backend }: ScenarioClients) => {
  const document = new Blob(['Hello World'], { type: 'text/plain' })
  return requireId(await backend.documents.upload({ document, request: { metadata: { a: 'b' } } }))
}
const makeInvitation = async ({ management }: ScenarioClients) =>
  requireId(await management.tenants.invitations.create({ email, role: 'READ_ONLY' }))
const makeClientKey = async ({ management }: ScenarioClients) => (await management.keys.create()).keyId ?? ''
const makeMerchant = async ({ management }: ScenarioClients) =>
  requireId(await management.tenants.merchants.create('self', createMerchantInput()))
const makeJob = async ({ backend }: ScenarioClients) => (await backend.accountUpdater.jobs.create()).id
const makeProxy = async ({ management }: ScenarioClients) =>
  requireId(await management.proxies.create(proxyInput))
const makeReactor = async ({ management }: ScenarioClients) =>
  requireId(await management.reactors.create(reactorInput))
/** Waits until a run that was not waited for has ended. */
const awaitResult = async ({ backend }: ScenarioClients, id: string, request = '') =>
  expect.poll(() => backend.reactors.results.get(id, request).catch(() => null)).not.toBeNull()
const makeToken = async ({ backend }: ScenarioClients) =>
  requireId(await backend.tokens.create({ type: 'card', data: card, searchIndexes: ['{{ data.number }}'] }))
const makeIntent = async ({ backend }: ScenarioClients) =>
  requireId(await backend.tokenIntents.create({ type: 'card', data: card }))
const makeSession = async ({ backend }: ScenarioClients) => {
  const tokenId = requireId(await backend.tokens.create({ type: 'card', data: challengedCard }))
  return requireId(await backend.threeds.sessions.create({ tokenId, ...device }))
}
const makeWebhook = async ({ management }: ScenarioClients) =>
  (await management.webhooks.create({ ...hook, notifyEmail: email })).id
const findOwner = async ({ management }: ScenarioClients) => requireId(await management.tenants.owner.get())

const domain = 'shop.example.com'
const appleCertificates = {
  paymentProcessorCertificateData: processorFiles.payment_processor_certificate_data,
  paymentProcessorCertificatePassword: processorFiles.payment_processor_certificate_password,
  merchantCertificateData: merchantFiles.merchant_certificate_data,
  merchantCertificatePassword: merchantFiles.merchant_certificate_password,
  domain,
}
const googleCertificate = {
  merchantCertificateData: googleFiles.merchant_certificate_data,
  merchantCertificatePassword: googleFiles.merchant_certificate_password,
}
const makeNetworkToken = async ({ backend }: ScenarioClients) => {
  const tokenId = requireId(await backend.tokens.create({ type: 'card', data: createEligibleCard() }))
  return requireId(await backend.networkTokens.create({ tokenId }))
}
type WalletName = 'applePay' | 'googlePay'
const makeApplePayment = async ({ backend, payloads }: ScenarioClients) => {
  const { applePay = {} } = await backend.applePay.create({ applePaymentData: payloads.apple })
  return requireId(applePay)
}
const makeGooglePayment = async ({ backend, payloads }: ScenarioClients) => {
  const { googlePay = {} } = await backend.googlePay.create({ googlePaymentData: payloads.google })
  return requireId(googlePay)
}
const makeWalletMerchant = async ({ management }: ScenarioClients, wallet: WalletName) =>
  requireId(await management[wallet].merchant.create({ merchantIdentifier: 'merchant.com.example.shop' }))
const makeCertificates = async (clients: ScenarioClients, wallet: WalletName) => {
  const merchant = await makeWalletMerchant(clients, wallet)
  const { applePay, googlePay } = clients.management
  const certificates =
    wallet === 'applePay'
      ? await applePay.merchant.certificates.create(merchant, appleCertificates)
      : await googlePay.merchant.certificates.create(merchant, googleCertificate)
  return [merchant, requireId(certificates)] as const
}

export const deviceContext = {
  screenHeight: 1080,
  screenWidth: 1920,
  userAgentString: 'Mozilla/5.0',
  languageCode: 'en-US',
  timeZone: 'Europe/Berlin',
  javaScriptEnabled: true,
  clientDeviceId: 'device-1',
  clientReferenceId: 'reference-1',
  platformType: 'WEB',
  colorDepth: 24,
  acceptHeader: '*/*',
  ipAddress: '127.0.0.1',
  sessionContext: { secureToken: 'a' },
} as const
const shopper = { email, id: 'ada', countryCode: 'US', languageCode: 'en' }
const merchant = { name: 'Railway', url: 'https://example.com', countryCode: 'US', categoryCode: '4112' }
const agentInput = {
  name: 'Travel',
  instanceDetails: { ipAddress: '127.0.0.1', brand: 'Ada', type: 'laptop' },
} as const
const instructionInput = {
  amount: { value: '25.00', currency: 'USD' },
  description: 'A train ticket',
  expiresAt: new Date('2031-01-01'),
  recurring: { frequency: 'monthly' },
  instanceDetails: agentInput.instanceDetails,
  assuranceData: { a: 'b' },
} as const
const makeAgent = async ({ backend }: ScenarioClients) =>
  requireId(await backend.agentic.agents.create(agentInput))
/** The cards of a code, without a code, and whose first enrollment fails. */
export const agenticCards = {
  code: '4000020000000000',
  direct: '4000056655665556',
  failing: '4000000000003063',
}
const makeAgenticToken = async ({ backend }: ScenarioClients, number: string) =>
  requireId(await backend.tokens.create({ type: 'card', data: { ...card, number } }))
const verifySteps = ['start', 'method', 'otp', 'complete'] as const
/** Enrolls a card, and verifies it up to a step. */
export const makeEnrollment = async (
  clients: ScenarioClients,
  number: string,
  until?: (typeof verifySteps)[number],
) => {
  const { enrollments } = clients.backend.agentic
  const tokenId = await makeAgenticToken(clients, number)
  const { verify } = enrollments
  const id = requireId(await enrollments.create({ tokenId, consumer: shopper }))
  const calls = [
    () => verify.start(id, { deviceContext }),
    () => verify.method(id, { methodId: 'email' }),
    () => verify.otp(id, { otpCode: '123456' }),
    () => verify.complete(id),
  ]
  const taken = until === undefined ? 0 : verifySteps.indexOf(until) + 1
  for (const takeStep of calls.slice(0, taken)) await takeStep()
  return id
}
export const makeInstruction = async (clients: ScenarioClients, number: string) => {
  const enrollmentId = await makeEnrollment(
    clients,
    number,
    number === agenticCards.direct ? 'start' : 'complete',
  )
  const agentId = await makeAgent(clients)
  const { instructions } = clients.backend.agentic.agents
  return [
    agentId,
    requireId(await instructions.create(agentId, { enrollmentId, ...instructionInput })),
  ] as const
}

/** The methods of merchants, which both wallets have. */
const createMerchantScenarios = (wallet: WalletName): Readonly<Record<string, Scenario>> => ({
  [`${wallet}.merchant.create`]:
    async ({ management }) =>
    () =>
      management[wallet].merchant.create({ merchantIdentifier: 'merchant.com.example.shop' }),
  [`${wallet}.merchant.delete`]: async (clients) => {
    const id = await makeWalletMerchant(clients, wallet)
    return () => clients.management[wallet].merchant.delete(id)
  },
  [`${wallet}.merchant.get`]: async (clients) => {
    const id = await makeWalletMerchant(clients, wallet)
    return () => clients.management[wallet].merchant.get(id)
  },
  [`${wallet}.merchant.certificates.delete`]: async (clients) => {
    const ids = await makeCertificates(clients, wallet)
    return () => clients.management[wallet].merchant.certificates.delete(...ids)
  },
  [`${wallet}.merchant.certificates.get`]: async (clients) => {
    const ids = await makeCertificates(clients, wallet)
    return () => clients.management[wallet].merchant.certificates.get(...ids)
  },
})

/** The methods that a rule refuses, with that rule. */
export const refused: Readonly<Record<string, string>> = {
  'tenants.members.delete': 'M-01',
  'tenants.self.delete': 'M-01',
}

/** One call of each method whose area is built. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'accountUpdater.jobs.create':
    async ({ backend }) =>
    () =>
      backend.accountUpdater.jobs.create({ deduplicateTokens: true, resultVersion: '1.2' }),
  'accountUpdater.jobs.get': async (clients) => {
    const id = await makeJob(clients)
    return () => clients.backend.accountUpdater.jobs.get(id)
  },
  'accountUpdater.jobs.list': async (clients) => {
    await makeJob(clients)
    return () => clients.backend.accountUpdater.jobs.list({ size: 5 })
  },
  'accountUpdater.realTime.invoke': async ({ backend }) => {
    const data = { number: '4111111111111111', expiration_month: 12, expiration_year: 2023 }
    const tokenId = requireId(await backend.tokens.create({ type: 'card', data }))
    return () => backend.accountUpdater.realTime.invoke({ tokenId, expirationYear: 2030 })
  },
  'agentic.agents.create':
    async ({ backend }) =>
    () =>
      backend.agentic.agents.create(agentInput),
  'agentic.agents.delete': async (clients) => {
    const id = await makeAgent(clients)
    return () => clients.backend.agentic.agents.delete(id)
  },
  'agentic.agents.get': async (clients) => {
    const id = await makeAgent(clients)
    return () => clients.backend.agentic.agents.get(id)
  },
  'agentic.agents.update': async (clients) => {
    const [id, enrollment] = [await makeAgent(clients), await makeEnrollment(clients, agenticCards.code)]
    return () => clients.backend.agentic.agents.update(id, { ...agentInput, enrollmentIds: [enrollment] })
  },
  'agentic.agents.instructions.create': async (clients) => {
    const [id, enrollmentId] = [
      await makeAgent(clients),
      await makeEnrollment(clients, agenticCards.direct, 'start'),
    ]
    const { instructions } = clients.backend.agentic.agents
    return () => instructions.create(id, { enrollmentId, ...instructionInput })
  },
  'agentic.agents.instructions.delete': async (clients) => {
    const ids = await makeInstruction(clients, agenticCards.direct)
    return () => clients.backend.agentic.agents.instructions.delete(...ids)
  },
  'agentic.agents.instructions.get': async (clients) => {
    const ids = await makeInstruction(clients, agenticCards.direct)
    return () => clients.backend.agentic.agents.instructions.get(...ids)
  },
  'agentic.agents.instructions.list': async (clients) => {
    const [agentId] = await makeInstruction(clients, agenticCards.direct)
    return () => clients.backend.agentic.agents.instructions.list(agentId, { limit: 5 })
  },
  'agentic.agents.instructions.update': async (clients) => {
    const ids = await makeInstruction(clients, agenticCards.direct)
    const { amount, description, expiresAt } = instructionInput
    const { instructions } = clients.backend.agentic.agents
    return () => instructions.update(...ids, { amount, description, expiresAt })
  },
  'agentic.agents.instructions.credentials.create': async (clients) => {
    const ids = await makeInstruction(clients, agenticCards.direct)
    const { credentials, verify } = clients.backend.agentic.agents.instructions
    await verify.start(...ids, { deviceContext })
    return () =>
      credentials.create(...ids, {
        merchant,
        products: [{ name: 'Ticket', price: 25, quantity: 1 }],
        amount: instructionInput.amount,
        deliveryMethod: 'electronic',
        shippingAddress: {
          line1: '1 Test Lane',
          city: 'Springfield',
          state: 'IL',
          postalCode: '62701',
          countryCode: 'US',
        },
      })
  },
  'agentic.agents.instructions.verify.passkey': async (clients) => {
    const ids = await makeInstruction(clients, agenticCards.code)
    const { verify } = clients.backend.agentic.agents.instructions
    await verify.start(...ids, { deviceContext })
    return () => verify.passkey(...ids, { assuranceData: { a: 'b' }, srcCorrelationId: 'a', flowId: 'b' })
  },
  'agentic.agents.instructions.verify.start': async (clients) => {
    const ids = await makeInstruction(clients, agenticCards.code)
    const { verify } = clients.backend.agentic.agents.instructions
    return () => verify.start(...ids, { deviceContext })
  },
  'agentic.enrollments.create': async (clients) => {
    const [agentId, tokenId] = [
      await makeAgent(clients),
      await makeAgenticToken(clients, agenticCards.direct),
    ]
    const { enrollments } = clients.backend.agentic
    return () =>
      enrollments.create({
        tokenId,
        consumer: shopper,
        agentIds: [agentId],
        walletName: 'Wallet',
        type: 'agentic',
      })
  },
  'agentic.enrollments.delete': async (clients) => {
    const id = await makeEnrollment(clients, agenticCards.code)
    return () => clients.backend.agentic.enrollments.delete(id)
  },
  'agentic.enrollments.get': async (clients) => {
    const id = await makeEnrollment(clients, agenticCards.code)
    return () => clients.backend.agentic.enrollments.get(id)
  },
  'agentic.enrollments.list': async (clients) => {
    for (const _ of 'ab') await makeEnrollment(clients, agenticCards.code)
    return () => clients.backend.agentic.enrollments.list({ limit: 1 })
  },
  'agentic.enrollments.retry': async (clients) => {
    const { enrollments } = clients.backend.agentic
    await makeEnrollment(clients, agenticCards.failing).catch(() => {})
    const [failed = {}] = (await enrollments.list({ limit: 1 })).data
    return () => enrollments.retry(requireId(failed))
  },
  'agentic.enrollments.verify.complete': async (clients) => {
    const id = await makeEnrollment(clients, agenticCards.code, 'otp')
    const request = { assuranceData: { a: 'b' }, srcCorrelationId: 'a' }
    return () => clients.backend.agentic.enrollments.verify.complete(id, request)
  },
  'agentic.enrollments.verify.method': async (clients) => {
    const id = await makeEnrollment(clients, agenticCards.code, 'start')
    return () => clients.backend.agentic.enrollments.verify.method(id, { methodId: 'email' })
  },
  'agentic.enrollments.verify.otp': async (clients) => {
    const id = await makeEnrollment(clients, agenticCards.code, 'method')
    return () => clients.backend.agentic.enrollments.verify.otp(id, { otpCode: '123456' })
  },
  'agentic.enrollments.verify.start': async (clients) => {
    const id = await makeEnrollment(clients, agenticCards.code)
    return () => clients.backend.agentic.enrollments.verify.start(id, { deviceContext })
  },
  'applePay.create':
    async ({ backend, payloads }) =>
    () =>
      backend.applePay.create({ applePaymentData: payloads.apple }),
  'applePay.delete': async (clients) => {
    const id = await makeApplePayment(clients)
    return () => clients.backend.applePay.delete(id)
  },
  'applePay.get': async (clients) => {
    const id = await makeApplePayment(clients)
    return () => clients.backend.applePay.get(id)
  },
  'applePay.domain.deregister':
    async ({ management }) =>
    () =>
      management.applePay.domain.deregister({ domain }),
  'applePay.domain.get':
    async ({ management }) =>
    () =>
      management.applePay.domain.get(),
  'applePay.domain.register':
    async ({ management }) =>
    () =>
      management.applePay.domain.register({ domain }),
  'applePay.domain.registerAll':
    async ({ management }) =>
    () =>
      management.applePay.domain.registerAll({ domains: [domain] }),
  'applePay.session.create': async ({ backend, management }) => {
    await management.applePay.domain.register({ domain })
    return () => backend.applePay.session.create({ domain, displayName: 'Shop' })
  },
  ...createMerchantScenarios('applePay'),
  'applePay.merchant.certificates.create': async (clients) => {
    const id = await makeWalletMerchant(clients, 'applePay')
    return () => clients.management.applePay.merchant.certificates.create(id, appleCertificates)
  },
  'applications.create': async ({ management }) => {
    const rule = {
      description: 'd',
      priority: 1,
      container: '/',
      transform: 'mask',
      permissions: ['token:read'],
    }
    return () => management.applications.create({ name: 'A', type: 'private', rules: [rule] })
  },
  'applications.delete': async (clients) => {
    const id = await makeApplication(clients)
    return () => clients.management.applications.delete(id)
  },
  'applications.get': async (clients) => {
    const id = await makeApplication(clients)
    return () => clients.management.applications.get(id)
  },
  'applications.getByKey':
    async ({ backend }) =>
    () =>
      backend.applications.getByKey(),
  'applications.list':
    async ({ management }) =>
    () =>
      management.applications.list({ page: 1, size: 5, start: 'x' }),
  'applications.update': async (clients) => {
    const id = await makeApplication(clients)
    return () => clients.management.applications.update(id, { name: 'B', permissions: ['token:read'] })
  },
  'applicationKeys.create': async (clients) => {
    const id = await makeApplication(clients)
    return () => clients.management.applicationKeys.create(id)
  },
  'applicationKeys.delete': async (clients) => {
    const ids = await makeApplicationKey(clients)
    return () => clients.management.applicationKeys.delete(...ids)
  },
  'applicationKeys.get': async (clients) => {
    const ids = await makeApplicationKey(clients)
    return () => clients.management.applicationKeys.get(...ids)
  },
  'applicationKeys.list': async (clients) => {
    const [id, keyId] = await makeApplicationKey(clients)
    return () => clients.management.applicationKeys.list(id, { id: keyId, type: 'private' })
  },
  'applicationTemplates.get': async ({ management }) => {
    const [template] = await management.applicationTemplates.list()
    return () => management.applicationTemplates.get(template?.id ?? '')
  },
  'applicationTemplates.list':
    async ({ management }) =>
    () =>
      management.applicationTemplates.list(),
  'documents.data.get': async (clients) => {
    const id = await makeDocument(clients)
    return () => clients.backend.documents.data.get(id)
  },
  'documents.delete': async (clients) => {
    const id = await makeDocument(clients)
    return () => clients.backend.documents.delete(id)
  },
  'documents.get': async (clients) => {
    const id = await makeDocument(clients)
    return () => clients.backend.documents.get(id)
  },
  'documents.upload':
    async ({ backend }) =>
    () =>
      backend.documents.upload({ document: new Blob(['x']), request: { metadata: { a: 'b' } } }),
  'enrichments.bankAccountVerify': async ({ backend }) => {
    const data = { routing_number: '021000021', account_number: '00001' }
    const tokenId = requireId(await backend.tokens.create({ type: 'bank', data }))
    return () => backend.enrichments.bankAccountVerify({ tokenId, countryCode: 'US' })
  },
  'enrichments.getcarddetails':
    async ({ backend }) =>
    () =>
      backend.enrichments.getcarddetails({ bin: '424242' }),
  'googlePay.create':
    async ({ backend, payloads }) =>
    () =>
      backend.googlePay.create({ googlePaymentData: payloads.google }),
  'googlePay.delete': async (clients) => {
    const id = await makeGooglePayment(clients)
    return () => clients.backend.googlePay.delete(id)
  },
  'googlePay.get': async (clients) => {
    const id = await makeGooglePayment(clients)
    return () => clients.backend.googlePay.get(id)
  },
  ...createMerchantScenarios('googlePay'),
  'googlePay.merchant.certificates.create': async (clients) => {
    const id = await makeWalletMerchant(clients, 'googlePay')
    return () => clients.management.googlePay.merchant.certificates.create(id, googleCertificate)
  },
  'keys.create':
    async ({ management }) =>
    () =>
      management.keys.create({ expiresAt: new Date('2031-01-01') }),
  'keys.delete': async (clients) => {
    const id = await makeClientKey(clients)
    return () => clients.management.keys.delete(id)
  },
  'keys.get': async (clients) => {
    const id = await makeClientKey(clients)
    return () => clients.management.keys.get(id)
  },
  'keys.list': async (clients) => {
    await makeClientKey(clients)
    return () => clients.management.keys.list()
  },
  'logs.getEntityTypes':
    async ({ management }) =>
    () =>
      management.logs.getEntityTypes(),
  'logs.list': async (clients) => {
    const entityId = await makeToken(clients)
    return () => clients.management.logs.list({ entityType: 'token', entityId, size: 5 })
  },
  'networkTokens.account.get': async (clients) => {
    const id = await makeNetworkToken(clients)
    return () => clients.backend.networkTokens.account.get(id)
  },
  'networkTokens.create': async ({ backend }) => {
    const data = createEligibleCard()
    const { id: tokenIntentId = '' } = await backend.tokenIntents.create({ type: 'card', data })
    return () => backend.networkTokens.create({ tokenIntentId, cardholderInfo: { name: 'Ada' } })
  },
  'networkTokens.cryptogram': async (clients) => {
    const id = await makeNetworkToken(clients)
    return () => clients.backend.networkTokens.cryptogram(id)
  },
  'networkTokens.delete': async (clients) => {
    const id = await makeNetworkToken(clients)
    return () => clients.backend.networkTokens.delete(id)
  },
  'networkTokens.get': async (clients) => {
    const id = await makeNetworkToken(clients)
    return () => clients.backend.networkTokens.get(id)
  },
  'networkTokens.resume': async (clients) => {
    const id = await makeNetworkToken(clients)
    await clients.backend.networkTokens.suspend(id)
    return () => clients.backend.networkTokens.resume(id)
  },
  'networkTokens.suspend': async (clients) => {
    const id = await makeNetworkToken(clients)
    return () => clients.backend.networkTokens.suspend(id)
  },
  'permissions.list':
    async ({ management }) =>
    () =>
      management.permissions.list({ applicationType: 'public' }),
  'proxies.create': async (clients) => {
    const application = await clients.management.applications.get(await makeApplication(clients))
    return () => clients.management.proxies.create({ ...proxyInput, application })
  },
  'proxies.delete': async (clients) => {
    const id = await makeProxy(clients)
    return () => clients.management.proxies.delete(id)
  },
  'proxies.get': async (clients) => {
    const id = await makeProxy(clients)
    await clients.management.proxies.patch(id, { name: 'Changed' })
    return () => clients.management.proxies.get(id)
  },
  'proxies.list': async (clients) => {
    await makeProxy(clients)
    return () => clients.management.proxies.list({ page: 1, size: 5, start: 'x' })
  },
  'proxies.patch': async (clients) => {
    const id = await makeProxy(clients)
    return () => clients.management.proxies.patch(id, { name: 'Changed' })
  },
  'proxies.update': async (clients) => {
    const id = await makeProxy(clients)
    const requestTransform = { code }
    const { requestTransforms: _, ...input } = proxyInput
    return () => clients.management.proxies.update(id, { ...input, requestTransform })
  },
  'reactors.create': async (clients) => {
    const application = await clients.management.applications.get(await makeApplication(clients))
    const runtime = { image: 'node22', dependencies: { 'not-installed': '1.0.0' }, timeout: 10 }
    return () => clients.management.reactors.create({ ...reactorInput, application, runtime })
  },
  'reactors.delete': async (clients) => {
    const id = await makeReactor(clients)
    return () => clients.management.reactors.delete(id)
  },
  'reactors.get': async (clients) => {
    const id = await makeReactor(clients)
    await clients.management.reactors.patch(id, { name: 'Changed' })
    return () => clients.management.reactors.get(id)
  },
  'reactors.list': async (clients) => {
    await makeReactor(clients)
    return () => clients.management.reactors.list({ page: 1, size: 5, start: 'x' })
  },
  'reactors.patch': async (clients) => {
    const id = await makeReactor(clients)
    return () => clients.management.reactors.patch(id, { name: 'Changed' })
  },
  'reactors.react': async (clients) => {
    const id = await makeReactor(clients)
    return () => clients.backend.reactors.react(id, { args: { a: 1 } })
  },
  'reactors.reactAsync': async (clients) => {
    const id = await makeReactor(clients)
    const { reactors } = clients.backend
    return async () => {
      const answer = await reactors.reactAsync(id, { args: { a: 1 } }).withRawResponse()
      await awaitResult(clients, id, answer.data.asyncReactorRequestId)
      return answer
    }
  },
  'reactors.results.get': async (clients) => {
    const id = await makeReactor(clients)
    const { reactors } = clients.backend
    const { asyncReactorRequestId = '' } = await reactors.reactAsync(id, { args: { a: 1 } })
    await awaitResult(clients, id, asyncReactorRequestId)
    return () => reactors.results.get(id, asyncReactorRequestId)
  },
  'reactors.update': async (clients) => {
    const id = await makeReactor(clients)
    return () => clients.management.reactors.update(id, reactorInput)
  },
  'roles.list':
    async ({ management }) =>
    () =>
      management.roles.list(),
  'sessions.authorize': async ({ browser, backend }) => {
    const { nonce = '' } = await browser.sessions.create()
    return () => backend.sessions.authorize({ nonce, permissions: ['token:read'] })
  },
  'sessions.create':
    async ({ browser }) =>
    () =>
      browser.sessions.create(),
  'tenants.connections.create':
    async ({ management }) =>
    () =>
      management.tenants.connections.create(connection),
  'tenants.connections.delete': async ({ management }) => {
    await management.tenants.connections.create(connection)
    return () => management.tenants.connections.delete()
  },
  'tenants.invitations.create':
    async ({ management }) =>
    () =>
      management.tenants.invitations.create({ email, role: 'READ_ONLY' }),
  'tenants.invitations.delete': async (clients) => {
    const id = await makeInvitation(clients)
    return () => clients.management.tenants.invitations.delete(id)
  },
  'tenants.invitations.get': async (clients) => {
    const id = await makeInvitation(clients)
    return () => clients.management.tenants.invitations.get(id)
  },
  'tenants.invitations.list': async (clients) => {
    await makeInvitation(clients)
    return () => clients.management.tenants.invitations.list({ page: 1, size: 5, start: 'x' })
  },
  'tenants.invitations.resend': async (clients) => {
    const id = await makeInvitation(clients)
    return () => clients.management.tenants.invitations.resend(id)
  },
  'tenants.members.delete': async (clients) => {
    const id = await findOwner(clients)
    return () => clients.management.tenants.members.delete(id)
  },
  'tenants.members.list':
    async ({ management }) =>
    () =>
      management.tenants.members.list({ page: 1 }),
  'tenants.members.update': async (clients) => {
    const id = await findOwner(clients)
    return () => clients.management.tenants.members.update(id, { role: 'OWNER' })
  },
  'tenants.merchants.create':
    async ({ management }) =>
    () =>
      management.tenants.merchants.create('self', createMerchantInput()),
  'tenants.merchants.delete': async (clients) => {
    const id = await makeMerchant(clients)
    return () => clients.management.tenants.merchants.delete('self', id)
  },
  'tenants.merchants.get': async (clients) => {
    const id = await makeMerchant(clients)
    return () => clients.management.tenants.merchants.get('self', id)
  },
  'tenants.merchants.list': async (clients) => {
    await makeMerchant(clients)
    return () => clients.management.tenants.merchants.list('self', { size: 5 })
  },
  'tenants.merchants.requestOnboarding': async (clients) => {
    const id = await makeMerchant(clients)
    return () => clients.management.tenants.merchants.requestOnboarding('self', id)
  },
  'tenants.merchants.update': async (clients) => {
    const id = await makeMerchant(clients)
    return () => clients.management.tenants.merchants.update('self', id, createMerchantInput())
  },
  'tenants.owner.get':
    async ({ management }) =>
    () =>
      management.tenants.owner.get(),
  'tenants.ownerTransfer': async (clients) => {
    const memberId = await findOwner(clients)
    return () => clients.management.tenants.ownerTransfer({ memberId })
  },
  'tenants.securityContact.get': async ({ management }) => {
    await management.tenants.securityContact.update({ email })
    return () => management.tenants.securityContact.get()
  },
  'tenants.securityContact.update':
    async ({ management }) =>
    () =>
      management.tenants.securityContact.update({ email }),
  'tenants.self.delete':
    async ({ management }) =>
    () =>
      management.tenants.self.delete(),
  'tenants.self.get':
    async ({ management }) =>
    () =>
      management.tenants.self.get(),
  'tenants.self.getUsageReports': async (clients) => {
    await makeToken(clients)
    return () => clients.management.tenants.self.getUsageReports()
  },
  'tenants.self.update':
    async ({ management }) =>
    () =>
      management.tenants.self.update({ name: 'Shop', settings: { deduplicate_tokens: 'false' } }),
  'threeds.sessions.authenticate': async (clients) => {
    const id = await makeSession(clients)
    return () => clients.backend.threeds.sessions.authenticate(id, payment)
  },
  'threeds.sessions.create': async (clients) => {
    const tokenId = await makeToken(clients)
    return () => clients.backend.threeds.sessions.create({ tokenId, ...device, metadata: { a: 'b' } })
  },
  'threeds.sessions.get': async (clients) => {
    const id = await makeSession(clients)
    await clients.backend.threeds.sessions.authenticate(id, payment)
    return () => clients.backend.threeds.sessions.get(id)
  },
  'threeds.sessions.getChallengeResult': async (clients) => {
    const { sessions } = clients.backend.threeds
    const id = await makeSession(clients)
    const { acsChallengeUrl } = await sessions.authenticate(id, payment)
    await passChallenge(acsChallengeUrl)
    return () => sessions.getChallengeResult(id)
  },
  'tokenIntents.create':
    async ({ backend }) =>
    () =>
      backend.tokenIntents.create({ type: 'card', data: card }),
  'tokenIntents.delete': async (clients) => {
    const id = await makeIntent(clients)
    return () => clients.backend.tokenIntents.delete(id)
  },
  'tokenIntents.get': async (clients) => {
    const id = await makeIntent(clients)
    return () => clients.backend.tokenIntents.get(id)
  },
  'tokens.create':
    async ({ backend }) =>
    () =>
      backend.tokens.create({
        type: 'card',
        data: card,
        mask: '{{ data.number | reveal_last: 4 }}',
        metadata: { a: 'b' },
        searchIndexes: ['{{ data.number }}'],
        fingerprintExpression: '{{ data.number }}',
        expiresAt: '2031-01-01',
        containers: ['/pci/high/'],
        deduplicateToken: false,
      }),
  'tokens.delete': async (clients) => {
    const id = await makeToken(clients)
    return () => clients.backend.tokens.delete(id)
  },
  'tokens.detokenize': async (clients) => {
    const id = await makeToken(clients)
    return () => clients.backend.tokens.detokenize({ number: `{{ ${id} | json: '$.number' }}` })
  },
  'tokens.get': async (clients) => {
    const data = { routing_number: '021000021', account_number: '00001' }
    const id = requireId(await clients.backend.tokens.create({ type: 'bank', data }))
    return () => clients.backend.tokens.get(id)
  },
  'tokens.listV2': async (clients) => {
    await makeToken(clients)
    return () => clients.backend.tokens.listV2({ type: 'card', size: 5 })
  },
  'tokens.searchV2': async (clients) => {
    await makeToken(clients)
    return () => clients.backend.tokens.searchV2({ query: `data:${card.number}`, size: 5 })
  },
  'tokens.tokenize':
    async ({ backend }) =>
    () =>
      backend.tokens.tokenize({ name: 'Ada' }),
  'tokens.update': async (clients) => {
    const id = await makeToken(clients)
    return () => clients.backend.tokens.update(id, { metadata: { a: 'c' } })
  },
  'webhooks.create':
    async ({ management }) =>
    () =>
      management.webhooks.create({ ...hook, notifyEmail: email }),
  'webhooks.delete': async (clients) => {
    const id = await makeWebhook(clients)
    return () => clients.management.webhooks.delete(id)
  },
  'webhooks.events.list':
    async ({ management }) =>
    () =>
      management.webhooks.events.list(),
  'webhooks.get': async (clients) => {
    const id = await makeWebhook(clients)
    return () => clients.management.webhooks.get(id)
  },
  'webhooks.list':
    async ({ management }) =>
    () =>
      management.webhooks.list(),
  'webhooks.ping':
    async ({ management }) =>
    () =>
      management.webhooks.ping(),
  'webhooks.update': async (clients) => {
    const id = await makeWebhook(clients)
    return () => clients.management.webhooks.update(id, { ...hook, name: 'Changed', notifyEmail: email })
  },
}
