import {
  type ApplicationType,
  allowsNothing,
  mayHold,
  type Permission,
  type PermissionSubject,
  permissionNames,
} from '../../../shared/permissions.ts'

/** The subjects of permissions, in display order. */
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

/** Permissions grouped by subject: `token`, `application` and so on. */
export function groupPermissions(permissions: readonly Permission[]): PermissionGroup[] {
  return inOrder
    .map(([subject, name]) => ({
      subject,
      name,
      permissions: permissions.filter((permission) => permission.split(':')[0] === subject),
    }))
    .filter((group) => group.permissions.length > 0)
}

/** Splits permissions into those that allow something and those that can be granted but allow nothing (rule P-01). */
export function splitByUse(permissions: readonly Permission[]): {
  readonly useful: readonly Permission[]
  readonly useless: readonly Permission[]
} {
  return {
    useful: permissions.filter((each) => !allowsNothing(each)),
    useless: permissions.filter(allowsNothing),
  }
}

/** The permissions an application of this type may hold (rule P-02). */
export function listHoldablePermissions(type: ApplicationType): Permission[] {
  return permissionNames.filter((permission) => mayHold(type, permission))
}

/** The action of a permission: `read` for `token:read`, `member:read` for `tenant:member:read`. */
export function getPermissionVerb(permission: Permission): string {
  return permission.slice(permission.indexOf(':') + 1)
}
