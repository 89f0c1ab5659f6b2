import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { type HttpMethod, splitRoute } from '../../electron/engine/pipeline/operation.ts'
import { examples } from '../../electron/http/examples.ts'
import type { Json } from '../../shared/json.ts'
import { permissionNames, permissions } from '../../shared/permissions.ts'
import {
  consumer,
  createApprovedInstruction,
  createCard,
  createEnrollment,
  createInstruction,
  device_context,
  directCard,
  visaCard,
} from '../agentic.ts'
import { startListener } from '../listener.ts'
import { createNetworkToken } from '../network-tokens.ts'
import { browser, payment } from '../three-ds.ts'
import { openBriefVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import {
  createApplePayload,
  createGooglePayload,
  googleFiles,
  merchantFiles,
  processorFiles,
} from '../wallets.ts'
import { createDocumentPart, createMultipartBody, createRequestPart, multipart } from './start-documents.ts'

export type ExampleRequest = {
  readonly params?: Record<string, string>
  readonly query?: string
  readonly body?: Json
  /** A body other than JSON, with its content type. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

export const number = '4242424242424242'
export const masked = 'XXXXXXXXXXXX4242'

const listPermissions = (type: 'private' | 'public' | 'management') =>
  permissionNames.filter((name) => (permissions[name].application_types as readonly string[]).includes(type))

const threeDsCard = { number: '4000020000000000', expiration_month: 12, expiration_year: 2035 }
const inBrowser = { device: 'browser', device_info: browser }

const newWebhook = { name: 'Made', url: 'http://localhost:1/hooks', events: ['tenant.updated'] }

/**
 * Starts a strict server, which accepts exactly what the OpenAPI document describes, with one application of each type, which has all permissions of its type. Returns functions that
 * create the resources for requests.
 */
export async function startTestServer(vault = openBriefVault(), { strict = true } = {}) {
  const server = await startListener({ vault, strict })
  const { request } = server
  const management = await vault.application({
    type: 'management',
    permissions: listPermissions('management'),
  })
  const reveal = { priority: 1, container: '/', transform: 'reveal' as const }
  const full = await vault.application({ rules: [{ ...reveal, permissions: listPermissions('private') }] })
  const open = await vault.application({ type: 'public', permissions: listPermissions('public') })
  const keys = { management: management.key, private: full.key, public: open.key }

  const merchants: string[] = []
  async function createResource(path: string, key: string, body?: Json) {
    const response = await request('POST', path, { key, ...(body !== undefined && { body }) })
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.text}`)
    return response.body
  }
  const createNewWebhook = () =>
    createResource('/webhooks', keys.management, newWebhook) as Promise<{ id: string }>
  let hook: Promise<{ id: string }> | undefined
  async function createResult(): Promise<{ id: string; request_id: string }> {
    const { id } = await createResource('/reactors', keys.management, {
      name: 'Made',
      code: 'module.exports = () => ({})',
    })
    const requested = await request('POST', `/reactors/${id}/react-async`, {
      key: keys.private,
      body: { args: {} },
    })
    const request_id: string = requested.body.asyncReactorRequestId
    await waitFor(async () => {
      const { status } = await request('GET', `/reactors/${id}/results/${request_id}`, { key: keys.private })
      expect(status).not.toBe(404)
    })
    // The run is stored only after its result, so wait for it too.
    await waitFor(async () =>
      expect((await server.vault.owner.reactorRuns.list({ reactor_id: id })).data).toHaveLength(1),
    )
    return { id, request_id }
  }
  let result: ReturnType<typeof createResult> | undefined
  return {
    ...server,
    keys,
    /** Creates a token, whose data is the card number. */
    createToken: (more: { [name: string]: Json } = {}) =>
      createResource('/tokens', keys.private, { type: 'card_number', data: number, ...more }) as Promise<{
        id: string
      }>,
    createTokenIntent: () =>
      createResource('/token-intents', keys.private, { type: 'card_number', data: number }) as Promise<{
        id: string
      }>,
    createApplication: (more: { [name: string]: Json } = {}) =>
      createResource('/applications', keys.management, {
        name: 'Made',
        type: 'private',
        permissions: ['token:read'],
        ...more,
      }) as Promise<{ id: string; key: string; keys: { id: string }[] }>,
    createProxy: (more: { [name: string]: Json } = {}) =>
      createResource('/proxies', keys.management, {
        name: 'Made',
        destination_url: 'https://echo.coffer.test',
        ...more,
      }) as Promise<{ id: string; key: string }>,
    /** Creates a document. It is JSON, so that its download can be parsed like any other response. */
    async createDocument() {
      const response = await request('POST', '/documents', { key: keys.private, ...newDocument })
      if (response.status !== 202) throw new Error(`POST /documents: ${response.text}`)
      return response.body as { id: string }
    },
    createWebhook: createNewWebhook,
    /** Returns the same webhook each time, because a tenant can have only few. */
    getWebhook() {
      hook ??= createNewWebhook()
      return hook
    },
    createReactor: () =>
      createResource('/reactors', keys.management, {
        name: 'Made',
        code: 'module.exports = (req) => ({ raw: req.args })',
      }) as Promise<{
        id: string
      }>,
    /** Returns a finished reactor request, the same each time because it is only read. */
    getReactorResult() {
      result ??= createResult()
      return result
    },
    createClientKey: () => createResource('/keys', keys.management, {}) as Promise<{ key_id: string }>,
    /** Creates a 3D Secure session, and authenticates it unless `state` is `new`. */
    async createThreeDsSession(state: 'new' | 'authenticated') {
      const { id: token_id } = await createResource('/tokens', keys.private, {
        type: 'card',
        data: threeDsCard,
      })
      const createSession = await createResource('/3ds/sessions', keys.private, { token_id, ...inBrowser })
      const path = `/3ds/sessions/${createSession.id}/authenticate`
      if (state === 'authenticated') await request('POST', path, { key: keys.private, body: payment })
      return createSession as { id: string }
    },
    createInvitation: () =>
      createResource('/tenants/self/invitations', keys.management, { email: 'a@example.com' }) as Promise<{
        id: string
      }>,
    createAccountUpdaterJob: () =>
      createResource('/account-updater/jobs', keys.private) as Promise<{ id: string; upload_url: string }>,
    async createMerchant(name: string = randomUUID()) {
      const path = '/tenants/self/merchants'
      const { id, tenant_id } = await createResource(path, keys.management, { name })
      merchants.push(id)
      // A tenant accepts at most 1,000. A request may have removed the oldest already.
      if (merchants.length > 500)
        await request('DELETE', `${path}/${merchants.shift()}`, { key: keys.management })
      return { id, tenant_id } as { id: string; tenant_id: string }
    },
    async getMember() {
      const { body } = await request('GET', '/tenants/self/members', { key: keys.management })
      return body.data[0] as { id: string }
    },
    session: () =>
      createResource('/sessions', keys.public) as Promise<{ session_key: string; nonce: string }>,
  }
}

const newDocument = {
  raw: createMultipartBody([
    createDocumentPart('"content"', 'application/json'),
    createRequestPart({ metadata: { a: 'b' } }),
  ]),
  headers: multipart,
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>

type ValidRequest = {
  createRequest(world: TestServer): Promise<ExampleRequest>
  getShownData?(body: unknown): unknown
}

const registrations = new WeakMap<TestServer['vault'], string[]>()

/** Registers a merchant. Removes an earlier one of many, because a vault accepts at most 100. */
async function createMerchant(vault: TestServer['vault'], wallet: 'applePay' | 'googlePay') {
  const { [wallet]: operations } = vault.owner
  const merchant = await operations.createMerchant({ merchant_identifier: 'merchant.com.example.shop' })
  const earlier = [...(registrations.get(vault) ?? []), merchant.id]
  registrations.set(vault, earlier)
  const oldest = earlier.length > 40 ? earlier.shift() : undefined
  // It may be of the other wallet, or a request may have removed it.
  if (oldest !== undefined) {
    await vault.owner.applePay.removeMerchant({ id: oldest }).catch(() => {})
    await vault.owner.googlePay.removeMerchant({ id: oldest }).catch(() => {})
  }
  return merchant
}

/** Creates what a path names. An operation with other needs has its own entry, by its name. */
const idCreators: Record<string, (world: TestServer) => Promise<Record<string, unknown>>> = {
  '/3ds/sessions/{id}': (world) => world.createThreeDsSession('new'),
  'threeDs.getChallengeResult': (world) => world.createThreeDsSession('authenticated'),
  '/account-updater/jobs/{id}': (world) => world.createAccountUpdaterJob(),
  '/application-templates/{id}': async ({ request, keys }) =>
    (await request('GET', '/application-templates', { key: keys.public })).body[0],
  '/applications/{id}': (world) => world.createApplication(),
  '/applications/{id}/keys/{keyId}': async (world) => {
    const { id, keys } = await world.createApplication()
    return { id, keyId: keys[0]?.id ?? '' }
  },
  '/documents/{id}': (world) => world.createDocument(),
  '/keys/{id}': async (world) => ({ id: (await world.createClientKey()).key_id }),
  '/agentic/agents/{id}': ({ vault }) => vault.owner.agents.create({ name: 'Made' }),
  '/agentic/agents/{agent_id}': async ({ vault }) => ({
    agent_id: (await vault.owner.agents.create({ name: 'Made' })).id,
  }),
  '/agentic/agents/{agent_id}/instructions/{id}': ({ vault }) => createInstruction(vault, directCard),
  'instructions.submitPasskey': async ({ vault }) => {
    const { agent_id, id } = await createInstruction(vault, visaCard)
    const ids = { agent_id, id }
    await vault.owner.instructions.startVerification({ ...ids, device_context })
    return ids
  },
  'instructions.getCredentials': ({ vault }) => createApprovedInstruction(vault),
  'instructions.confirm': ({ vault }) => createApprovedInstruction(vault),
  '/agentic/enrollments/{id}': ({ vault }) => createEnrollment(vault, visaCard),
  'enrollments.retry': async ({ vault }) => {
    await createEnrollment(vault, '4000000000003063').catch(() => {})
    return (await vault.owner.enrollments.list({ limit: 1 })).data[0] ?? {}
  },
  'enrollments.selectMethod': ({ vault }) => createEnrollment(vault, visaCard, 'start'),
  'enrollments.submitOtp': ({ vault }) => createEnrollment(vault, visaCard, 'method'),
  'enrollments.completeVerification': ({ vault }) => createEnrollment(vault, visaCard, 'otp'),
  '/apple-pay/{id}': async ({ vault }) =>
    (await vault.owner.applePay.create(await createApplePayload(vault))).apple_pay,
  '/apple-pay/merchant-registration/{id}': ({ vault }) => createMerchant(vault, 'applePay'),
  '/apple-pay/merchant-registration/{merchantId}/certificates/{id}': async ({ vault }) => {
    const { id: merchantId } = await createMerchant(vault, 'applePay')
    return {
      merchantId,
      ...(await vault.owner.applePay.createCertificates({ merchantId, ...processorFiles })),
    }
  },
  '/apple-pay/merchant-registration/{merchantId}': async ({ vault }) => ({
    merchantId: (await createMerchant(vault, 'applePay')).id,
  }),
  '/google-pay/{id}': async ({ vault }) =>
    (await vault.owner.googlePay.create(await createGooglePayload(vault))).google_pay ?? {},
  '/google-pay/merchant-registration/{id}': ({ vault }) => createMerchant(vault, 'googlePay'),
  '/google-pay/merchant-registration/{merchantId}/certificates/{id}': async ({ vault }) => {
    const { id: merchantId } = await createMerchant(vault, 'googlePay')
    return { merchantId, ...(await vault.owner.googlePay.createCertificates({ merchantId, ...googleFiles })) }
  },
  '/google-pay/merchant-registration/{merchantId}': async ({ vault }) => ({
    merchantId: (await createMerchant(vault, 'googlePay')).id,
  }),
  '/network-tokens/{id}': ({ vault }) => createNetworkToken(vault),
  'networkTokens.resume': async ({ vault }) => {
    const { id } = await createNetworkToken(vault)
    return vault.owner.networkTokens.suspend({ id })
  },
  '/proxies/{id}': (world) => world.createProxy(),
  '/reactors/{id}': (world) => world.createReactor(),
  '/reactors/{id}/results/{request_id}': (world) => world.getReactorResult(),
  '/tenants/self/invitations/{id}': (world) => world.createInvitation(),
  '/tenants/self/members/{id}': (world) => world.getMember(),
  '/tenants/{tenant_id}': async () => ({ tenant_id: 'self' }),
  '/tenants/{tenant_id}/merchants/{id}': (world) => world.createMerchant(),
  '/token-intents/{id}': (world) => world.createTokenIntent(),
  '/tokens/{id}': (world) => world.createToken(),
  '/webhooks/{id}': (world) => world.getWebhook(),
  'webhooks.remove': (world) => world.createWebhook(),
}

/** Queries that pass parameters. */
const queries: Record<string, string> = {
  'applications.list': 'type=private&size=5',
  'enrichments.getCardDetails': 'bin=424242',
  'accountUpdaterJobs.list': 'size=5',
  'invitations.list': 'status=PENDING&size=5',
  'keys.list': 'type=private&page=1',
  'logs.list': 'entity_type=token&size=3',
  'members.list': 'page=1&size=50',
  'merchants.list': 'page=1&size=5',
  'permissions.list': 'application_type=public',
  'proxies.list': 'name=M*&size=5',
  'reactors.list': 'name=M*&size=5',
  'webhooks.list': 'size=3',
}

const newCard = { type: 'card_number', data: number }

/** Requests whose body or query must fit the vault, in place of the documented example. */
const specialRequests: Record<string, (world: TestServer) => Promise<ExampleRequest> | ExampleRequest> = {
  'accountUpdater.invoke': async (world) => {
    const data = { number: '4111111111111111', expiration_month: 12, expiration_year: 2023 }
    return { body: { token_id: (await world.createToken({ type: 'card', data })).id } }
  },
  'enrollments.create': async ({ vault }) => ({
    body: { token_id: await createCard(vault, visaCard), consumer },
  }),
  'instructions.create': async ({ vault }) => ({
    body: {
      enrollment_id: (await createEnrollment(vault, '4242424242424242')).id,
      amount: { value: '25.00', currency: 'USD' },
      description: 'A train ticket',
      expires_at: '2035-01-01T00:00:00Z',
    },
  }),
  'applePay.create': async ({ vault }) => ({ body: toJson(await createApplePayload(vault)) }),
  'applePay.createCertificates': () => ({ body: { ...processorFiles, ...merchantFiles } }),
  async 'applePay.createSession'({ vault }) {
    await vault.owner.applePay.createDomain({ domain: 'shop.example.com' })
    return { body: { domain: 'shop.example.com', display_name: 'Shop' } }
  },
  async 'applePay.removeDomain'({ vault }) {
    await vault.owner.applePay.createDomain({ domain: 'shop.example.com' })
    return { body: { domain: 'shop.example.com' } }
  },
  'googlePay.create': async ({ vault }) => ({ body: toJson(await createGooglePayload(vault)) }),
  'googlePay.createCertificates': () => ({ body: googleFiles }),
  'documents.create': () => newDocument,
  async 'enrichments.bankAccountVerify'(world) {
    const { id } = await world.createToken({ type: 'us_bank_account_number', data: '00001' })
    return { body: { token_id: id, routing_number: '021000021' } }
  },
  async 'tenantConnections.remove'({ request, keys }) {
    const body = { strategy: 'okta', options: { domain_aliases: [] } }
    await request('POST', '/tenants/self/connections', { key: keys.management, body })
    return {}
  },
  // A name is unique.
  'merchants.create': () => ({ body: { name: randomUUID() } }),
  'merchants.update': () => ({ body: { name: randomUUID() } }),
  'members.transferOwner': async (world) => ({ body: { member_id: (await world.getMember()).id } }),
  'proxies.invoke': async (world) => ({
    query: `bt-proxy-key=${(await world.createProxy()).key}`,
    body: { here: `{{ ${(await world.createToken()).id} }}` },
  }),
  'sessions.authorize': async (world) => ({
    body: { nonce: (await world.session()).nonce, permissions: ['token-intent:create'] },
  }),
  // The example would make later tokens duplicates.
  'tenants.update': () => ({ body: { name: 'Test', settings: { log_retention_days: '30' } } }),
  'threeDs.create': async (world) => ({
    body: { token_id: (await world.createToken({ type: 'card', data: threeDsCard })).id, ...inBrowser },
  }),
  'tokens.create': () => ({ body: newCard }),
  'tokens.detokenize': async (world) => ({ body: { here: `{{ ${(await world.createToken()).id} }}` } }),
  async 'tokens.list'(world) {
    await world.createToken()
    return { query: 'type=card_number&size=1' }
  },
  'tokens.listV1': async (world) => ({ query: `id=${(await world.createToken()).id}` }),
  async 'tokens.search'(world) {
    await world.createToken()
    return { body: { query: 'type:card_number AND container:"/pci/"', size: 1 } }
  },
  'tokens.searchV1': async (world) => ({
    body: { query: `id:${(await world.createToken()).id}`, page: 1, size: 5 },
  }),
  'tokens.tokenize': () => ({ body: newCard }),
}

/** Returns the token's data from a response, for the operations whose responses show it. */
const getShownData: Record<string, (body: unknown) => unknown> = {
  'tokens.create': getData,
  'tokens.detokenize': (body) => (body as { here: unknown }).here ?? undefined,
  'tokens.get': getData,
  'tokens.list': getDataOfFirst,
  'tokens.listV1': getDataOfFirst,
  'tokens.search': getDataOfFirst,
  'tokens.searchV1': getDataOfFirst,
  'tokens.tokenize': getData,
  'tokens.update': getData,
}

async function createPathIds(name: string, path: string, world: TestServer): Promise<Record<string, string>> {
  const named = path.slice(0, path.lastIndexOf('}') + 1)
  if (named === '') return {}
  const create = idCreators[name] ?? idCreators[named]
  if (!create) throw new Error(`Add ${named} to \`idCreators\` in tests/http/test-server.ts.`)
  const created = await create(world)
  return Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => [id, String(created[id])]))
}

