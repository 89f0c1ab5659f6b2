import { Readable } from 'node:stream'
import type { CallResult } from '../../../electron/engine/index.ts'
import { catalogue } from '../../../electron/engine/index.ts'
import { examples } from '../../../electron/http/examples.ts'
import type { Json } from '../../../shared/json.ts'
import { eventTypes } from '../../../shared/webhook-events.ts'
import {
  consumer,
  createApprovedInstruction,
  createCard,
  createEnrollment,
  createInstruction,
  device_context,
  directCard,
  takeStep,
  visaCard,
} from '../../agentic.ts'
import {
  createSession,
  createToken,
  createWebhook,
  type PreparedAction,
  preparedWrites,
} from '../../engine/prepared-writes.ts'
import { makeDocument } from '../../make-document.ts'
import { browser, createThreeDsClient, payment } from '../../three-ds.ts'
import {
  createApplePayload,
  createGooglePayload,
  createGooglePayment,
  googleFiles,
  processorFiles,
} from '../../wallets.ts'
import type { SimulatedCall, SimulatedVault } from './simulated-vault.ts'

/** Prepares a vault, and returns the input of a call, or the call. */
type Prepare = (vault: SimulatedVault) => Promise<object> | object
type PrepareAction = (vault: SimulatedVault) => Promise<PreparedAction> | PreparedAction

const hour = 3_600_000
const pickOne = <T>({ process }: SimulatedVault, items: readonly T[]): T | undefined =>
  items[Math.floor(process.getRandom() * items.length)]
const formatLater = ({ process }: SimulatedVault, ms: number) => new Date(process.wall + ms).toISOString()
const merchant = { merchant_identifier: 'merchant.com.example.shop' }

async function findId(
  vault: SimulatedVault,
  list: readonly { id: string }[],
  create: () => Promise<{ id: string }>,
) {
  return (vault.process.getRandom() < 0.5 && pickOne(vault, list)) || create()
}

const findToken = async (vault: SimulatedVault) =>
  findId(vault, (await vault.owner.tokens.list({ size: 50 })).data, () => createToken(vault, newToken(vault)))

async function findWebhook(vault: SimulatedVault) {
  const [, ...others] = (await vault.owner.webhooks.list({})).data.toReversed()
  return findId(vault, others, async () => {
    if (others.length > 2) await vault.owner.webhooks.remove({ id: others[0]?.id ?? '' })
    return createWebhook(vault)
  })
}

const createApplication = ({ owner }: SimulatedVault) =>
  owner.applications.create({ name: 'Made', type: 'private', permissions: ['token:read'] })
const createProxy = ({ owner }: SimulatedVault) =>
  owner.proxies.create({ name: 'Made', destination_url: 'https://shop.example.com' })
const createReactor = ({ owner }: SimulatedVault) =>
  owner.reactors.create({ name: 'Made', code: 'module.exports = (req) => ({ raw: req.args })' })

/** Creates an eligible card, which no earlier network token has. */
function newNetworkCard({ process }: SimulatedVault) {
  const digits = `400000${String(Math.floor(process.getRandom() * 1e9)).padStart(9, '0')}`
  const isEven = (at: number) => at % 2 === 0
  const sum = [...digits].reduce((total, digit, at) => {
    const twice = Number(digit) * 2
    return total + (isEven(at) ? (twice > 9 ? twice - 9 : twice) : Number(digit))
  }, 0)
  return { number: `${digits}${(10 - (sum % 10)) % 10}`, expiration_month: 10, expiration_year: 2035 }
}

const createNetworkToken = (vault: SimulatedVault) =>
  vault.owner.networkTokens.create({ data: newNetworkCard(vault) })

