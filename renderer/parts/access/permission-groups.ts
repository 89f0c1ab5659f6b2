import {
  type ApplicationType,
  allowsNothing,
  mayHold,
  type Permission,
  type PermissionSubject,
  permissionNames,
} from '../../../shared/permissions.ts'

/** Display names of the permission subjects, in display order. */
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
  webhook: 'Webhooks (webhook:…)',
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

export function groupPermissions(permissions: readonly Permission[]): PermissionGroup[] {
  return inOrder
    .map(([subject, name]) => ({
      subject,
      name,
      permissions: permissions.filter((permission) => permission.split(':')[0] === subject),
    }))
    .filter((group) => group.permissions.length > 0)
}

/** Separates permissions that can be granted but have no effect (rule P-01) from the rest. */
export function splitByUse(permissions: readonly Permission[]): {
  readonly useful: readonly Permission[]
  readonly useless: readonly Permission[]
} {
  return {
    useful: permissions.filter((each) => !allowsNothing(each)),
    useless: permissions.filter(allowsNothing),
  }
}

/** The permissions that an application of this type may have (rule P-02). */
export function listHoldablePermissions(type: ApplicationType): Permission[] {
  return permissionNames.filter((permission) => mayHold(type, permission))
}

/** The action of a permission: `read` for `token:read`, `member:read` for `tenant:member:read`. */
export function getPermissionVerb(permission: Permission): string {
  return permission.slice(permission.indexOf(':') + 1)
}