/** Returns a valid request for an operation: its documented example, for resources that exist in the vault. */
async function createRequest(
  name: string,
  route: `${HttpMethod} /${string}`,
  world: TestServer,
): Promise<ExampleRequest> {
  const params = await createPathIds(name, splitRoute(route).path, world)
  const special = await specialRequests[name]?.(world)
  if (special) return { params, ...special }
  const [body, query] = [examples[name], queries[name]]
  return { params, ...(body !== undefined && { body }), ...(query !== undefined && { query }) }
}

/** A valid request for every operation with a route. `getShownData` returns the token's data from its response. */
export const requests: Record<string, ValidRequest> = Object.fromEntries(
  [...catalogue].flatMap(([name, { route }]) => {
    if (route === null) return []
    const getShown = getShownData[name]
    return [
      [
        name,
        {
          createRequest: (world: TestServer) => createRequest(name, route, world),
          ...(getShown && { getShownData: getShown }),
        },
      ],
    ]
  }),
)

/** Returns the valid request for an operation. */
export function requireRequest(name: string): ValidRequest {
  const request = requests[name]
  if (!request) throw new Error(`${name} has no route.`)
  return request
}

function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value))
}

function getData(body: unknown): unknown {
  return (body as { data?: unknown }).data
}

function getDataOfFirst(body: unknown): unknown {
  const [first] = (body as { data: unknown[] }).data
  if (!first) throw new Error('expected a token in the list')
  return getData(first)
}

/** Returns the path of a request, with its parameters encoded. */
export function toPath(template: string, { params = {}, query }: ExampleRequest): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return query === undefined ? path : `${path}?${query}`
}
