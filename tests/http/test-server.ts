import { expect } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import type { Json } from '../../shared/json.ts'
import { permissionNames, permissions } from '../../shared/permissions.ts'
import { startListener } from '../listener.ts'
import { browser, payment } from '../three-ds.ts'
import { waitFor } from '../wait-for.ts'
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
 * Starts a server with one application of each type, which has all permissions of its type. Returns functions that
 * create the resources for requests.
 */
export async function startTestServer() {
  const server = await startListener()
  const { request, vault } = server
  const management = await vault.application({
    type: 'management',
    permissions: listPermissions('management'),
  })
  const reveal = { priority: 1, container: '/', transform: 'reveal' as const }
  const full = await vault.application({ rules: [{ ...reveal, permissions: listPermissions('private') }] })
  const open = await vault.application({ type: 'public', permissions: listPermissions('public') })
  const keys = { management: management.key, private: full.key, public: open.key }

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
  createRequest(world: TestServer): Promise<ExampleRequest> | ExampleRequest
  getShownData?(body: unknown): unknown
}

/** Requests without a body or parameters, for all read operations without path parameters. */
const plain: Record<string, ValidRequest> = Object.fromEntries(
  [...catalogue]
    .filter(([, { route }]) => route?.startsWith('GET ') && !route.includes('{'))
    .map(([name]) => [name, { createRequest: () => ({}) }]),
)

