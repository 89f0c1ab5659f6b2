export const applicationTypes = ['private', 'public', 'management'] as const
export type ApplicationType = (typeof applicationTypes)[number]

/** Every permission: what it allows and which application types may hold it (rules P-01, P-02). */
export const permissions = {
  'token:create': { description: 'Create tokens', application_types: ['public', 'private'] },
  'token:read': { description: 'Read tokens', application_types: ['private'] },
  'token:update': { description: 'Update tokens', application_types: ['public', 'private'] },
  'token:delete': { description: 'Delete tokens', application_types: ['private'] },
  'token:use': {
    description: 'Use tokens in operations that need their plaintext',
    application_types: ['private'],
  },
  'token:search': { description: 'Search tokens', application_types: ['private'] },
  'token-intent:create': { description: 'Create token intents', application_types: ['public', 'private'] },
  'token-intent:read': { description: 'Read token intents', application_types: ['private'] },
  'token-intent:delete': { description: 'Delete token intents', application_types: ['private'] },
  'application:create': { description: 'Create applications and keys', application_types: ['management'] },
  'application:read': { description: 'Read applications and keys', application_types: ['management'] },
  'application:update': { description: 'Update applications', application_types: ['management'] },
  'application:delete': { description: 'Delete applications and keys', application_types: ['management'] },
  'tenant:read': { description: 'Read the tenant and its usage', application_types: ['management'] },
  'tenant:update': { description: 'Update the tenant', application_types: ['management'] },
  'log:read': { description: 'Read the log', application_types: ['management'] },
} as const satisfies Record<string, { description: string; application_types: readonly ApplicationType[] }>

export type Permission = keyof typeof permissions

export const permissionNames = Object.keys(permissions) as Permission[]

/** Whether an application of this type may hold the permission (rule P-02). */
export function mayHold(type: ApplicationType, permission: Permission): boolean {
  const types: readonly ApplicationType[] = permissions[permission].application_types
  return types.includes(type)
}
