import {
  type ApplicationType,
  allowsNothing,
  mayHold,
  type Permission,
  type PermissionSubject,
  permissionNames,
} from '../../../shared/permissions.ts'

/** What permissions are about, in the order in which they are shown. */
const subjects: Readonly<Record<PermissionSubject, string>> = {
  token: 'Tokens',
  'token-intent': 'Token intents',
  application: 'Applications',
  tenant: 'Tenant',
  report: 'Usage report',
  log: 'Log',
  proxy: 'Proxies',
  reactor: 'Reactors',
  webhooks: 'Webhooks',
  webhook: 'Webhooks, spelled webhook',
  keys: 'Client encryption keys',
  documents: 'Documents',
  '3ds': '3D Secure',
  'apple-pay': 'Apple Pay',
  'google-pay': 'Google Pay',
  'network-token': 'Network tokens',
  'account-updater': 'Account updater',
  connections: 'Connections',
}
const inOrder = Object.entries(subjects) as [PermissionSubject, string][]

export type PermissionGroup = {
  readonly subject: PermissionSubject
  readonly name: string
  readonly permissions: readonly Permission[]
}

/** Permissions by what they are about: `token`, `application` and so on. */
export function groupsOf(permissions: readonly Permission[]): PermissionGroup[] {
  return inOrder
    .map(([subject, name]) => ({
      subject,
      name,
      permissions: permissions.filter((permission) => permission.split(':')[0] === subject),
    }))
    .filter((group) => group.permissions.length > 0)
}

/** Those that allow something, and those that can be granted and allow nothing (rule P-01). */
export function splitByUse(permissions: readonly Permission[]): {
  readonly useful: readonly Permission[]
  readonly useless: readonly Permission[]
} {
  return {
    useful: permissions.filter((each) => !allowsNothing(each)),
    useless: permissions.filter(allowsNothing),
  }
}

/** What an application of a type may hold at all (rule P-02). */
export function heldBy(type: ApplicationType): Permission[] {
  return permissionNames.filter((permission) => mayHold(type, permission))
}

/** What a permission lets do with its subject: `read` of `token:read`, `member:read` of `tenant:member:read`. */
export function verbOf(permission: Permission): string {
  return permission.slice(permission.indexOf(':') + 1)
}