/** A valid request for every operation. `getShownData` returns the token's data from its response. */
export const requests: Record<string, ValidRequest> = {
  ...plain,
  'applications.create': {
    createRequest: () => ({ body: { name: 'New', type: 'public', permissions: ['token:create'] } }),
  },
  'applications.get': {
    createRequest: async (world) => ({ params: { id: (await world.createApplication()).id } }),
  },
  'applications.list': { createRequest: () => ({ query: 'type=private&size=5' }) },
  'applications.regenerate': {
    createRequest: async (world) => ({ params: { id: (await world.createApplication()).id } }),
  },
  'applications.remove': {
    createRequest: async (world) => ({ params: { id: (await world.createApplication()).id } }),
  },
  'applications.update': {
    createRequest: async (world) => ({
      params: { id: (await world.createApplication()).id },
      body: { name: 'Renamed', permissions: ['token:delete'] },
    }),
  },
  'applicationTemplates.get': {
    createRequest: async (world) => ({
      params: {
        id: (await world.request('GET', '/application-templates', { key: world.keys.public })).body[0].id,
      },
    }),
  },
  'documents.create': { createRequest: () => newDocument },
  'documents.get': {
    createRequest: async (world) => ({ params: { id: (await world.createDocument()).id } }),
  },
  'documents.remove': {
    createRequest: async (world) => ({ params: { id: (await world.createDocument()).id } }),
  },
  'documents.reveal': {
    createRequest: async (world) => ({ params: { id: (await world.createDocument()).id } }),
  },
  'clientKeys.create': { createRequest: () => ({ body: {} }) },
  'clientKeys.get': {
    createRequest: async (world) => ({ params: { id: (await world.createClientKey()).key_id } }),
  },
  'clientKeys.remove': {
    createRequest: async (world) => ({ params: { id: (await world.createClientKey()).key_id } }),
  },
  'enrichments.bankAccountVerify': {
    async createRequest(world) {
      const { id } = await world.createToken({ type: 'us_bank_account_number', data: '00001' })
      return { body: { token_id: id, routing_number: '021000021' } }
    },
  },
  'enrichments.getCardDetails': { createRequest: () => ({ query: 'bin=424242' }) },
  'googlePay.create': {
    createRequest: () => ({ body: { google_payment_data: { protocolVersion: 'ECv2' } } }),
  },
  'invitations.create': { createRequest: () => ({ body: { email: 'a@example.com', role: 'READ_ONLY' } }) },
  'invitations.get': {
    createRequest: async (world) => ({ params: { id: (await world.createInvitation()).id } }),
  },
  'invitations.list': { createRequest: () => ({ query: 'status=PENDING&size=5' }) },
  'invitations.remove': {
    createRequest: async (world) => ({ params: { id: (await world.createInvitation()).id } }),
  },
  'invitations.resend': {
    createRequest: async (world) => ({ params: { id: (await world.createInvitation()).id } }),
  },
  'members.list': { createRequest: () => ({ query: 'page=1&size=50' }) },
  'members.remove': { createRequest: async (world) => ({ params: { id: (await world.getMember()).id } }) },
  'members.transferOwner': {
    createRequest: async (world) => ({ body: { member_id: (await world.getMember()).id } }),
  },
  'members.update': {
    createRequest: async (world) => ({
      params: { id: (await world.getMember()).id },
      body: { role: 'OWNER' },
    }),
  },
  'keys.create': {
    createRequest: async (world) => ({ params: { id: (await world.createApplication()).id } }),
  },
  'keys.get': { createRequest: createKeyRequest },
  'keys.list': {
    createRequest: async (world) => ({
      params: { id: (await world.createApplication()).id },
      query: 'page=1',
    }),
  },
  'keys.remove': { createRequest: createKeyRequest },
  'logs.list': { createRequest: () => ({ query: 'entity_type=token&size=3' }) },
  'permissions.list': { createRequest: () => ({ query: 'application_type=public' }) },
  'proxies.create': {
    createRequest: () => ({ body: { name: 'New', destination_url: 'https://echo.coffer.test' } }),
  },
  'proxies.get': { createRequest: async (world) => ({ params: { id: (await world.createProxy()).id } }) },
  'proxies.invoke': {
    createRequest: async (world) => ({
      query: `bt-proxy-key=${(await world.createProxy()).key}`,
      body: { here: `{{ ${(await world.createToken()).id} }}` },
    }),
  },
  'proxies.list': { createRequest: () => ({ query: 'name=M*&size=5' }) },
  'proxies.patch': {
    createRequest: async (world) => ({
      params: { id: (await world.createProxy()).id },
      body: { name: 'Renamed' },
    }),
  },
  'proxies.remove': { createRequest: async (world) => ({ params: { id: (await world.createProxy()).id } }) },
  'proxies.update': {
    createRequest: async (world) => ({
      params: { id: (await world.createProxy()).id },
      body: { name: 'Renamed', destination_url: 'https://echo.coffer.test' },
    }),
  },
  'reactors.create': {
    createRequest: () => ({ body: { name: 'New', code: 'module.exports = () => ({})' } }),
  },
  'reactors.get': { createRequest: async (world) => ({ params: { id: (await world.createReactor()).id } }) },
  'reactors.list': { createRequest: () => ({ query: 'name=M*&size=5' }) },
  'reactors.patch': {
    createRequest: async (world) => ({
      params: { id: (await world.createReactor()).id },
      body: { name: 'Renamed' },
    }),
  },
  'reactors.react': {
    createRequest: async (world) => ({
      params: { id: (await world.createReactor()).id },
      body: { args: { a: 1 } },
    }),
  },
  'reactors.reactAsync': {
    createRequest: async (world) => ({
      params: { id: (await world.createReactor()).id },
      body: { args: { a: 1 } },
    }),
  },
  'reactors.remove': {
    createRequest: async (world) => ({ params: { id: (await world.createReactor()).id } }),
  },
  'reactors.results': { createRequest: async (world) => ({ params: await world.getReactorResult() }) },
  'reactors.update': {
    createRequest: async (world) => ({
      params: { id: (await world.createReactor()).id },
      body: { name: 'Renamed', code: 'module.exports = () => ({})' },
    }),
  },
  'webhooks.create': { createRequest: () => ({ body: { ...newWebhook, name: 'New' } }) },
  'webhooks.get': { createRequest: async (world) => ({ params: { id: (await world.getWebhook()).id } }) },
  'webhooks.list': { createRequest: () => ({ query: 'size=3' }) },
  'webhooks.remove': {
    createRequest: async (world) => ({ params: { id: (await world.createWebhook()).id } }),
  },
  'webhooks.update': {
    createRequest: async (world) => ({
      params: { id: (await world.getWebhook()).id },
      body: { ...newWebhook, name: 'Renamed', status: 'disabled' },
    }),
  },
  'sessions.authorize': {
    createRequest: async (world) => ({
      body: { nonce: (await world.session()).nonce, permissions: ['token-intent:create'] },
    }),
  },
  'sessions.create': { createRequest: () => ({}) },
  'threeDs.authenticate': {
    createRequest: async (world) => ({
      params: { id: (await world.createThreeDsSession('new')).id },
      body: payment,
    }),
  },
  'threeDs.create': {
    createRequest: async (world) => ({
      body: { token_id: (await world.createToken({ type: 'card', data: threeDsCard })).id, ...inBrowser },
    }),
  },
  'threeDs.get': {
    createRequest: async (world) => ({ params: { id: (await world.createThreeDsSession('new')).id } }),
  },
  'threeDs.getChallengeResult': {
    createRequest: async (world) => ({
      params: { id: (await world.createThreeDsSession('authenticated')).id },
    }),
  },
  'tenants.remove': { createRequest: () => ({}) },
  'tenants.setSecurityContact': { createRequest: () => ({ body: { email: 'a@example.com' } }) },
  'tenants.update': {
    createRequest: () => ({ body: { name: 'Test', settings: { log_retention_days: '30' } } }),
  },
  'tokenIntents.create': { createRequest: () => ({ body: { type: 'card_number', data: number } }) },
  'tokenIntents.get': {
    createRequest: async (world) => ({ params: { id: (await world.createTokenIntent()).id } }),
  },
  'tokenIntents.remove': {
    createRequest: async (world) => ({ params: { id: (await world.createTokenIntent()).id } }),
  },
  'tokens.create': {
    createRequest: () => ({ body: { type: 'card_number', data: number } }),
    getShownData: getData,
  },
  'tokens.detokenize': {
    createRequest: async (world) => ({ body: { here: `{{ ${(await world.createToken()).id} }}` } }),
    getShownData: (body) => (body as { here: unknown }).here ?? undefined,
  },
  'tokens.get': {
    createRequest: async (world) => ({ params: { id: (await world.createToken()).id } }),
    getShownData: getData,
  },
  'tokens.list': {
    async createRequest(world) {
      await world.createToken()
      return { query: 'type=card_number&size=1' }
    },
    getShownData: getDataOfFirst,
  },
  'tokens.listV1': {
    createRequest: async (world) => ({ query: `id=${(await world.createToken()).id}` }),
    getShownData: getDataOfFirst,
  },
  'tokens.remove': { createRequest: async (world) => ({ params: { id: (await world.createToken()).id } }) },
  'tokens.search': {
    async createRequest(world) {
      await world.createToken()
      return { body: { query: 'type:card_number AND container:"/pci/"', size: 1 } }
    },
    getShownData: getDataOfFirst,
  },
  'tokens.searchV1': {
    createRequest: async (world) => ({ body: { query: `id:${(await world.createToken()).id}` } }),
    getShownData: getDataOfFirst,
  },
  'tokens.tokenize': {
    createRequest: () => ({ body: { type: 'card_number', data: number } }),
    getShownData: getData,
  },
  'tokens.update': {
    createRequest: async (world) => ({
      params: { id: (await world.createToken()).id },
      body: { metadata: { a: 'b' } },
    }),
    getShownData: getData,
  },
}

/** Returns the valid request for an operation. */
export function requireRequest(name: string): ValidRequest {
  const request = requests[name]
  if (!request) throw new Error(`Add a request for ${name} to \`requests\` in tests/http/test-server.ts.`)
  return request
}

async function createKeyRequest(world: TestServer): Promise<ExampleRequest> {
  const { id, keys } = await world.createApplication()
  return { params: { id, keyId: keys[0]?.id ?? '' } }
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
