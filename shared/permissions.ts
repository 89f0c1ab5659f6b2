export const applicationTypes = ['private', 'public', 'management'] as const
export type ApplicationType = (typeof applicationTypes)[number]

type PermissionInfo = {
  readonly description: string
  readonly application_types: readonly ApplicationType[]
  /** Not implemented: it can be granted, but allows nothing. */
  readonly unbuilt?: true
  /** What granting the permission allows beyond what its name says (case X-51). */
  readonly warning?: string
}

function createInfo<Types extends readonly ApplicationType[]>(
  description: string,
  ...application_types: Types
) {
  return { description, application_types } as const
}

function createUnbuilt<Types extends readonly ApplicationType[]>(
  description: string,
  ...application_types: Types
) {
  return { ...createInfo(description, ...application_types), unbuilt: true } as const
}

const codeWarning =
  'While running code is enabled, amounts to reading everything that reactors receive, and to the permissions of any application'

/** The types of the applications that have no key in a page. */
const backend = ['private', 'management'] as const
const networkTokenWarning =
  'Deduplication reveals whether a card number has a network token, the expiration date of the card, and the ids of its token and token intent'

/** Every permission: what it allows and which application types may hold it (rules P-01, P-02). */
export const permissions = {
  'token:create': {
    description: 'Create tokens',
    application_types: ['public', 'private'],
    warning:
      'Deduplication reveals whether the same data is stored anywhere in the vault, and the id and containers of its token',
  },
  'token:read': { description: 'Read tokens', application_types: ['private'] },
  'token:update': {
    description: 'Update tokens',
    application_types: ['public', 'private'],
    warning:
      'Amounts to reading: a new mask or a move to a container with another rule can show the data, and a new fingerprint expression, search index or metadata can confirm guesses, even with redact',
  },
  'token:delete': { description: 'Delete tokens', application_types: ['private'] },
  'token:use': {
    description: 'Use tokens in operations that need their plaintext',
    application_types: ['private'],
    warning:
      'Amounts to reading: the caller of a proxy can send plaintext to any program on this machine and to every allowed host',
  },
  'token:search': {
    description: 'Search tokens',
    application_types: ['private'],
    warning: 'A search confirms guesses of indexed data, even with redact',
  },
  'token-intent:create': { description: 'Create token intents', application_types: ['public', 'private'] },
  'token-intent:read': { description: 'Read token intents', application_types: ['private'] },
  'token-intent:delete': { description: 'Delete token intents', application_types: ['private'] },
  'application:create': {
    description: 'Create applications and keys',
    application_types: ['management'],
    warning: 'Amounts to every permission: it can create a key that reveals all data',
  },
  'application:read': { description: 'Read applications and keys', application_types: ['management'] },
  'application:update': {
    description: 'Update applications',
    application_types: ['management'],
    warning: 'Amounts to every permission: it can grant any application, including its own, more permissions',
  },
  'application:delete': { description: 'Delete applications and keys', application_types: ['management'] },
  'tenant:read': { description: 'Read the tenant', application_types: ['management'] },
  'tenant:update': { description: 'Update the tenant', application_types: ['management'] },
  'tenant:delete': createUnbuilt('Delete the tenant', 'management'),
  'tenant:member:read': { description: 'Read the members of the tenant', application_types: ['management'] },
  'tenant:member:update': {
    description: 'Update the members of the tenant',
    application_types: ['management'],
  },
  // The owner, the only member, cannot be removed.
  'tenant:member:delete': createUnbuilt('Remove members from the tenant', 'management'),
  'tenant:invitation:create': { description: 'Invite members', application_types: ['management'] },
  'tenant:invitation:read': { description: 'Read invitations', application_types: ['management'] },
  'tenant:invitation:update': { description: 'Resend invitations', application_types: ['management'] },
  'tenant:invitation:delete': { description: 'Revoke invitations', application_types: ['management'] },
  'tenant:merchant:create': { description: 'Create merchants', application_types: ['management'] },
  'tenant:merchant:read': { description: 'Read merchants', application_types: ['management'] },
  'tenant:merchant:update': { description: 'Update merchants', application_types: ['management'] },
  'tenant:merchant:delete': { description: 'Delete merchants', application_types: ['management'] },
  'report:read': { description: 'Read the usage report', application_types: ['management'] },
  'log:read': { description: 'Read the log', application_types: ['management'] },
  'proxy:create': { description: 'Create proxies', application_types: ['management'] },
  'proxy:read': { description: 'Read proxies', application_types: ['management'] },
  'proxy:update': { description: 'Update proxies', application_types: ['management'] },
  'proxy:delete': { description: 'Delete proxies', application_types: ['management'] },
  'proxy:invoke': {
    description: 'Invoke proxies',
    application_types: ['private'],
    warning:
      'Amounts to reading: the caller of a proxy can send plaintext to any program on this machine and to every allowed host',
  },
  'reactor:create': {
    description: 'Create reactors',
    application_types: ['management'],
    warning: codeWarning,
  },
  'reactor:read': { description: 'Read reactors', application_types: ['management'] },
  'reactor:update': {
    description: 'Update reactors',
    application_types: ['management'],
    warning: codeWarning,
  },
  'reactor:delete': { description: 'Delete reactors', application_types: ['management'] },
  'reactor:invoke': {
    description: 'Run reactors',
    application_types: ['private'],
    warning: 'Amounts to reading if a reactor returns its input or sends it on',
  },
  'webhooks:create': { description: 'Create webhooks', application_types: ['management'] },
  'webhooks:read': { description: 'Read webhooks', application_types: ['management'] },
  'webhooks:update': { description: 'Update webhooks', application_types: ['management'] },
  'webhooks:delete': { description: 'Delete webhooks', application_types: ['management'] },
  'webhook:create': { description: 'The same as webhooks:create', application_types: ['management'] },
  'webhook:read': { description: 'The same as webhooks:read', application_types: ['management'] },
  'webhook:update': { description: 'The same as webhooks:update', application_types: ['management'] },
  'webhook:delete': { description: 'The same as webhooks:delete', application_types: ['management'] },
  'keys:create': { description: 'Create client encryption keys', application_types: ['management'] },
  'keys:read': { description: 'Read client encryption keys', application_types: ['management'] },
  'keys:delete': { description: 'Delete client encryption keys', application_types: ['management'] },
  'documents:create': { description: 'Upload documents', application_types: ['private'] },
  'documents:read': { description: 'Read metadata of documents', application_types: ['private'] },
  'documents:reveal': { description: 'Download documents', application_types: ['private'] },
  'documents:delete': { description: 'Delete documents', application_types: ['private'] },
  '3ds:session:create': {
    description: 'Create 3D Secure sessions',
    application_types: ['public', 'private'],
  },
  '3ds:session:read': {
    description: 'Read 3D Secure sessions',
    application_types: ['private', 'management'],
  },
  '3ds:session:authenticate': {
    description: 'Authenticate 3D Secure sessions',
    application_types: ['private', 'management'],
  },
  'apple-pay:create': {
    description: 'Create Apple Pay tokens',
    application_types: ['public', 'private', 'management'],
  },
  'apple-pay:read': { description: 'Read Apple Pay tokens', application_types: ['private', 'management'] },
  'apple-pay:reveal': {
    description: 'Reveal Apple Pay tokens',
    application_types: ['private', 'management'],
  },
  'apple-pay:delete': {
    description: 'Delete Apple Pay tokens',
    application_types: ['private', 'management'],
  },
  'apple-pay:session': {
    description: 'Create Apple Pay sessions',
    application_types: ['public', 'private', 'management'],
  },
  'apple-pay:manage': {
    description: 'Manage Apple Pay domains, registrations and certificates',
    application_types: ['private', 'management'],
  },
  'google-pay:create': {
    description: 'Create Google Pay tokens',
    application_types: ['public', 'private', 'management'],
  },
  'google-pay:read': { description: 'Read Google Pay tokens', application_types: ['private', 'management'] },
  'google-pay:reveal': {
    description: 'Reveal Google Pay tokens',
    application_types: ['private', 'management'],
  },
  'google-pay:delete': {
    description: 'Delete Google Pay tokens',
    application_types: ['private', 'management'],
  },
  'google-pay:manage': {
    description: 'Manage Google Pay registrations and certificates',
    application_types: ['private', 'management'],
  },
  'network-token:create': {
    description: 'Create network tokens',
    application_types: backend,
    warning: networkTokenWarning,
  },
  'network-token:read': { description: 'Read network tokens', application_types: backend },
  'network-token:reveal': { description: 'Reveal network tokens', application_types: backend },
  'network-token:update': { description: 'Suspend and resume network tokens', application_types: backend },
  'network-token:delete': { description: 'Delete network tokens', application_types: backend },
  'network-token:cryptogram': { description: 'Create cryptograms', application_types: backend },
  'network-token:suspend': { description: 'Suspend network tokens', application_types: backend },
  'network-token:resume': { description: 'Resume network tokens', application_types: backend },
  'network_token:create': {
    description: 'The same as network-token:create',
    application_types: backend,
    warning: networkTokenWarning,
  },
  'account-updater:job:create': {
    description: 'Create account updater jobs',
    application_types: ['private', 'management'],
  },
  'account-updater:job:read': {
    description: 'Read account updater jobs',
    application_types: ['private', 'management'],
  },
  'account-updater:real-time:invoke': {
    description: 'Update the card of a token',
    application_types: ['private', 'management'],
  },
  'connections:create': { description: 'Create connections', application_types: ['management'] },
  'connections:read': createUnbuilt('Read connections', 'management'),
  'connections:update': createUnbuilt('Update connections', 'management'),
  'connections:delete': { description: 'Delete connections', application_types: ['management'] },
  'agent:create': createInfo('Create agents', 'private', 'management'),
  'agent:get': createInfo('Read agents', 'private', 'management'),
  'agent:update': createInfo('Update agents', 'private', 'management'),
  'agent:delete': createInfo('Delete agents', 'private', 'management'),
  'agent:instruction:create': createInfo('Create instructions of agents', 'private', 'management'),
  'agent:instruction:get': createInfo('Read instructions of agents', 'private', 'management'),
  'agent:instruction:update': createInfo('Update instructions of agents', 'private', 'management'),
  'agent:instruction:delete': createInfo('Cancel instructions of agents', 'private', 'management'),
  'agent:instruction:verify': createInfo('Verify instructions', 'public', 'private', 'management'),
  'agent:instruction:credentials': createInfo('Get credentials of instructions', 'private', 'management'),
  'enrollment:create': createInfo('Create enrollments', 'private', 'management'),
  'enrollment:get': createInfo('Read enrollments', 'private', 'management'),
  'enrollment:delete': createInfo('Delete enrollments', 'private', 'management'),
  'enrollment:verify': createInfo('Verify enrollments', 'public', 'private', 'management'),
} as const satisfies Record<string, PermissionInfo>

