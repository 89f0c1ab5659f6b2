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

const held = (type: 'private' | 'public' | 'management') =>
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
  const management = await vault.application({ type: 'management', permissions: held('management') })
  const reveal = { priority: 1, container: '/', transform: 'reveal' as const }
  const full = await vault.application({ rules: [{ ...reveal, permissions: held('private') }] })
  const open = await vault.application({ type: 'public', permissions: held('public') })
  const keys = { management: management.key, private: full.key, public: open.key }

  async function made(path: string, key: string, body?: Json) {
    const answer = await request('POST', path, { key, ...(body !== undefined && { body }) })
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`)
    return answer.body
  }
  const newHook = () => made('/webhooks', keys.management, newWebhook) as Promise<{ id: string }>
  let hook: Promise<{ id: string }> | undefined
  async function newResult(): Promise<{ id: string; request_id: string }> {
    const { id } = await made('/reactors', keys.management, {
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
  let result: ReturnType<typeof newResult> | undefined
  return {
    ...server,
    keys,
    /** Creates a token, whose data is the card number. */
    token: (more: { [name: string]: Json } = {}) =>
      made('/tokens', keys.private, { type: 'card_number', data: number, ...more }) as Promise<{
        id: string
      }>,
    intent: () =>
      made('/token-intents', keys.private, { type: 'card_number', data: number }) as Promise<{ id: string }>,
    application: (more: { [name: string]: Json } = {}) =>
      made('/applications', keys.management, {
        name: 'Made',
        type: 'private',
        permissions: ['token:read'],
        ...more,
      }) as Promise<{ id: string; key: string; keys: { id: string }[] }>,
    proxy: (more: { [name: string]: Json } = {}) =>
      made('/proxies', keys.management, {
        name: 'Made',
        destination_url: 'https://echo.coffer.test',
        ...more,
      }) as Promise<{ id: string; key: string }>,
    /** Creates a document. It is JSON, so that its download can be parsed like any other response. */
    async document() {
      const answer = await request('POST', '/documents', { key: keys.private, ...newDocument })
      if (answer.status !== 202) throw new Error(`POST /documents: ${answer.text}`)
      return answer.body as { id: string }
    },
    webhook: newHook,
    /** Returns the same webhook each time, because a tenant can have only few. */
    oneWebhook() {
      hook ??= newHook()
      return hook
    },
    reactor: () =>
      made('/reactors', keys.management, {
        name: 'Made',
        code: 'module.exports = (req) => ({ raw: req.args })',
      }) as Promise<{
        id: string
      }>,
    /** Returns a finished reactor request, the same each time because it is only read. */
    oneResult() {
      result ??= newResult()
      return result
    },
    clientKey: () => made('/keys', keys.management, {}) as Promise<{ key_id: string }>,
    /** Creates a 3D Secure session, and authenticates it unless `state` is `new`. */
    async threeDs(state: 'new' | 'authenticated') {
      const { id: token_id } = await made('/tokens', keys.private, { type: 'card', data: threeDsCard })
      const session = await made('/3ds/sessions', keys.private, { token_id, ...inBrowser })
      const path = `/3ds/sessions/${session.id}/authenticate`
      if (state === 'authenticated') await request('POST', path, { key: keys.private, body: payment })
      return session as { id: string }
    },
    invitation: () =>
      made('/tenants/self/invitations', keys.management, { email: 'a@example.com' }) as Promise<{
        id: string
      }>,
    async member() {
      const { body } = await request('GET', '/tenants/self/members', { key: keys.management })
      return body.data[0] as { id: string }
    },
    session: () => made('/sessions', keys.public) as Promise<{ session_key: string; nonce: string }>,
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

type Good = {
  send(world: TestServer): Promise<ExampleRequest> | ExampleRequest
  shown?(body: unknown): unknown
}

/** Requests without a body or parameters, for all read operations without path parameters. */
const plain: Record<string, Good> = Object.fromEntries(
  [...catalogue]
    .filter(([, { route }]) => route?.startsWith('GET ') && !route.includes('{'))
    .map(([name]) => [name, { send: () => ({}) }]),
)

/** A valid request for every operation. `shown` returns the token's data from its response. */
export const requests: Record<string, Good> = {
  ...plain,
  'applications.create': {
    send: () => ({ body: { name: 'New', type: 'public', permissions: ['token:create'] } }),
  },
  'applications.get': { send: async (world) => ({ params: { id: (await world.application()).id } }) },
  'applications.list': { send: () => ({ query: 'type=private&size=5' }) },
  'applications.regenerate': { send: async (world) => ({ params: { id: (await world.application()).id } }) },
  'applications.remove': { send: async (world) => ({ params: { id: (await world.application()).id } }) },
  'applications.update': {
    send: async (world) => ({
      params: { id: (await world.application()).id },
      body: { name: 'Renamed', permissions: ['token:delete'] },
    }),
  },
  'applicationTemplates.get': {
    send: async (world) => ({
      params: {
        id: (await world.request('GET', '/application-templates', { key: world.keys.public })).body[0].id,
      },
    }),
  },
  'documents.create': { send: () => newDocument },
  'documents.get': { send: async (world) => ({ params: { id: (await world.document()).id } }) },
  'documents.remove': { send: async (world) => ({ params: { id: (await world.document()).id } }) },
  'documents.reveal': { send: async (world) => ({ params: { id: (await world.document()).id } }) },
  'clientKeys.create': { send: () => ({ body: {} }) },
  'clientKeys.get': { send: async (world) => ({ params: { id: (await world.clientKey()).key_id } }) },
  'clientKeys.remove': { send: async (world) => ({ params: { id: (await world.clientKey()).key_id } }) },
  'enrichments.bankAccountVerify': {
    async send(world) {
      const { id } = await world.token({ type: 'us_bank_account_number', data: '00001' })
      return { body: { token_id: id, routing_number: '021000021' } }
    },
  },
  'enrichments.getCardDetails': { send: () => ({ query: 'bin=424242' }) },
  'googlePay.create': { send: () => ({ body: { google_payment_data: { protocolVersion: 'ECv2' } } }) },
  'invitations.create': { send: () => ({ body: { email: 'a@example.com', role: 'READ_ONLY' } }) },
  'invitations.get': { send: async (world) => ({ params: { id: (await world.invitation()).id } }) },
  'invitations.list': { send: () => ({ query: 'status=PENDING&size=5' }) },
  'invitations.remove': { send: async (world) => ({ params: { id: (await world.invitation()).id } }) },
  'invitations.resend': { send: async (world) => ({ params: { id: (await world.invitation()).id } }) },
  'members.list': { send: () => ({ query: 'page=1&size=50' }) },
  'members.remove': { send: async (world) => ({ params: { id: (await world.member()).id } }) },
  'members.transferOwner': { send: async (world) => ({ body: { member_id: (await world.member()).id } }) },
  'members.update': {
    send: async (world) => ({ params: { id: (await world.member()).id }, body: { role: 'OWNER' } }),
  },
  'keys.create': { send: async (world) => ({ params: { id: (await world.application()).id } }) },
  'keys.get': { send: keyOfNew },
  'keys.list': {
    send: async (world) => ({ params: { id: (await world.application()).id }, query: 'page=1' }),
  },
  'keys.remove': { send: keyOfNew },
  'logs.list': { send: () => ({ query: 'entity_type=token&size=3' }) },
  'permissions.list': { send: () => ({ query: 'application_type=public' }) },
  'proxies.create': { send: () => ({ body: { name: 'New', destination_url: 'https://echo.coffer.test' } }) },
  'proxies.get': { send: async (world) => ({ params: { id: (await world.proxy()).id } }) },
  'proxies.invoke': {
    send: async (world) => ({
      query: `bt-proxy-key=${(await world.proxy()).key}`,
      body: { here: `{{ ${(await world.token()).id} }}` },
    }),
  },
  'proxies.list': { send: () => ({ query: 'name=M*&size=5' }) },
  'proxies.patch': {
    send: async (world) => ({ params: { id: (await world.proxy()).id }, body: { name: 'Renamed' } }),
  },
  'proxies.remove': { send: async (world) => ({ params: { id: (await world.proxy()).id } }) },
  'proxies.update': {
    send: async (world) => ({
      params: { id: (await world.proxy()).id },
      body: { name: 'Renamed', destination_url: 'https://echo.coffer.test' },
    }),
  },
  'reactors.create': { send: () => ({ body: { name: 'New', code: 'module.exports = () => ({})' } }) },
  'reactors.get': { send: async (world) => ({ params: { id: (await world.reactor()).id } }) },
  'reactors.list': { send: () => ({ query: 'name=M*&size=5' }) },
  'reactors.patch': {
    send: async (world) => ({ params: { id: (await world.reactor()).id }, body: { name: 'Renamed' } }),
  },
  'reactors.react': {
    send: async (world) => ({ params: { id: (await world.reactor()).id }, body: { args: { a: 1 } } }),
  },
  'reactors.reactAsync': {
    send: async (world) => ({ params: { id: (await world.reactor()).id }, body: { args: { a: 1 } } }),
  },
  'reactors.remove': { send: async (world) => ({ params: { id: (await world.reactor()).id } }) },
  'reactors.results': { send: async (world) => ({ params: await world.oneResult() }) },
  'reactors.update': {
    send: async (world) => ({
      params: { id: (await world.reactor()).id },
      body: { name: 'Renamed', code: 'module.exports = () => ({})' },
    }),
  },
  'webhooks.create': { send: () => ({ body: { ...newWebhook, name: 'New' } }) },
  'webhooks.get': { send: async (world) => ({ params: { id: (await world.oneWebhook()).id } }) },
  'webhooks.list': { send: () => ({ query: 'size=3' }) },
  'webhooks.remove': { send: async (world) => ({ params: { id: (await world.webhook()).id } }) },
  'webhooks.update': {
    send: async (world) => ({
      params: { id: (await world.oneWebhook()).id },
      body: { ...newWebhook, name: 'Renamed', status: 'disabled' },
    }),
  },
  'sessions.authorize': {
    send: async (world) => ({
      body: { nonce: (await world.session()).nonce, permissions: ['token-intent:create'] },
    }),
  },
  'sessions.create': { send: () => ({}) },
  'threeDs.authenticate': {
    send: async (world) => ({ params: { id: (await world.threeDs('new')).id }, body: payment }),
  },
  'threeDs.create': {
    send: async (world) => ({
      body: { token_id: (await world.token({ type: 'card', data: threeDsCard })).id, ...inBrowser },
    }),
  },
  'threeDs.get': { send: async (world) => ({ params: { id: (await world.threeDs('new')).id } }) },
  'threeDs.getChallengeResult': {
    send: async (world) => ({ params: { id: (await world.threeDs('authenticated')).id } }),
  },
  'tenants.remove': { send: () => ({}) },
  'tenants.setSecurityContact': { send: () => ({ body: { email: 'a@example.com' } }) },
  'tenants.update': { send: () => ({ body: { name: 'Test', settings: { log_retention_days: '30' } } }) },
  'tokenIntents.create': { send: () => ({ body: { type: 'card_number', data: number } }) },
  'tokenIntents.get': { send: async (world) => ({ params: { id: (await world.intent()).id } }) },
  'tokenIntents.remove': { send: async (world) => ({ params: { id: (await world.intent()).id } }) },
  'tokens.create': { send: () => ({ body: { type: 'card_number', data: number } }), shown: dataOf },
  'tokens.detokenize': {
    send: async (world) => ({ body: { here: `{{ ${(await world.token()).id} }}` } }),
    shown: (body) => (body as { here: unknown }).here ?? undefined,
  },
  'tokens.get': { send: async (world) => ({ params: { id: (await world.token()).id } }), shown: dataOf },
  'tokens.list': {
    async send(world) {
      await world.token()
      return { query: 'type=card_number&size=1' }
    },
    shown: dataOfFirst,
  },
  'tokens.listV1': {
    send: async (world) => ({ query: `id=${(await world.token()).id}` }),
    shown: dataOfFirst,
  },
  'tokens.remove': { send: async (world) => ({ params: { id: (await world.token()).id } }) },
  'tokens.search': {
    async send(world) {
      await world.token()
      return { body: { query: 'type:card_number AND container:"/pci/"', size: 1 } }
    },
    shown: dataOfFirst,
  },
  'tokens.searchV1': {
    send: async (world) => ({ body: { query: `id:${(await world.token()).id}` } }),
    shown: dataOfFirst,
  },
  'tokens.tokenize': { send: () => ({ body: { type: 'card_number', data: number } }), shown: dataOf },
  'tokens.update': {
    send: async (world) => ({
      params: { id: (await world.token()).id },
      body: { metadata: { a: 'b' } },
    }),
    shown: dataOf,
  },
}

async function keyOfNew(world: TestServer): Promise<ExampleRequest> {
  const { id, keys } = await world.application()
  return { params: { id, keyId: keys[0]?.id ?? '' } }
}

function dataOf(body: unknown): unknown {
  return (body as { data?: unknown }).data
}

function dataOfFirst(body: unknown): unknown {
  const [first] = (body as { data: unknown[] }).data
  if (!first) throw new Error('expected a token in the list')
  return dataOf(first)
}

/** Returns the path of a request, with its parameters encoded. */
export function toPath(template: string, { params = {}, query }: ExampleRequest): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return query === undefined ? path : `${path}?${query}`
}