/** A token with what only this simulation stores, in one of a few containers. */
function newToken(vault: SimulatedVault) {
  const { process } = vault
  const number = Math.floor(process.getRandom() * 1e9)
  const text = `plain-${number}-${'x'.repeat(process.getRandom() < 0.05 ? 30_000 : 10)}`
  const expires_at =
    process.getRandom() < 0.2 ? formatLater(vault, (1 + process.getRandom() * 48) * hour) : undefined
  return {
    type: 'token',
    data: text,
    containers: [pickOne(vault, ['/', '/a/', '/a/b/', '/b/']) ?? '/'],
    metadata: { lane: String(number % 4) },
    search_indexes: ['{{ data }}'],
    ...(expires_at && { expires_at }),
    ...(process.getRandom() < 0.2 && { deduplicate_token: true }),
  }
}

/** What the ids in a path name, by the path up to its last id. An operation with other needs has its own line. */
const creators: Record<string, Prepare> = {
  '/3ds/sessions/{id}': async ({ owner }) => ({ id: await createThreeDsClient(owner) }),
  'threeDs.getChallengeResult': authenticateThreeDs,
  '/account-updater/jobs/{id}': ({ owner }) => owner.accountUpdaterJobs.create({}),
  '/application-templates/{id}': async ({ owner }) => (await owner.applicationTemplates.list({}))[0] ?? {},
  '/applications/{id}': createApplication,
  '/applications/{id}/keys/{keyId}': findKey,
  '/documents/{id}': async ({ owner }) => ({ id: await makeDocument(owner) }),
  '/keys/{id}': async ({ owner }) => ({ id: (await owner.clientKeys.create({})).key_id }),
  '/agentic/agents/{id}': ({ owner }) => owner.agents.create({ name: 'Made' }),
  '/agentic/agents/{agent_id}': async ({ owner }) => ({
    agent_id: (await owner.agents.create({ name: 'Made' })).id,
  }),
  '/agentic/agents/{agent_id}/instructions/{id}': (vault) => createInstruction(vault, directCard),
  async 'instructions.submitPasskey'(vault) {
    const { agent_id, id } = await createInstruction(vault, visaCard)
    await vault.owner.instructions.startVerification({ agent_id, id, device_context })
    return { agent_id, id }
  },
  'instructions.getCredentials': createApprovedInstruction,
  'instructions.confirm': createApprovedInstruction,
  '/agentic/enrollments/{id}': (vault) => createEnrollment(vault, visaCard),
  async 'enrollments.retry'(vault) {
    await createEnrollment(vault, '4000000000003063').catch(() => {})
    return (await vault.owner.enrollments.list({ limit: 1 })).data[0] ?? {}
  },
  'enrollments.selectMethod': (vault) => createEnrollment(vault, visaCard, 'start'),
  'enrollments.submitOtp': (vault) => createEnrollment(vault, visaCard, 'method'),
  'enrollments.completeVerification': (vault) => createEnrollment(vault, visaCard, 'otp'),
  '/apple-pay/{id}': async (vault) =>
    (await vault.owner.applePay.create(await createApplePayload(vault))).apple_pay,
  '/apple-pay/merchant-registration/{id}': ({ owner }) => owner.applePay.createMerchant(merchant),
  '/apple-pay/merchant-registration/{merchantId}': async ({ owner }) => ({
    merchantId: (await owner.applePay.createMerchant(merchant)).id,
  }),
  async '/apple-pay/merchant-registration/{merchantId}/certificates/{id}'({ owner }) {
    const merchantId = (await owner.applePay.createMerchant(merchant)).id
    return { merchantId, id: (await owner.applePay.createCertificates({ merchantId, ...processorFiles })).id }
  },
  '/google-pay/{id}': createGooglePayment,
  '/google-pay/merchant-registration/{id}': ({ owner }) => owner.googlePay.createMerchant(merchant),
  '/google-pay/merchant-registration/{merchantId}': async ({ owner }) => ({
    merchantId: (await owner.googlePay.createMerchant(merchant)).id,
  }),
  async '/google-pay/merchant-registration/{merchantId}/certificates/{id}'({ owner }) {
    const merchantId = (await owner.googlePay.createMerchant(merchant)).id
    return { merchantId, id: (await owner.googlePay.createCertificates({ merchantId, ...googleFiles })).id }
  },
  '/network-tokens/{id}': createNetworkToken,
  async 'networkTokens.resume'(vault) {
    const { id } = await createNetworkToken(vault)
    return vault.owner.networkTokens.suspend({ id })
  },
  '/proxies/{id}': createProxy,
  '/reactors/{id}': createReactor,
  '/reactors/{id}/results/{request_id}': runAsync,
  '/tenants/self/invitations/{id}': ({ owner }) => owner.invitations.create({ email: 'a@example.com' }),
  '/tenants/self/members/{id}': async ({ owner }) => (await owner.members.list({})).data[0] ?? {},
  '/tenants/{tenant_id}': () => ({ tenant_id: 'self' }),
  async '/tenants/{tenant_id}/merchants/{id}'(vault) {
    const name = vault.process.createUuid()
    return { tenant_id: 'self', id: (await vault.owner.merchants.create({ tenant_id: 'self', name })).id }
  },
  '/token-intents/{id}': ({ owner }) => owner.tokenIntents.create({ type: 'token', data: 'x' }),
  '/tokens/{id}': findToken,
  '/webhooks/{id}': findWebhook,
}

