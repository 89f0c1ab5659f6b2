const token = [
  'token.id',
  'token.type',
  'token.metadata',
  'token.containers',
  'token.fingerprint',
  'token.fingerprint_expression',
  'token.search_indexes',
  'token.created_by',
  'token.created_at',
  'token.expires_at',
] as const
const application = [
  'application.id',
  'application.type',
  'application.name',
  'application.permissions',
  'application.rules',
  'application.created_by',
  'application.created_at',
] as const
const session = [
  'session.id',
  'session.created_at',
  'session.created_by',
  'session.expires_at',
  'session.issued_to_application.id',
  'session.issued_to_application.name',
] as const
const invitation = [
  'invitation.id',
  'invitation.email',
  'invitation.role',
  'invitation.expires_at',
  'invitation.created_at',
  'invitation.created_by',
] as const
const reactor = ['reactor.id', 'reactor.name', 'reactor.created_by', 'reactor.created_at'] as const
const run = ['reactor.id', 'reactor.name', 'request.id?', 'request.invocation_type'] as const

function listModifiedFields(entity: string): readonly string[] {
  return [`${entity}.modified_by`, `${entity}.modified_at`]
}

const job = ['job.id', 'job.status'] as const
function listWalletFields(entity: string): readonly string[] {
  return ['id', 'status', 'created_by', 'created_at', 'expires_at'].map((member) => `${entity}.${member}`)
}

const networkToken = [
  'network_token.id',
  'network_token.status',
  'network_token.token_id?',
  'network_token.token_intent_id?',
  'network_token.created_by',
  'network_token.created_at',
] as const

const threeDs = ['session.id', 'session.type', 'session.tenant_id'] as const
const threeDsDetails = [
  'session.created_at',
  'session.created_by',
  'session.device',
  'session.expires_at',
  'session.token_id?',
  'session.token_intent_id?',
  'session.card_brand',
] as const

type EventTypeInfo = {
  /** When the event happens, as a sentence; null for events of areas that Coffer does not have. */
  readonly cause: string | null
  /** The members of `data` as paths, without `actor`. A member that ends in `?` may be absent; others may be null. */
  readonly data: readonly string[]
}

/** An event of the hosted service that Coffer never sends, although webhooks may subscribe to it. */
const never: EventTypeInfo = { cause: null, data: [] }