export type Permission = keyof typeof permissions

/** The resource of a permission: `token`, `tenant`, `3ds`. */
export type PermissionSubject = Permission extends infer P
  ? P extends `${infer Subject}:${string}`
    ? Subject
    : never
  : never

export const permissionNames = Object.keys(permissions) as Permission[]

/** Whether an application of this type may hold the permission (rule P-02). */
export function mayHold(type: ApplicationType, permission: Permission): boolean {
  const { application_types }: PermissionInfo = permissions[permission]
  return application_types.includes(type)
}

/** Whether a permission can be granted but allows nothing, because its area is not implemented (rule P-01). */
export function allowsNothing(permission: Permission): boolean {
  const info: PermissionInfo = permissions[permission]
  return info.unbuilt === true
}

/** Returns a phrase that says what granting a permission allows beyond its name; undefined for most permissions. */
export function getPermissionWarning(permission: Permission): string | undefined {
  const { warning }: PermissionInfo = permissions[permission]
  return warning
}

/** The subjects of the permissions that the hosted service describes, in its words. */
const hostedSubjects: Readonly<Record<string, string>> = {
  token: 'Tokens',
  application: 'Applications',
  tenant: 'Tenants',
  'tenant:member': 'Tenant Members',
  'tenant:invitation': 'Tenant Invitations',
  proxy: 'Proxies',
  reactor: 'Reactors',
}

const hostedDescriptions: Partial<Record<Permission, string>> = {
  'token:use': 'Use Tokens in Basis Theory Services (e.g., Proxy, Reactors)',
  'application:update': 'Update and regenerate API keys for Applications',
  'log:read': 'Read audit logs',
  'report:read': 'Read reports',
}

/** Describes a permission in the words of the hosted service, or else in Coffer's (rule P-01). */
export function describePermission(permission: Permission): string {
  const at = permission.lastIndexOf(':')
  const subject = hostedSubjects[permission.slice(0, at)]
  const verb = permission.charAt(at + 1).toUpperCase() + permission.slice(at + 2)
  const described = subject === undefined ? permissions[permission].description : `${verb} ${subject}`
  return hostedDescriptions[permission] ?? described
}

/** Says what the description of a permission does not: that it allows nothing, or more than its name says (case X-51). */
export function getPermissionNote(permission: Permission): string | undefined {
  return allowsNothing(permission) ? 'Allows nothing in Coffer' : getPermissionWarning(permission)
}