async function authenticateThreeDs({ owner }: SimulatedVault) {
  const id = await createThreeDsClient(owner)
  return { id, ...(await owner.threeDs.authenticate({ id, ...payment })) }
}

async function findKey(vault: SimulatedVault) {
  const { id } = await createApplication(vault)
  return { id, keyId: (await vault.owner.stats.keys({ application_id: id }))[0]?.id }
}

async function runAsync(vault: SimulatedVault) {
  const { id } = await createReactor(vault)
  const answer = await reactReactor(vault, 'reactors.reactAsync', { id, payload: { args: {} } })
  const { asyncReactorRequestId: request_id } = JSON.parse((answer.output as { body: string }).body)
  await vault.process.waitFor(50)
  return { id, request_id }
}

const threeDsCard = { number: '4000020000000000', expiration_month: 12, expiration_year: 2035 }
const createTyped = async ({ owner }: SimulatedVault, type: string, data: Json) =>
  (await owner.tokens.create({ type, data })).id

/** The bodies and queries that are not the documented example. */
const bodies: Record<string, Prepare> = {
  'accountUpdater.invoke': async (vault) => ({
    token_id: await createTyped(vault, 'card', {
      ...{ number: '4111111111111111', expiration_month: 12, expiration_year: 2023 },
    }),
  }),
  'applications.create': () => ({ name: 'Made', type: 'private', permissions: ['token:read'] }),
  'enrollments.create': async (vault) => ({ token_id: await createCard(vault, visaCard), consumer }),
  'instructions.create': async (vault) => ({
    enrollment_id: (await createEnrollment(vault, directCard, 'start')).id,
    amount: { value: '25.00', currency: 'USD' },
    description: 'A train ticket',
    expires_at: '2035-01-01T00:00:00Z',
  }),
  'applePay.create': createApplePayload,
  'applePay.createCertificates': () => processorFiles,
  async 'applePay.createSession'({ owner }) {
    await owner.applePay.replaceDomains({ domains: ['shop.example.com'] })
    return { domain: 'shop.example.com', display_name: 'Shop' }
  },
  async 'applePay.removeDomain'({ owner }) {
    await owner.applePay.replaceDomains({ domains: ['shop.example.com'] })
    return { domain: 'shop.example.com' }
  },
  async 'applePay.createDomain'({ owner }) {
    await owner.applePay.replaceDomains({ domains: [] })
    return { domain: 'shop.example.com' }
  },
  'googlePay.create': createGooglePayload,
  'googlePay.createCertificates': () => googleFiles,
  'enrichments.getCardDetails': () => ({ bin: '424242' }),
  'enrichments.bankAccountVerify': async (vault) => ({
    token_id: await createTyped(vault, 'us_bank_account_number', '00001'),
    routing_number: '021000021',
  }),
  async 'tenantConnections.create'({ owner }) {
    await owner.tenantConnections.remove({}).catch(() => {})
    return { strategy: 'okta', options: { domain_aliases: [] } }
  },
  async 'tenantConnections.remove'({ owner }) {
    await owner.tenantConnections
      .create({ strategy: 'okta', options: { domain_aliases: [] } })
      .catch(() => {})
    return {}
  },
  'merchants.create': ({ process }) => ({ name: process.createUuid() }),
  'merchants.update': ({ process }) => ({ name: process.createUuid() }),
  'members.transferOwner': async ({ owner }) => ({
    member_id: (await owner.members.list({})).data[0]?.id,
  }),
  'networkTokens.create': (vault) => ({ data: newNetworkCard(vault) }),
  'tenants.update': () => ({ name: 'Test', settings: { log_retention_days: '30' } }),
  'threeDs.create': async (vault) => ({
    ...{ token_id: await createTyped(vault, 'card', threeDsCard), device: 'browser', device_info: browser },
  }),
  'tokens.create': newToken,
  'tokens.update': ({ process }) => ({
    ...(process.getRandom() < 0.5 && { data: `plain-${Math.floor(process.getRandom() * 1e9)}` }),
    metadata: { lane: String(Math.floor(process.getRandom() * 4)) },
  }),
  'tokens.detokenize': async (vault) => ({ here: `{{ ${(await findToken(vault)).id} }}` }),
  async 'tokens.tokenize'(vault) {
    const token = newToken(vault)
    // The second token is refused once the first is written.
    return vault.process.getRandom() < 0.5 ? token : [token, { ...token, id: (await findToken(vault)).id }]
  },
  'tokens.listV1': () => ({ size: 5 }),
  'webhooks.create': findNewWebhook,
  'webhooks.update': () => ({ name: 'Hook', url: 'http://localhost:1', events: ['token.updated'] }),
}

