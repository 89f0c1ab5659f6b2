import {
  capitalizeFirst,
  type EntityName,
  entities,
  entityNames,
  getPlural,
} from '../../../shared/entities.ts'
import {
  type ApplicationType,
  allowsNothing,
  mayHold,
  type Permission,
  type PermissionSubject,
  permissionNames,
} from '../../../shared/permissions.ts'

type GroupedEntity = { readonly group: PermissionSubject }
type EntitySubject = Extract<(typeof entities)[EntityName], GroupedEntity>['group']

/** The names of the groups that do not have the name of an entity. */
const otherGroups: Readonly<Record<Exclude<PermissionSubject, EntitySubject>, string>> = {
  tenant: 'Tenant',
  report: 'Usage report',
  log: 'Log',
  webhook: 'Webhooks (webhook:…)',
  '3ds': '3D Secure',
  network_token: 'Network tokens (network_token:…)',
  connections: 'Connections',
}
const groupNames = new Map([
  ...entityNames.map((each) => [entities[each].group, capitalizeFirst(getPlural(each))] as const),
  ...Object.entries(otherGroups),
])

export type PermissionGroup = {
  readonly subject: string
  readonly name: string
  readonly permissions: readonly Permission[]
}

/** Groups permissions by their subject, in the order of all permissions. */
export function groupPermissions(permissions: readonly Permission[]): PermissionGroup[] {
  return [...new Set(permissionNames.map(getSubject))]
    .map((subject) => ({
      subject,
      name: groupNames.get(subject) ?? subject,
      permissions: permissions.filter((permission) => getSubject(permission) === subject),
    }))
    .filter((group) => group.permissions.length > 0)
}

function getSubject(permission: Permission): string {
  return permission.slice(0, permission.indexOf(':'))
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
