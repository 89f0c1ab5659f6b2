import type { PermissionSubject } from './permissions.ts'

/** What Coffer does with an entity. Each member is a decision, so a new entity cannot be forgotten anywhere. */
type EntityDecisions = {
  /** The name inside a sentence. */
  readonly name: string
  /** The plural, unless it is the name with an s. */
  readonly plural?: string
  /** The subject of its permissions, whose group has the plural of the entity as its name. */
  readonly group: PermissionSubject | null
  /** Whether log records are about it (rule O-05). */
  readonly logged: boolean
  /** Whether its store reports changes, which the lists of the window follow. */
  readonly followed: boolean
  /** Whether a restore says how many come back. `works`: they also act again. */
  readonly restored: 'returns' | 'works' | false
  /** Whether it has a time after which the sweep deletes it. */
  readonly expires: boolean
  /** Whether a seed can create it. */
  readonly seeded: boolean
  /** Whether a push copies it. `reported`: a push says that it does not. */
  readonly pushed: boolean | 'reported'
}

const none = {
  group: null,
  logged: false,
  followed: false,
  restored: false,
  expires: false,
  seeded: false,
  pushed: false,
} as const
/** A part of a resource, or rows that only the owner sees. */
const onlyFollowed = { ...none, name: '', followed: true } as const

/**
 * Every entity, in the order in which lists show them. A resource writes every decision. `none` is for
 * parts of resources, and for what every vault has once.
 */
export const entities = {
  token: {
    name: 'token',
    group: 'token',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: true,
    seeded: true,
    pushed: true,
  },
  token_intent: {
    name: 'token intent',
    group: 'token-intent',
    logged: true,
    followed: true,
    restored: false,
    expires: true,
    seeded: false,
    pushed: false,
  },
  application: {
    name: 'application',
    group: 'application',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: true,
    seeded: true,
    pushed: true,
  },
  application_key: { ...none, name: 'application key', logged: true, followed: true, restored: 'works' },
  session: { ...none, name: 'session', logged: true, followed: true, expires: true },
  proxy: {
    name: 'proxy',
    plural: 'proxies',
    group: 'proxy',
    logged: true,
    followed: true,
    restored: 'works',
    expires: false,
    seeded: true,
    pushed: true,
  },
  document: {
    name: 'document',
    group: 'documents',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: false,
    seeded: true,
    pushed: true,
  },
  reactor: {
    name: 'reactor',
    group: 'reactor',
    logged: true,
    followed: true,
    restored: 'works',
    expires: false,
    seeded: true,
    pushed: true,
  },
  webhook: {
    name: 'webhook',
    group: 'webhooks',
    logged: true,
    followed: true,
    restored: 'works',
    expires: false,
    seeded: true,
    pushed: true,
  },
  three_ds_session: {
    name: '3D Secure session',
    group: null,
    logged: true,
    followed: true,
    restored: false,
    expires: true,
    seeded: false,
    pushed: false,
  },
  apple_pay: {
    name: 'Apple Pay payment',
    group: 'apple-pay',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: true,
    seeded: false,
    pushed: false,
  },
  google_pay: {
    name: 'Google Pay payment',
    group: 'google-pay',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: true,
    seeded: false,
    pushed: false,
  },
  network_token: {
    name: 'network token',
    group: 'network-token',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: false,
    seeded: true,
    pushed: 'reported',
  },
  wallet_merchant: {
    name: 'merchant registration of a wallet',
    plural: 'merchant registrations of wallets',
    group: null,
    logged: true,
    followed: true,
    restored: 'returns',
    expires: false,
    seeded: true,
    pushed: 'reported',
  },
  wallet_certificate: { ...none, name: 'wallet certificate', logged: true, followed: true },
  wallet_domain: { ...none, name: 'Apple Pay domain', logged: true, followed: true, seeded: true },
  client_key: {
    name: 'client encryption key',
    group: 'keys',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: true,
    seeded: true,
    pushed: 'reported',
  },
  tenant: { ...none, name: 'tenant', logged: true, followed: true, seeded: true },
  invitation: { ...none, name: 'invitation', logged: true, followed: true, seeded: true, pushed: 'reported' },
  account_updater_job: {
    name: 'account updater job',
    group: 'account-updater',
    logged: true,
    followed: true,
    restored: false,
    expires: true,
    seeded: false,
    pushed: false,
  },
  merchant: {
    name: 'merchant',
    group: null,
    logged: true,
    followed: true,
    restored: 'returns',
    expires: false,
    seeded: true,
    pushed: true,
  },
  agent: {
    name: 'agent',
    group: 'agent',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: false,
    // A program could not find it, because the API has no list of agents.
    seeded: false,
    pushed: 'reported',
  },
  enrollment: {
    name: 'enrollment',
    group: 'enrollment',
    logged: true,
    followed: true,
    restored: 'returns',
    expires: false,
    seeded: true,
    pushed: 'reported',
  },
  instruction: { ...none, name: 'instruction', logged: true, followed: true },
  tenant_connection: { ...none, name: 'tenant connection', logged: true, followed: true },
  // It changes only when the vault returns to an earlier state, because new log entries are delivered as records.
  log: { ...none, name: 'log', logged: true, followed: true, expires: true },
  vault: { ...none, name: 'vault', logged: true },
  /** The time when keys were last used. */
  key_use: onlyFollowed,
  exchange: onlyFollowed,
  reactor_run: onlyFollowed,
  delivery: onlyFollowed,
  signing_key: onlyFollowed,
  bank_account: onlyFollowed,
  bin: onlyFollowed,
  saved_search: onlyFollowed,
  draft: onlyFollowed,
} as const satisfies Readonly<Record<string, EntityDecisions>>

export type EntityName = keyof typeof entities

/** The entities with this value for a decision. */
export type EntityWith<Decision extends keyof EntityDecisions, Value = true> = {
  [Name in EntityName]: Extract<(typeof entities)[Name], Readonly<Record<Decision, Value>>> extends never
    ? never
    : Name
}[EntityName]

/** An entity that a log record can be about (rule O-05). */
export type Entity = EntityWith<'logged'>
/** An entity whose changes are reported. */
export type ChangingEntity = EntityWith<'followed'>

export const entityNames = Object.keys(entities) as EntityName[]

export const loggedEntities = entityNames.filter((name): name is Entity => entities[name].logged)
export const changingEntities = entityNames.filter((name): name is ChangingEntity => entities[name].followed)

/** Returns the plural of an entity's name: `application keys`. */
export function getPlural(entity: EntityName): string {
  const { name, plural }: EntityDecisions = entities[entity]
  return plural ?? `${name}s`
}

/** Returns a text with an upper-case first letter: `Application key`. */
export function capitalizeFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