async function findNewWebhook(vault: SimulatedVault) {
  const { data } = await vault.owner.webhooks.list({})
  // The oldest receives every event.
  for (const { id } of data.slice(0, -1)) await vault.owner.webhooks.remove({ id })
  return { name: 'Hook', url: 'http://localhost:1', events: ['token.created', 'token.deleted'] }
}

const findAll = { find: {}, size: 10 }
const message = { headers: [], body: null }
const transform = {
  ...{
    side: 'response',
    before: 0,
    transforms: [{ type: 'mask', matcher: 'regex', expression: 'a', replacement: '*' }],
  },
  state: { message, shown: message, secrets: [], made: {} },
}

/** The inputs of the owner's reads. */
const ownerReads: Record<string, Prepare> = {
  'access.decide': () => ({
    ...{ type: 'private', permissions: ['token:read'], rules: [] },
    attempts: [{ permissions: ['token:read'], subjects: [['/a/']] }],
  }),
  'access.explain': async (vault) => ({
    ...{ application_id: (await createApplication(vault)).id, permission: 'token:read', containers: ['/a/'] },
  }),
  'access.preview': () => ({ type: 'private', permissions: ['token:read'], rules: [] }),
  'access.uses': async (vault) => ({ application_id: (await createApplication(vault)).id, days: 7 }),
  'accountUpdaterJobs.readResults': finishJob,
  'deliveries.get': findDelivery,
  'deliveries.list': async (vault) => ({ webhook_id: (await findWebhook(vault)).id }),
  'deliveries.listOfRequest': () => ({ trace_id: 'step-1-0' }),
  'documents.describe': async ({ owner }) => ({ id: await makeDocument(owner) }),
  'documents.list': () => ({ after: 0, size: 10 }),
  'documents.newest': () => ({ size: 10 }),
  'drafts.list': () => ({ kind: 'saved' }),
  async 'enrollments.showRedirect'(vault) {
    const { id } = await createEnrollment(vault, '5555555555554444')
    return { key: (await takeStep(vault, id, 'start')).redirect?.uri.split('/').at(-1) }
  },
  'expressions.preview': () => ({ template: '{{ data }}', data: 'x' }),
  'expressions.previewToken': () => ({ type: 'token', data: 'x' }),
  async 'exchanges.get'(vault) {
    await (await preparedWrites['exchanges.keep']?.(vault))?.()
    return { id: (await vault.owner.exchanges.list({})).data[0]?.id }
  },
  'logs.get': async ({ owner }) => ({ id: (await owner.logs.find({ size: 1 })).data[0]?.id }),
  'palette.evaluate': () => ({ expression: '{{ "a" | upcase }}' }),
  'palette.search': () => ({ text: 'plain' }),
  'proxies.transform': async (vault) => ({ ...transform, proxy_id: (await createProxy(vault)).id }),
  async 'reactorRuns.get'(vault) {
    await (await preparedWrites['reactorRuns.keep']?.(vault))?.()
    return { id: (await vault.owner.reactorRuns.list({})).data[0]?.id }
  },
  async 'sessions.describe'(vault) {
    await createSession(vault)
    return { id: (await vault.owner.sessions.list({})).data[0]?.id }
  },
  'stats.elements': async (vault) => ({ application_id: (await createApplication(vault)).id }),
  'stats.firstSteps': () => ({ names: [], starters: 0 }),
  'stats.requests': () => ({ minutes: 60, buckets: 6 }),
  'threeDs.describe': async ({ owner }) => ({ id: await createThreeDsClient(owner) }),
  'threeDs.showChallenge': async (vault) => {
    const { acs_transaction_id } = await authenticateThreeDs(vault)
    return { acs_transaction_id }
  },
  async 'threeDs.showRedirect'(vault) {
    const callback_urls = { success: 'http://localhost/good', failure: 'http://localhost/bad' }
    const more = { authentication_request: payment, callback_urls }
    return { id: await createThreeDsClient(vault.owner, { more }) }
  },
  'tokens.find': () => ({ ...findAll, sort: 'newest' }),
  'tokens.findCount': () => ({ find: { type: 'token' } }),
  'tokens.findIds': () => findAll,
  'tokens.findPlace': () => ({ find: {}, sort: 'newest', skip: 3 }),
  'tokens.suggest': () => ({ text: 'plain' }),
  'webhooks.getHealth': async (vault) => ({ id: (await findWebhook(vault)).id }),
}