/** Every event type (rule W-01): when it happens, and the members of its data. */
const webhookEvents = {
  '3ds.session.authenticated': {
    cause: 'A 3D Secure session is authenticated',
    data: ['session.id', 'session.type', 'session.authentication_status', ...threeDsDetails],
  },
  '3ds.session.challenge-completed': {
    cause: 'A challenge is answered; every result but `successful` is `failed`',
    data: [...threeDs, 'session.authentication_status'],
  },
  '3ds.session.challenge-result-retrieved': {
    cause: 'The result of a challenge is retrieved',
    data: [...threeDs, ...threeDsDetails],
  },
  '3ds.session.created': { cause: 'A 3D Secure session is created', data: [...threeDs, ...threeDsDetails] },
  '3ds.session.decoupled-challenge-notification': {
    cause: 'A decoupled challenge is answered',
    data: threeDs,
  },
  '3ds.session.method-completed': { cause: 'The browser completes the 3DS method of a card', data: threeDs },
  'account-updater.job.completed': {
    cause: 'A job of the account updater has processed every row',
    data: job,
  },
  'account-updater.job.created': { cause: 'A job of the account updater is created', data: job },
  'account-updater.job.failed': {
    cause: 'A job of the account updater ends without processing every row',
    data: job,
  },
  'apple-pay.created': { cause: 'A payment of Apple Pay is stored', data: listWalletFields('apple_pay') },
  'apple-pay.deleted': {
    cause: 'A payment of Apple Pay is deleted',
    data: [...listWalletFields('apple_pay'), ...listModifiedFields('apple_pay')],
  },
  'apple-pay.retrieved': { cause: 'A program gets a payment of Apple Pay', data: ['apple_pay.id'] },
  'application.created': { cause: 'An application is created', data: application },
  'application.deleted': { cause: 'An application is deleted or expires', data: ['application.id'] },
  'application.key.created': {
    cause: 'A key is added to an application',
    data: [
      'application_key.id',
      'application_key.application_id',
      'application_key.version',
      'application_key.created_at',
      'application_key.created_by',
    ],
  },
  'application.key.deleted': {
    cause: 'A key is deleted, by itself or with its application',
    data: ['application_key.id', 'application_key.application_id'],
  },
  'application.updated': {
    cause: 'An application is changed',
    data: [...application, ...listModifiedFields('application')],
  },
  'google-pay.created': { cause: 'A payment of Google Pay is stored', data: listWalletFields('google_pay') },
  'google-pay.deleted': {
    cause: 'A payment of Google Pay is deleted',
    data: [...listWalletFields('google_pay'), ...listModifiedFields('google_pay')],
  },
  'google-pay.retrieved': { cause: 'A program gets a payment of Google Pay', data: ['google_pay.id'] },
  'http.request': {
    cause: 'The vault responds to an HTTP request that has a valid key',
    data: ['request.method', 'request.path', 'request.headers', 'response.status', 'response.headers'],
  },
  'network-token.created': { cause: 'A network token is created', data: networkToken },
  'network-token.cryptogram.created': {
    cause: 'A cryptogram is created for a payment',
    data: networkToken,
  },
  'network-token.deleted': { cause: 'A network token is deleted', data: networkToken },
  'network-token.updated': { cause: 'A network token is suspended or resumed', data: networkToken },
  'proxy.created': {
    cause: 'A proxy is created',
    data: [
      'proxy.id',
      'proxy.name',
      'proxy.application_id',
      'proxy.destination_url',
      'proxy.require_authentication',
      'proxy.created_at',
      'proxy.created_by',
    ],
  },
  'proxy.deleted': { cause: 'A proxy is deleted', data: ['proxy.id'] },
  'proxy.invoked': {
    cause: 'An authorized call of a proxy ends, whether or not it reached the destination',
    data: [
      'proxy.id',
      'proxy.name',
      'proxy.type',
      'proxy.response.error?',
      'proxy.response.status',
      'proxy.response.elapsed_ms',
      'destination.request.body',
      'destination.request.headers',
      'destination.request.method',
      'destination.request.query',
      'destination.request.url',
      'destination.response.body',
      'destination.response.elapsed_ms',
      'destination.response.headers',
      'destination.response.status',
      'request_transform.response.error',
      'response_transform.response.error',
      'request.headers',
      'request.method',
      'request.url',
      'response.headers',
      'response.status_code',
      'response.elapsed_ms',
    ],
  },
  'proxy.updated': {
    cause: 'A proxy is changed',
    data: [
      'proxy.id',
      'proxy.name',
      'proxy.proxy_host',
      'proxy.timeout',
      'proxy.destination_url',
      'proxy.require_authentication',
      'proxy.created_by',
      'proxy.created_at',
      ...listModifiedFields('proxy'),
    ],
  },
  'reactor.completed': { cause: 'A reactor returns', data: [...run, 'elapsed_ms'] },
  'reactor.created': { cause: 'A reactor is created', data: reactor },
  'reactor.deleted': { cause: 'A reactor is deleted', data: ['reactor.id'] },
  'reactor.failed': { cause: 'A reactor throws, or exceeds a limit', data: [...run, 'error', 'elapsed_ms'] },
  'reactor.invoked': { cause: 'A reactor starts to run', data: run },
  'reactor.updated': { cause: 'A reactor is changed', data: [...reactor, ...listModifiedFields('reactor')] },
  'session.authorized': {
    cause: 'A session is authorized',
    data: [...session, 'session.permissions', 'session.rules'],
  },
  'session.created': { cause: 'A session is started', data: session },
  'tenant.created': never,
  'tenant.deleted': never,
  'tenant.invitation.accepted': never,
  'tenant.invitation.created': { cause: 'A member is invited', data: invitation },
  'tenant.invitation.deleted': { cause: 'An invitation is deleted', data: invitation },
  'tenant.invitation.resent': { cause: 'An invitation is renewed for another 72 hours', data: invitation },
  'tenant.member.created': never,
  'tenant.member.deleted': never,
  'tenant.updated': {
    cause: 'The name or the settings of the tenant are changed',
    data: [
      'tenant.id',
      'tenant.name',
      'tenant.created_by',
      'tenant.created_at',
      'tenant.modified_by',
      'tenant.modified_at',
    ],
  },
  'token-intent.converted': {
    cause: 'A token intent is converted to a token',
    data: ['token_intent.id', 'token_intent.type', 'token.id', 'token.type'],
  },
  'token-intent.created': {
    cause: 'A token intent is created',
    data: [
      'token_intent.id',
      'token_intent.type',
      'token_intent.fingerprint',
      'token_intent.created_by',
      'token_intent.created_at',
      'token_intent.expires_at',
    ],
  },
  'token-intent.deleted': { cause: 'A token intent is deleted or expires', data: ['token_intent.id'] },
  'token.created': { cause: 'A token is created', data: token },
  'token.deleted': { cause: 'A token is deleted', data: ['token.id'] },
  'token.expired': { cause: 'The vault deletes an expired token', data: ['token.id'] },
  'token.property.expired': {
    cause: 'The vault deletes the expired security code of a card',
    data: ['token.id', 'token.property_name'],
  },
  'token.read': {
    cause: 'A program gets, lists, finds or detokenizes a token',
    data: ['token.id', 'token.type'],
  },
  'token.updated': { cause: 'A token is changed', data: [...token, ...listModifiedFields('token')] },
} as const satisfies Record<string, EventTypeInfo>

export type EventType = keyof typeof webhookEvents

/** Every event type, sorted. */
export const eventTypes = Object.keys(webhookEvents).sort() as EventType[]

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(webhookEvents, text)
}

/** Returns when an event happens, as a sentence; null if Coffer never sends it. */
export function getEventCause(type: EventType): string | null {
  return webhookEvents[type].cause
}

/** Lists the members of an event's data as paths, without `actor`; a member that ends in `?` may be absent. */
export function listEventFields(type: EventType): readonly string[] {
  return webhookEvents[type].data
}