async function finishJob({ owner }: SimulatedVault) {
  const { id, upload_url } = await owner.accountUpdaterJobs.create({})
  const upload_key = upload_url.slice(upload_url.lastIndexOf('/') + 1)
  await owner.accountUpdaterJobs.putPart({ upload_key, number: 0, lines: ['token', 'none'] })
  await owner.accountUpdaterJobs.completeUpload({ upload_key, parts: 1 })
  for (let isDone = false; !isDone; ) isDone = (await owner.accountUpdaterJobs.updateSome({ id })).is_done
  const { download_url = '' } = await owner.accountUpdaterJobs.get({ id })
  return { download_key: String(download_url).slice(String(download_url).lastIndexOf('/') + 1), from: 0 }
}

async function findDelivery(vault: SimulatedVault) {
  const { id } = await findWebhook(vault)
  const type = pickOne(vault, eventTypes) ?? 'token.created'
  return { id: (await vault.owner.deliveries.sendTest({ webhook_id: id, type })).id }
}

/** Makes a call through a proxy, as the listener does. */
async function callProxy(vault: SimulatedVault, call: SimulatedCall): Promise<CallResult> {
  const { proxy_key, body } = call.input as { proxy_key: string; body: string }
  const { engine } = vault.vault
  const incoming = {
    ...{ engine, proxy_key, proxy_url: null, method: 'POST', path: '', query: '' },
    headers: [['content-type', 'application/json']] as const,
    ...{
      body: Readable.from([Buffer.from(body)]),
      upload: null,
      caller: call.caller.caller,
      info: call.info,
    },
    ...{ started: performance.now(), signal: new AbortController().signal },
    runLimited: <T>(_body: Buffer | undefined, step: () => Promise<T>) => step(),
  }
  const response = await vault.proxies.makeCall(incoming)
  vault.proxies.recordResponse(incoming, response)
  if (response.body instanceof Readable) for await (const _ of response.body.on('error', () => {}));
  return { status: 200, output: response.status, headers: {} }
}

function reactReactor(vault: SimulatedVault, name: string, input: object): Promise<CallResult> {
  return vault.makeCall(name, input, vault.acting, {
    run: async ({ caller, info }) => {
      const { engine } = vault.vault
      const call = { engine, name, input, caller: caller.caller, info }
      const runFirst = <T>(prepare: () => Promise<T>) => prepare()
      const output = await vault.reactors.handleCall({
        ...call,
        first: runFirst,
        signal: new AbortController().signal,
      })
      return { status: 200, output, headers: {} }
    },
  })
}

/** The calls with more steps than one. */
const actions: Record<string, PrepareAction> = {
  async 'proxies.invoke'(vault) {
    const transforms = [{ type: 'tokenize', options: { token: { type: 'token', data: 'x' } } }]
    const hasTransform = vault.process.getRandom() < 0.5
    const { key } = await vault.owner.proxies.create({
      ...{
        name: 'Made',
        destination_url: 'https://shop.example.com',
        require_auth: vault.process.getRandom() < 0.7,
      },
      ...(hasTransform && { request_transforms: transforms }),
    })
    const { id } = await findToken(vault)
    const input = { proxy_key: key, body: `{"here":"{{ ${id} }}"}` }
    return () =>
      vault.makeCall('proxies.invoke', input, vault.acting, { run: (call) => callProxy(vault, call) })
  },
  async 'reactors.react'(vault) {
    const { id } = await createReactor(vault)
    return () => reactReactor(vault, 'reactors.react', { id, payload: { args: {} } })
  },
  async 'reactors.reactAsync'(vault) {
    const { id } = await createReactor(vault)
    return () => reactReactor(vault, 'reactors.reactAsync', { id, payload: { args: {} } })
  },
  async 'documents.create'({ owner, process }) {
    const content = Buffer.alloc(Math.floor(process.getRandom() * 300_000) + 1, 7)
    return () => makeDocument(owner, content)
  },
}

/** Prepares a call of an operation, with the vault's owner. */
export async function prepareCall(vault: SimulatedVault, name: string): Promise<PreparedAction> {
  const operation = catalogue.get(name)
  if (!operation) throw new Error(`There is no ${name}.`)
  if (name.startsWith('deliveries.')) await findNewWebhook(vault)
  const hasOwnInput = name in bodies && name.startsWith('tokens.')
  const prepare = actions[name] ?? (hasOwnInput ? undefined : preparedWrites[name])
  if (prepare) return prepare(vault)
  const { route } = operation
  const input = route === null ? await ownerReads[name]?.(vault) : await createInput(vault, name, route)
  return () => vault.makeCall(name, input ?? {}, vault.acting)
}

/** Returns a valid input for the route of an operation. */
async function createInput(vault: SimulatedVault, name: string, route: string): Promise<object> {
  const path = route.slice(route.indexOf(' ') + 1)
  const create = creators[name] ?? creators[path.slice(0, path.lastIndexOf('}') + 1)]
  const named: object = (await create?.(vault)) ?? {}
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => [id, Reflect.get(named, id)])
  const body = (await bodies[name]?.(vault)) ?? examples[name] ?? {}
  if (catalogue.get(name)?.wholeBody) return { ...Object.fromEntries(ids), payload: body }
  return { ...(typeof body === 'object' ? body : {}), ...Object.fromEntries(ids) }
}
